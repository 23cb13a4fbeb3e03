"""A plan of widths as arrays: what the jobs of each type get, stage by stage."""

from typing import NamedTuple

import numpy as np

from ...instances import RentalPlan, TypePlan
from ..model import Floats, Ints
from .speeds import rate
from .stream import MILLI, JobStream


class Standing(NamedTuple):
    """By type and choice: how many jobs get it, and the stages of their work."""

    shares: Floats
    """Parts of jobs that get this choice or one before it."""
    stages: Ints
    """How many stages there are; the arrays below have them as a third axis."""
    epoch: Ints
    milli: Ints
    rate: Ints
    left: Floats
    """The part of the epoch's work that is left after the stage."""


def standing_of(stream: JobStream, plan: RentalPlan) -> Standing:
    """Return a plan as arrays, its widths rounded down to thousandths of a GPU.

    There is room for two choices at least, so that a revised plan may have as many as the first;
    those that are not needed are like the last.
    """
    named = {one.type: one for one in plan.types}
    plans = [named[one.name] for one in stream.types]
    choices = max(2, *(len(one.choices) for one in plans))
    most = max(len(choice.stretches) for one in plans for choice in one.choices)
    shape = (len(plans), choices, most)
    standing = Standing(
        shares=np.ones(shape[:2]),
        stages=np.ones(shape[:2], np.int64),
        epoch=np.zeros(shape, np.int64),
        milli=np.ones(shape, np.int64),
        rate=np.ones(shape, np.int64),
        left=np.zeros(shape),
    )
    for number, one in enumerate(plans):
        _fill(standing, stream, number, one)
    return standing


def _fill(standing: Standing, stream: JobStream, number: int, plan: TypePlan) -> None:
    """Write the plan of a type."""
    epochs = stream.types[number].epochs
    shares = np.cumsum([float(choice.share) for choice in plan.choices])
    standing.shares[number, : len(shares) - 1] = shares[:-1]
    spare = standing.shares.shape[1] - len(plan.choices)
    for c, choice in enumerate([*plan.choices, *[plan.choices[-1]] * spare]):
        standing.stages[number, c] = len(choice.stretches)
        done = [0.0] * len(epochs)
        for s, stretch in enumerate(choice.stretches):
            place, milli = (number, c, s), int(stretch.gpus * MILLI)
            done[stretch.epoch] += float(stretch.part)
            standing.epoch[place] = stretch.epoch
            standing.milli[place] = milli
            standing.rate[place] = rate(epochs[stretch.epoch].speedup, milli)
            last = s + 1 == len(choice.stretches) or choice.stretches[s + 1].epoch > stretch.epoch
            standing.left[place] = 0.0 if last else max(0.0, 1 - done[stretch.epoch])
