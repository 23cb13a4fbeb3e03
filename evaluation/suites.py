"""The suites of `evaluate`, which the records of families name."""

from collections.abc import Sequence

from ..families import FAMILIES, Suite
from ..instances.errors import InputError, unknown


def all_suites() -> tuple[Suite, ...]:
    """Return the suites of all families."""
    return tuple(suite for family in FAMILIES.values() for suite in family.suites)


def find_suite(name: str) -> Suite:
    """Return a suite by name."""
    known = {suite.name: suite for suite in all_suites()}
    if name not in known:
        expected = "one of " + ", ".join(known)
        hint = "see `ringyard list suites`"
        raise InputError("evaluate", [unknown("suite", name, known, hint, expected)])
    return known[name]


def baselines_of(suite: Suite, method: object, asked: Sequence[str] | None) -> list[str]:
    """Return what a method is compared with: a method is no baseline of itself."""
    names = suite.baselines if asked is None else asked
    return [name for name in names if name != method]


def runs_of(name: str, method: str, asked: Sequence[str] | None) -> int:
    """Return how many runs an evaluation makes."""
    suite = find_suite(name)
    return len(suite.drawn) * (1 + len(baselines_of(suite, method, asked)))
