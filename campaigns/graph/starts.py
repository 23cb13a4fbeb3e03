"""Schedules on the edges of a graph: a node begins with the best one of nodes before it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from ...families import family_of
from ...instances import digest
from ...instances.errors import Problem, Words, quoted
from ...instances.reading.encode import to_text
from ...methods import all_methods, find_method
from ..campaign_file import Node
from ..runs import Run, Task
from ..store import Store
from .stages import Stage


def start_faults(nodes: Sequence[Node]) -> Iterator[Problem]:
    """Yield nodes that are to hand over a schedule, and are not needed or have none."""
    types = {node.name: node.type for node in nodes}
    for node in nodes:
        where = f"node {quoted(node.name)}: starts"
        for name in node.starts or ():
            if name not in node.needs:
                expected = "one of the nodes that it needs"
                yield Problem(where, name, expected, f"add {quoted(name)} to needs")
            elif types.get(name) != "solve":
                expected, found = "a node of type 'solve'", Words(f"{quoted(name)} of another type")
                yield Problem(where, found, expected, "name a node that has schedules")


def begun(node: Node, run: Run, stages: Mapping[str, Stage]) -> Run:
    """Return a run that begins with the best schedule that nodes have of its instance."""
    own, keys = digest(run.instance), list[str]()
    for name in node.starts or ():
        keys += [one.key for one in stages[name].runs if digest(one.instance) == own]
    return replace(run, begins=tuple(sorted(keys)))


def run_faults(node: Node, runs: Sequence[Run]) -> Iterator[Problem]:
    """Yield what cannot begin with a schedule: methods, and instances of which there is none."""
    where = f"node {quoted(node.name)}"
    for name, kind in dict.fromkeys((run.asked or run.method, run.instance.kind) for run in runs):
        if not find_method(name, kind).starts:
            able = [one.name for one in all_methods() if one.family == kind and one.starts]
            expected = f"a method that can begin with a schedule: {', '.join(able) or 'none'}"
            yield Problem(f"{where}: methods", name, expected, "name another, or leave out starts")
    for instance in dict.fromkeys(run.instance.name for run in runs if not run.begins):
        expected = "an instance that these nodes solve, too"
        yield Problem(
            f"{where}: starts", instance, expected, "solve it there, or leave it out here"
        )


def task_of(run: Run, store: Store) -> Task:
    """Return the task of a run, with the schedule that it begins with if there is a valid one."""
    rows = [row for row in store.rows_of(run.begins) if row["valid"]]
    if not rows:
        return run.task()
    sign = -1 if family_of(run.instance).sense == "max" else 1
    best = min(rows, key=lambda row: (sign * row["objective"], row["key"]))
    return {**run.task(), "start": to_text(store.schedule(best))}
