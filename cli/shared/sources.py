"""What commands read of the folder of a campaign; damage is reported."""

from typing import TYPE_CHECKING

from .output import note

if TYPE_CHECKING:
    from ...analysis.sources import Sources
    from ...campaigns.store import Store


def told(store: "Store", *, done: bool = True) -> "Store":
    """Tell what of a store is left out, and what is missing if all is to be done; return it."""
    for sentence in store.remarks(done=done):
        note(sentence)
    return store


def sources_of(store: "Store") -> "Sources":
    """Return who knows about the instances, schedules and methods of a campaign."""
    from ...campaigns.sources import stored

    return stored(store, note)
