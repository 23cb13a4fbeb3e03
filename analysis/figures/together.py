"""The cases that a figure of several methods may use: those that all of them answered."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from ...instances.errors import InputError, Problem, Words
from ..rows import Row, answered
from ..stats.cases import Common, common_set


@dataclass(frozen=True, slots=True, kw_only=True)
class Together:
    """Runs by method, all over the same cases, and a sentence that says which."""

    runs: dict[str, tuple[Row, ...]]
    common: Common
    note: str


def all_answered(rows: Iterable[Row], seedless: Collection[str]) -> Together:
    """Return the runs on the cases of which every method has a valid schedule.

    The one run of a method among the `seedless` stands for every seed.
    """
    common = common_set(rows, seedless=seedless, restrict=True)
    kept = [i for i, case in enumerate(zip(*common.runs.values(), strict=True)) if _full(case)]
    if not kept:
        found, expected = Words("no case"), "one that every method answered"
        raise InputError("figure", [Problem("rows", found, expected, "choose other methods")])
    total = len(common.cases) + common.left_out
    return Together(
        runs={name: tuple(some[i] for i in kept) for name, some in common.runs.items()},
        common=common,
        note=f"over the {len(kept):,} of {total:,} cases that all methods answered",
    )


def _full(case: Iterable[Row]) -> bool:
    return all(answered(row) for row in case)
