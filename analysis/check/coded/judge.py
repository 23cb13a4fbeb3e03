"""From `coded` instance and plan to the verdict."""

from dataclasses import dataclass
from fractions import Fraction

from ....instances.coded import CodedInstance
from ....instances.coded_schedule import CodedPlan
from ..verdict import Violation


@dataclass(frozen=True, slots=True, kw_only=True)
class CodedVerdict:
    """Every violation, and the expected time to the product."""

    violations: tuple[Violation, ...]
    expected: Fraction | None
    """None if the mean of what a worker takes is infinite."""

    @property
    def valid(self) -> bool:
        """Say whether no rule is broken."""
        return not self.violations

    @property
    def objective(self) -> Fraction | None:
        """The expected time."""
        return self.expected


def check_coded(instance: CodedInstance, plan: CodedPlan) -> CodedVerdict:
    """Hold a plan against its instance, recomputing everything from the raw data."""
    raise NotImplementedError
