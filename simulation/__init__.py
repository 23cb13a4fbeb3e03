"""The event engine and its contention models.

Each name is imported at its first use, because code that only counts slots needs no engine.
"""

from typing import TYPE_CHECKING

from ..instances.late import late

if TYPE_CHECKING:
    from .makespan.evaluate import (
        PlacedStarts as PlacedStarts,
        Result as Result,
        evaluate as evaluate,
    )
    from .makespan.evaluate import (
        make_plan as make_plan,
        to_plan as to_plan,
        to_schedule as to_schedule,
    )
    from .model import Model as Model, build_model as build_model
else:
    __getattr__, __dir__ = late(__name__, __file__)
