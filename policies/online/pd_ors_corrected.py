"""PD-ORS with the prices for which its competitive ratio can be proved, and stronger plans.

Source: ours, after PD-ORS. The algorithm is that of `pd_ors.py`; what differs are the options:
prices as corrected (`simulation/online/tariff.py`), and plans across machines from the relaxation
over integer hulls, of which at most two machines have to be rounded. docs/online/pd-ors.md has the
proof.
"""

from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Literal

from ...instances import OnlineInstance, Outcome
from ...instances.reading.vocabulary import Count, Fraction01
from ..request import Request
from . import terms
from .offers import refuses
from .pd_ors import admitted

__all__ = ["NAME", "Options", "refuses", "run"]

NAME = "pd-ors-corrected"


@dataclass(frozen=True, slots=True, kw_only=True)
class Options(terms.Options):
    """Options of PD-ORS, with the corrected ones as defaults."""

    prices: Annotated[Literal["published", "corrected"], "which tariff"] = "corrected"
    relaxation: Annotated[Literal["lp", "hull"], "of a slot across machines"] = "hull"
    tries: Annotated[Count, "roundings of a plan, the cheapest is kept"] = 1
    share: Annotated[Fraction01, "most of a machine that a job takes (corrected)"] = Decimal("0.2")


def run(instance: OnlineInstance, request: Request[Options]) -> Outcome:
    """Admit jobs in the order of their arrival."""
    return admitted(instance, request, NAME)
