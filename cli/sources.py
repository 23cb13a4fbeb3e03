"""What tables, figures and the report of a campaign need beside its rows."""

from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..analysis.guarantees import Guarantee
    from ..analysis.rows import Row
    from ..analysis.sources import Sources
    from ..campaigns.store import Store
    from ..instances import Instance


def sources_of(store: "Store") -> "Sources":
    """Return who knows about the instances, schedules and methods of a campaign."""
    from ..analysis.sources import Sources
    from ..methods import METHODS, find_method

    seedless = {method.name for method in METHODS if not method.random}

    def exact(row: "Row") -> bool:
        return find_method(row["method"], row["family"]).guarantee == "optimal"

    def random(row: "Row") -> bool:
        return row["method"].partition(":")[0] not in seedless

    return Sources(
        instance=lru_cache(maxsize=64)(store.instance),
        schedule=store.schedule,
        unmet=_unmet,
        exact=exact,
        random=random,
    )


def _unmet(guarantee: "Guarantee", row: "Row", instance: "Instance") -> str | None:
    """Say which hypothesis is not met: of the instance, of the options, or of the run itself."""
    from ..campaigns.audit import unmet_chi
    from ..instances import OnlineInstance
    from ..methods import find_method
    from ..policies.online.pd_ors_corrected import Options

    reason = guarantee.unmet(instance, find_method(row["method"], row["family"]).options)
    if reason is None and guarantee.name == "competitive" and isinstance(instance, OnlineInstance):
        return unmet_chi(instance, Options(), row["seed"])
    return reason
