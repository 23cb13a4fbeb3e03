"""What a run costs where times are averaged: its time, or what failures are charged."""

from collections.abc import Iterable

from ..rows import Row
from .cases import Common
from .refusals import check_numbers, refusal
from .success import Success, solved


def charged_time(
    row: Row, *, success: Success = solved, factor: float = 1, limit: float | None = None
) -> float:
    """Return the seconds of a success, at most the limit, and `factor` limits for a failure.

    `limit` is for runs whose row has none. A failure without any limit is refused.
    """
    limit = row["time_limit"] if row["time_limit"] is not None else limit
    if success(row):
        (seconds,) = check_numbers(f"{row['instance']}: {row['method']}", [row["seconds"]], least=0)
        return seconds if limit is None else min(seconds, limit)
    if limit is None:
        place = f"{row['instance']}: {row['method']}, seed {row['seed']}: time_limit"
        expected = f"a limit to charge for the status {row['status']}"
        raise refusal(
            "rows", place, None, expected, "run with a time limit, or leave the method out"
        )
    return factor * limit


def charged_times(
    common: Common, method: str, *, success: Success = solved, factor: float = 1
) -> list[float]:
    """Return what the runs of a method cost; a case has one limit for all its runs."""
    runs = zip(common.runs[method], common.limits, strict=True)
    return [charged_time(row, success=success, factor=factor, limit=limit) for row, limit in runs]


def times_to_success(runs: Iterable[Row], *, success: Success = solved) -> list[float | None]:
    """Return the seconds of every success, at most its limit, and None for failures."""
    return [charged_time(row, success=success) if success(row) else None for row in runs]
