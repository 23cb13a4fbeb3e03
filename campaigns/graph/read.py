"""From the nodes of a campaign file to stages: every edge is resolved before anything runs.

What generators draw follows from their seeds, and a run's key from the content of its instance.
So instances are drawn here, at launch, and the keys of all runs are known.
"""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import networkx

from ...analysis.table_kinds import KINDS
from ...instances import Instance, digest
from ...instances.errors import ABSENT, InputError, Problem, nearest
from ..campaign_file import CampaignFile, CampaignPart, Drawn, Node
from ..part import PartReader
from ..runs import BOUND
from .faults import (
    RUNS,
    cycle_faults,
    edge_faults,
    edges,
    field_faults,
    name_faults,
    place,
    top_faults,
)
from .stages import Stage

FROM_TOP = (
    *("seeds", "first_seed", "repetitions", "threads", "horizon"),
    *("time_limit", "cpu_limit", "memory_limit"),
)
"""What runs take from the top of the file where their node does not say it."""


def read_stages(path: Path, file: CampaignFile) -> tuple[Stage, ...]:
    """Return the nodes, each behind those that it needs; raise `InputError` with all faults."""
    nodes = file.nodes
    problems = [*top_faults(file), *name_faults(nodes), *edge_faults(nodes), *cycle_faults(nodes)]
    problems += [problem for node in nodes for problem in (*field_faults(node), *_kind(node))]
    if problems:
        raise InputError(str(path), problems)
    by_name, resolver = {node.name: node for node in nodes}, _Resolver(path, file)
    for name in networkx.lexicographical_topological_sort(edges(nodes), [*by_name].index):
        resolver.add(by_name[name])
    return tuple(resolver.stages.values())


def _kind(node: Node) -> Iterable[Problem]:
    if node.kind is not None and node.kind not in KINDS:
        like = nearest(node.kind, list(KINDS))
        advice = f"did you mean {like!r}?" if like else "see `ringyard table --help`"
        yield Problem(place(node, "kind"), node.kind, "one of " + ", ".join(KINDS), advice)


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
            runs = {run.key: run for run in reader.runs()}
            stage = replace(stage, runs=tuple(runs.values()), may_fail=node.may_fail or 0)
        else:
            stage = replace(stage, takes=self._keys(node), kind=node.kind or stage.kind)
        self.stages[node.name] = stage

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
