"""What commands read of the folder of a campaign; damage is reported."""

from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from ...instances.errors import InputError, plural
from .output import note

if TYPE_CHECKING:
    from ...analysis.sources import Sources
    from ...campaigns.store import Store


def told(store: "Store", *, done: bool = True) -> "Store":
    """Tell what of a store is left out, and what is missing if all is to be done; return it."""
    for sentence in store.left_out().sentences():
        note(sentence)
    if done and (missing := store.missing()):
        note(f"without a row: {plural(missing, 'run')} that the campaign asks for")
    return store


def sources_of(store: "Store") -> "Sources":
    """Return who knows about the instances, schedules and methods of a campaign."""
    from ...campaigns.sources import sources

    seen = set[str]()
    return sources(
        lru_cache(maxsize=64)(_tried(store.instance, seen)), _tried(store.schedule, seen)
    )


def _tried(read: Callable[[Any], Any], seen: set[str]) -> Callable[[Any], Any]:
    """Return how to read what may be damaged: it is reported once, and left out."""

    def found(key: Any) -> Any:
        try:
            return read(key)
        except InputError as error:
            if str(error) not in seen:
                seen.add(str(error))
                note(f"left out: {error}")
            return None

    return found
