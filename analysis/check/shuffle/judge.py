"""From `shuffle` instance and plan to the verdict."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from ....instances.shuffle import ShuffleInstance
from ....instances.shuffle_schedule import ShufflePlan
from ..verdict import Violation


@dataclass(frozen=True, slots=True, kw_only=True)
class ShuffleVerdict:
    """Every violation, and what the messages cost."""

    violations: tuple[Violation, ...]
    load: Fraction
    unknown: Mapping[str, tuple[int, ...]]
    """Rows that a worker wants and cannot work out, by worker."""

    @property
    def valid(self) -> bool:
        """Say whether no rule is broken."""
        return not self.violations

    @property
    def objective(self) -> Fraction | None:
        """The cost of all messages."""
        return self.load


def check_shuffle(instance: ShuffleInstance, plan: ShufflePlan) -> ShuffleVerdict:
    """Hold a plan against its instance, recomputing everything from the raw data."""
    raise NotImplementedError
