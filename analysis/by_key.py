"""Things by what they have in common."""

from collections.abc import Callable, Hashable, Iterable
from typing import TypeVar

K = TypeVar("K", bound=Hashable)
T = TypeVar("T")


def by_key(things: Iterable[T], key: Callable[[T], K]) -> dict[K, list[T]]:
    """Return the things of each key, in the order in which they come."""
    found: dict[K, list[T]] = {}
    for one in things:
        found.setdefault(key(one), []).append(one)
    return found
