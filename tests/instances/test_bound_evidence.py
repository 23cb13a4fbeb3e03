"""Who can check a bound follows from its kind and from whether it has steps."""

from fractions import Fraction
from typing import Any

import pytest

from ringyard.instances import Bound, BoundEvidence, BoundKind

STEP: dict[str, Any] = {"rule": "area", "from": 0}


@pytest.mark.parametrize(
    ("kind", "steps", "evidence"),
    [
        ("combinatorial", [STEP], BoundEvidence.CERTIFIED),
        ("dual", [STEP, STEP], BoundEvidence.CERTIFIED),
        ("dual", None, BoundEvidence.COMPUTED),
        ("searched", None, BoundEvidence.SEARCHED),
        ("searched", [STEP], BoundEvidence.SEARCHED),
        ("solver", None, BoundEvidence.CLAIMED),
        ("none", None, BoundEvidence.NONE),
    ],
)
def test_what_nobody_else_can_check_is_not_certified(
    kind: str, steps: list[dict[str, Any]] | None, evidence: BoundEvidence
) -> None:
    proof = None if steps is None else tuple(steps)
    bound = Bound(value=Fraction(3), kind=BoundKind(kind), name="b", argument="", proof=proof)
    assert bound.evidence is evidence
    assert bound.rules == ("area" if steps else "")


def test_the_word_of_before_is_read_and_not_written() -> None:
    # Files of before call complete searches exact.
    assert BoundKind("exact") is BoundKind.SEARCHED
    assert "exact" not in {kind.value for kind in BoundKind}
    with pytest.raises(ValueError, match="guess"):
        BoundKind("guess")
