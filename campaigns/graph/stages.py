"""A graph once its edges are resolved: what each node is about, known before anything runs."""

from collections.abc import Iterable
from dataclasses import dataclass

from ...instances import Instance, digest
from ..runs import BOUND, Run


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """A node with what its edges bring."""

    name: str
    type: str
    """A type of node, or `given` for instances that stand in a file."""
    needs: tuple[str, ...] = ()
    instances: tuple[Instance, ...] = ()
    """What a node draws."""
    runs: tuple[Run, ...] = ()
    """What a node does, as rows."""
    takes: tuple[str, ...] = ()
    """Keys of the rows that a node judges or shows."""
    starts: tuple[str, ...] = ()
    """Those of `needs` whose schedules its runs begin with."""
    may_fail: int = 0
    kind: str = "solvers"


def implied(runs: Iterable[Run]) -> tuple[Stage, ...]:
    """Return the graph of a campaign that names none: instances, then methods and bounds."""
    runs = tuple(runs)
    instances = {digest(run.instance): run.instance for run in runs}
    given = Stage(name="instances", type="given", instances=tuple(instances.values()))
    kinds = {
        "solve": tuple(run for run in runs if run.method != BOUND),
        "bound": tuple(run for run in runs if run.method == BOUND),
    }
    names = {"solve": "methods", "bound": "bounds"}
    return given, *(
        Stage(name=names[kind], type=kind, needs=("instances",), runs=some, may_fail=len(some))
        for kind, some in kinds.items()
        if some
    )
