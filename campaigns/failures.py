"""The columns of a run that gave no answer: why it was refused, or how it failed."""

from typing import Any

from ..instances import MissingError, RefusedError, SolutionStatus, TerminationReason
from ..instances.errors import MethodError

Columns = dict[str, Any]


def failure_of(error: Exception) -> Columns:
    """Return the columns of a run that ended in an error."""
    match error:
        case RefusedError() | MissingError():
            return failure("refused", TerminationReason.FAILED, str(error))
        case MethodError():
            return failure("error", TerminationReason.FAILED, str(error))
        case MemoryError():
            return failure(
                "out of memory", TerminationReason.MEMORY_LIMIT, f"MemoryError {error}".strip()
            )
    return failure("error", TerminationReason.FAILED, f"{type(error).__name__}: {error}")


def failure(status: str, termination: TerminationReason, note: str) -> Columns:
    """Return the columns of a run that gave no answer."""
    return {
        "status": status,
        "termination": termination.value,
        "solution_status": SolutionStatus.NOTHING.value,
        "note": note,
        "valid": False,
        "violations": 0,
    }
