"""What can be wrong with the nodes of a campaign file, found before anything runs."""

from collections.abc import Iterator, Mapping, Sequence

import networkx

from ...instances.errors import ABSENT, Problem, Words, nearest, quoted
from ..campaign_file import CampaignFile, Node

RUNS = ("solve", "bound")
ROWS = (*RUNS, "verify")
"""Types whose nodes hand rows on."""

TAKES = {"solve": ("generate", *ROWS), "bound": ("generate", *ROWS), "verify": ROWS, "table": ROWS}
"""Types of nodes that a node of a type may need."""

WITHIN = ("time_limit", "cpu_limit", "memory_limit", "may_fail")

FIELDS = {
    "generate": ("family", "set", "seeds", "first_seed"),
    "solve": (
        *("instances", "methods", "seeds", "first_seed", "repetitions", "threads", "horizon"),
        *WITHIN,
    ),
    "bound": ("instances", *WITHIN),
    "verify": (),
    "table": ("kind",),
}
"""Fields of a node by its type, beside name, type and needs."""

MUST = {"generate": "family", "solve": "methods"}

NO_TOP = ("instances", "generate", "methods", "parts")
"""What does not stand beside nodes."""


def place(node: Node, field: str) -> str:
    """Say where in the file something stands."""
    return f"node {quoted(node.name)}: {field}"


def top_faults(file: CampaignFile) -> Iterator[Problem]:
    """Yield what stands at the top and belongs into nodes."""
    for name in NO_TOP:
        if getattr(file, name):
            advice = "move it into a node, or leave out [[nodes]]"
            yield Problem(name, getattr(file, name), "none beside [[nodes]]", advice)


def name_faults(nodes: Sequence[Node]) -> Iterator[Problem]:
    """Yield names that are no file names, or that two nodes have."""
    seen = set[str]()
    for node in nodes:
        if "/" in node.name or node.name.startswith("."):
            advice = "it names files"
            yield Problem(place(node, "name"), node.name, "no / and no . in front", advice)
        if node.name in seen:
            expected = "a name that no other node has"
            yield Problem(place(node, "name"), node.name, expected, "rename one of them")
        seen.add(node.name)


def field_faults(node: Node) -> Iterator[Problem]:
    """Yield fields that a node of the type lacks, or does not have."""
    known = FIELDS[node.type]
    for name in dict.fromkeys(name for fields in FIELDS.values() for name in fields):
        value = getattr(node, name)
        if value is not None and name not in known:
            names = ", ".join(("name", "type", *(["needs"] if node.type in TAKES else []), *known))
            expected = f"a field of a node of type {node.type!r}: {names}"
            yield Problem(place(node, name), value, expected, "remove it")
    must = MUST.get(node.type)
    if must and not getattr(node, must):
        expected = f"{must} of a node of type {node.type!r}"
        yield Problem(place(node, must), ABSENT, expected, f'add "{must}"')


def edge_faults(nodes: Sequence[Node]) -> Iterator[Problem]:
    """Yield edges from nowhere, or from a node that has nothing to give; then what lacks edges."""
    types = {node.name: node.type for node in nodes}
    for node in nodes:
        for need in node.needs:
            yield from _edge_faults(node, need, types)
        yield from _alone(node)
    needed = {need for node in nodes for need in node.needs}
    for node in nodes:
        if node.type == "generate" and node.name not in needed:
            found, expected = Words("no node that needs it"), "a node that needs these instances"
            yield Problem(f"node {quoted(node.name)}", found, expected, "name it, or remove it")


def _edge_faults(node: Node, need: str, types: Mapping[str, str]) -> Iterator[Problem]:
    if need not in types:
        like = nearest(need, list(types))
        advice = f"did you mean {like!r}?" if like else "name a node of this file"
        expected = "one of the nodes " + ", ".join(types)
        yield Problem(place(node, "needs"), need, expected, advice)
    elif types[need] not in TAKES.get(node.type, ()):
        allowed = " or ".join(TAKES.get(node.type, ("nothing",)))
        expected = f"what a node of type {node.type!r} can take: {allowed}"
        found = Words(f"{quoted(need)} of type {types[need]!r}")
        yield Problem(place(node, "needs"), found, expected, "name another node")


def _alone(node: Node) -> Iterator[Problem]:
    if node.type in ("verify", "table") and not node.needs:
        expected, advice = f"a node of type {', '.join(ROWS)}", "say whose results it takes"
        yield Problem(place(node, "needs"), ABSENT, expected, advice)


def cycle_faults(nodes: Sequence[Node]) -> Iterator[Problem]:
    """Yield a cycle, if there is one."""
    try:
        found = networkx.find_cycle(edges(nodes))
    except networkx.NetworkXNoCycle:
        return
    names = [found[0][0], *(end for _, end in found)]
    shown = Words(" -> ".join(map(quoted, names)))
    yield Problem("nodes", shown, "no way from a node back to it", "remove one of these needs")


def edges(nodes: Sequence[Node]) -> "networkx.DiGraph[str]":
    """Return who needs whom, in the order of the file."""
    graph: networkx.DiGraph[str] = networkx.DiGraph()
    graph.add_nodes_from(node.name for node in nodes)
    graph.add_edges_from((need, node.name) for node in nodes for need in node.needs)
    return graph
