"""What every kind of schedule claims, and the rule that holds it to that."""

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from ...instances.reading.encode import digest


def instance_digest(case: Any) -> Iterator[tuple[str, Fraction]]:
    """A digest in the schedule is that of the instance."""
    claimed = case.schedule.digest
    if claimed and claimed != digest(case.instance):
        yield "digest", Fraction(1)
