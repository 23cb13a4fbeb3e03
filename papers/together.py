"""What holds together in a search over conditions, and what never does."""

from collections.abc import Sequence
from itertools import combinations


def smallest_clashes(sets: Sequence[frozenset[str]], all_of: Sequence[str]) -> list[set[str]]:
    """Return the smallest sets of names that are together in none of the sets; [] if all are."""
    for size in range(1, len(all_of) + 1):
        some = [set(one) for one in combinations(all_of, size) if not _together(sets, one)]
        if some:
            return some
    return []


def _together(sets: Sequence[frozenset[str]], names: Sequence[str]) -> bool:
    return any(own.issuperset(names) for own in sets)
