"""Which hypotheses of a theorem a run in a row does not meet."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..analysis.guarantees import Guarantee
    from ..analysis.rows import Row
    from ..instances import Instance


def unmet(guarantee: "Guarantee", row: "Row", instance: "Instance") -> str | None:
    """Say which one: of the instance, of the method's options, or of the run itself."""
    from ..campaigns.audit import unmet_chi
    from ..instances import OnlineInstance
    from ..methods import find_method
    from ..policies.online.pd_ors_corrected import Options

    reason = guarantee.unmet(instance, find_method(row["method"], row["family"]).options)
    if reason is None and guarantee.name == "competitive" and isinstance(instance, OnlineInstance):
        return unmet_chi(instance, Options(), row["seed"])
    return reason
