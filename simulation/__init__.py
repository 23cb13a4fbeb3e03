"""What happens in time? The event engine and its contention models.

Importing this room compiles nothing yet, but it loads numba; import it where it is used.
"""

from .makespan.evaluate import PlacedStarts, Result, evaluate
from .makespan.plans import make_plan, to_plan, to_schedule
from .model import Model, build_model

__all__ = [
    "Model",
    "PlacedStarts",
    "Result",
    "build_model",
    "evaluate",
    "make_plan",
    "to_plan",
    "to_schedule",
]
