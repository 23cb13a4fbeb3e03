"""What counts as success of a run; which of the two is meant is the reader's choice."""

from collections.abc import Callable

from ..rows import Row

Success = Callable[[Row], bool]


def solved(row: Row) -> bool:
    """Say whether a run answered its instance for good: an optimum, or that there is none."""
    return row["status"] in ("optimal", "infeasible")


def answered(row: Row) -> bool:
    """Say whether a run has a schedule in which the judge found nothing wrong."""
    return bool(row["valid"]) and row["objective"] is not None
