"""The makespan question without servers, as a constraint model.

Each job holds its GPUs for the fewest slots that it needs anywhere, in one pool of all GPUs. If no
starts fit before a slot, no schedule ends by then. Starts that fit are no schedule: `read` places
the jobs in their order, and the result may end later.
"""

from collections.abc import Mapping

import numpy as np

from ...formulations.constraints import ConstraintModel
from ...formulations.files.names import label
from ...formulations.makespan.fractional import cumulative_question
from ...formulations.makespan.rings import refuses
from ...instances import Limits, MakespanInstance, Schedule
from .rounding import best_of_lists

__all__ = ["question", "read", "refuses"]


def question(instance: MakespanInstance, horizon: int) -> ConstraintModel:
    """State whether the jobs fit into the pool before slot `horizon`."""
    names = [label(job.name) for job in instance.jobs]
    return cumulative_question(instance, horizon).model(names)


def read(instance: MakespanInstance, values: Mapping[str, int]) -> Schedule:
    """Return the best schedule that places jobs in the order of their starts."""
    starts = np.array([float(values[f"start[{label(job.name)}]"]) for job in instance.jobs])
    schedule = best_of_lists(instance, Limits(), "pool", [starts]).schedule
    assert isinstance(schedule, Schedule)
    return schedule
