"""Verify theorems on random instances."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from ...analysis.guarantees import guarantees_of
from ...families import FAMILIES
from ...instances import RefusedError
from ...methods import all_methods
from .tally import VerifiedRuns
from .verify import verify

NEEDED = {"gadget": "gadget:slot=exact"}
"""Methods whose theorem needs options, with these."""


def random_runs(
    indices: Iterable[int],
    methods: Sequence[str],
    family: str = "makespan",
    *,
    seed: int = 0,
    time_limit: float | None = None,
) -> Iterator[VerifiedRuns]:
    """Yield what each of the instances with these numbers says."""
    draw = FAMILIES[family].drawn
    if draw is None:
        raise RefusedError(f"no random instances of the family {family!r} are drawn")
    for index in indices:
        found = VerifiedRuns()
        instance = draw(seed, index)
        rows = verify(instance, methods, seed=index, time_limit=time_limit)
        for _, run in groupby(rows, key=lambda row: row.method):
            found.add(run)
        yield found


def claimed_policies(family: str = "makespan") -> list[str]:
    """Return the schedulers of a problem family about which a theorem is stated."""
    same = all_methods(family)
    policies = [m.name for m in same if m.kind == "policy" or m.name in NEEDED]
    return [NEEDED.get(name, name) for name in policies if guarantees_of(name)]


def instances_for(runs: int, methods: Sequence[str]) -> int:
    """Return how many instances make at least the given number of runs."""
    return -(-runs // len(methods))
