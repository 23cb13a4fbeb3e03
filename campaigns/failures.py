"""The columns of a run that gave no answer: why it was refused, or how it failed."""

from typing import Any

from ..instances import Left, MissingError, RefusedError, Stop
from ..instances.errors import MethodError

Columns = dict[str, Any]


def failure_of(error: Exception) -> Columns:
    """Return the columns of a run that ended in an error."""
    match error:
        case RefusedError() | MissingError():
            return failure("refused", Stop.FAILED, str(error))
        case MethodError():
            return failure("error", Stop.FAILED, str(error))
        case MemoryError():
            return failure("out of memory", Stop.MEMORY_LIMIT, f"MemoryError {error}".strip())
    return failure("error", Stop.FAILED, f"{type(error).__name__}: {error}")


def failure(status: str, stop: Stop, note: str) -> Columns:
    """Return the columns of a run that gave no answer."""
    return {
        "status": status,
        "stop": stop.value,
        "left": Left.NOTHING.value,
        "note": note,
        "valid": False,
        "violations": 0,
    }
