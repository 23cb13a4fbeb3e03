"""From `transfers` instance and plan to the verdict."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from ....instances.transfers import TransfersInstance
from ....instances.transfers_schedule import TransferPlan
from ..verdict import Violation


@dataclass(frozen=True, slots=True, kw_only=True)
class TransfersVerdict:
    """Every violation, and when each update is applied."""

    violations: tuple[Violation, ...]
    applied: Mapping[str, Fraction]
    """Moments in seconds; updates that are never applied are missing."""
    dropped: tuple[str, ...]
    value: Fraction
    """What the goal makes of the moments."""
    spread: Fraction
    """Most that the norms of updates add up to that only the server has."""

    @property
    def valid(self) -> bool:
        """Say whether no rule is broken."""
        return not self.violations

    @property
    def objective(self) -> Fraction | None:
        """The value."""
        return self.value


def check_transfers(instance: TransfersInstance, plan: TransferPlan) -> TransfersVerdict:
    """Hold a plan against its instance, recomputing everything from the raw data."""
    raise NotImplementedError
