"""What tables, figures and the report of a campaign need beside its rows, from its folder."""

from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..analysis.sources import Sources
    from ..campaigns.store import Store


def sources_of(store: "Store") -> "Sources":
    """Return who knows about the instances, schedules and methods of a campaign."""
    from ..campaigns.sources import sources

    return sources(lru_cache(maxsize=64)(store.instance), store.schedule)
