"""From the nodes of a campaign file to stages: every edge is resolved before anything runs.

What generators draw follows from their seeds, and a run's key from the content of its instance.
So instances are drawn here, at launch, and the keys of all runs are known.

What can be wrong with the nodes of a campaign file, found before anything runs.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import networkx

from ...analysis.table_kinds import KINDS
from ...instances import Instance, digest
from ...instances.errors import ABSENT, InputError, Problem, Words, quoted, raise_any, unknown
from ..campaign_file import CampaignFile, CampaignPart, Drawn, Node
from ..part import PartReader
from ..runs import BOUND, Run
from .stages import Stage
from .starts import begun, run_faults, start_faults

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
        *("gap_limit", "target", "starts"),
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
        expected = "one of the nodes " + ", ".join(types)
        yield unknown(place(node, "needs"), need, types, "name a node of this file", expected)
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


FROM_TOP = (
    *("seeds", "first_seed", "repetitions", "threads", "horizon"),
    *("time_limit", "cpu_limit", "memory_limit", "gap_limit", "target", "certificates"),
)
"""What runs take from the top of the file where their node does not say it."""


def read_stages(path: Path, file: CampaignFile) -> tuple[Stage, ...]:
    """Return the nodes, each behind those that it needs; raise `InputError` with all faults."""
    nodes = file.nodes
    problems = [*top_faults(file), *name_faults(nodes), *edge_faults(nodes), *cycle_faults(nodes)]
    problems += start_faults(nodes)
    problems += [problem for node in nodes for problem in (*field_faults(node), *_kind(node))]
    raise_any(str(path), problems)
    by_name, resolver = {node.name: node for node in nodes}, _Resolver(path, file)
    for name in networkx.lexicographical_topological_sort(edges(nodes), [*by_name].index):
        resolver.add(by_name[name])
    return tuple(resolver.stages.values())


def _kind(node: Node) -> Iterable[Problem]:
    if node.kind is not None and node.kind not in KINDS:
        yield unknown(place(node, "kind"), node.kind, KINDS, "see `ringyard table --help`")


class _Resolver:
    """Turns nodes into stages, in an order in which all that a node needs is there."""

    def __init__(self, path: Path, file: CampaignFile) -> None:
        self.path, self.stages = path, dict[str, Stage]()
        self.top = CampaignPart(**{name: getattr(file, name) for name in FROM_TOP})

    def add(self, node: Node) -> None:
        """Resolve a node."""
        stage = Stage(name=node.name, type=node.type, needs=tuple(dict.fromkeys(node.needs)))
        if node.type == "generate":
            stage = replace(stage, instances=self._drawn(node))
        elif node.type in RUNS:
            reader = PartReader(
                self.path, f"node {node.name!r}", self._part(node), self._given(node)
            )
            if not reader.given and not node.instances:
                advice = "name a node that generates some, or instances = [..]"
                expected = "instances: of a generate node, or named"
                raise InputError(
                    str(self.path), [Problem(place(node, "needs"), ABSENT, expected, advice)]
                )
            stage = replace(stage, runs=self._runs(node, reader), may_fail=node.may_fail or 0)
            stage = replace(stage, starts=node.starts or ())
        else:
            stage = replace(stage, takes=self._keys(node), kind=node.kind or stage.kind)
        self.stages[node.name] = stage

    def _runs(self, node: Node, reader: PartReader) -> tuple[Run, ...]:
        """Return the runs of a node, with what they begin with; `InputError` if some cannot."""
        runs = list(reader.runs())
        if node.starts:
            runs = [begun(node, run, self.stages) for run in runs]
            raise_any(str(self.path), list(run_faults(node, runs)))
        return tuple({run.key: run for run in runs}.values())

    def _drawn(self, node: Node) -> tuple[Instance, ...]:
        drawn = Drawn(
            family=node.family or "",
            seeds=node.seeds or 1,
            first_seed=node.first_seed or 0,
            set=node.set or (),
        )
        where = f"node {node.name!r}"
        return tuple(PartReader(self.path, where, CampaignPart(generate=(drawn,))).instances())

    def _given(self, node: Node) -> tuple[Instance, ...]:
        """Return the instances that the edges of a node bring, each once."""
        found = [one for need in node.needs for one in self.stages[need].instances]
        return tuple({digest(one): one for one in found}.values())

    def _part(self, node: Node) -> CampaignPart:
        """Return the methods on named instances, with what they take from the top."""
        fields = [name for name in CampaignPart.__dataclass_fields__ if hasattr(node, name)]
        said = {name: getattr(node, name) for name in fields if getattr(node, name) is not None}
        if node.type == "bound":
            said["methods"] = (BOUND,)
        return replace(self.top, **said)

    def _keys(self, node: Node) -> tuple[str, ...]:
        """Return the keys of the rows that the edges of a node bring, each once."""
        found = dict[str, None]()
        for stage in (self.stages[need] for need in node.needs):
            found |= dict.fromkeys([*stage.takes, *(run.key for run in stage.runs)])
        return tuple(found)
