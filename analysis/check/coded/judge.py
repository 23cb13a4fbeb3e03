"""From `coded` instance and plan to the verdict."""

from dataclasses import dataclass, replace
from fractions import Fraction

from ....instances.coded.instance import CodedInstance
from ....instances.coded.schedule import CodedPlan
from ..verdict import AnyVerdict, violations_of
from .moments import expected_time
from .rules import ALL, CodedCase, is_code


@dataclass(frozen=True, slots=True, kw_only=True)
class CodedVerdict(AnyVerdict):
    """Every violation, and the expected time to the product."""

    expected: Fraction | None
    """None if it is infinite, or the plan is no code: too many parts, or wrong points."""

    @property
    def objective(self) -> Fraction | None:
        """The expected time."""
        return self.expected


def check_coded(instance: CodedInstance, plan: CodedPlan) -> CodedVerdict:
    """Check a plan against its instance, recomputing everything from the raw data."""
    case = CodedCase(instance=instance, schedule=plan)
    if is_code(case):
        case = replace(case, expected=expected_time(instance, plan))
    return CodedVerdict(
        violations=violations_of(case, ALL),
        expected=case.expected,
    )
