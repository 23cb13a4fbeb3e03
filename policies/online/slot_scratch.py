"""A job that asks for a plan, how its plans become whole, and space to work on them."""

from typing import NamedTuple

import numpy as np

from ...simulation.jit import kernel
from ...simulation.model import Floats, Ints, Records
from ...simulation.records import record
from .polygons import new_polygons
from .rng import Words
from .walk_state import WalkScratch, new_walk

ACROSS, NOWHERE = -1, -2
"""In place of a machine: the plan goes across machines, or there is none."""

CLOSE = 1e-9
"""Numbers that are nearer than this to a whole one are meant to be it."""


class JobDemand(NamedTuple):
    """A job that asks; its work comes in `quanta` equal parts."""

    worker: Floats
    server: Floats
    gamma: float
    top: int
    bottom: int
    """Whole numbers: `bottom` parameter servers are due to `top` workers."""
    batch: int
    quanta: int
    inside: Ints
    """Workers on one machine that do 0, 1, .. quanta in a slot."""
    outside: Ints
    """The same across machines."""
    arrival: int
    worth: Floats
    """Utility by slots from the arrival."""


class Rounding(NamedTuple):
    """How a point of the relaxation becomes whole.

    It is multiplied by `gain` and rounded at random `tries` times, and the cheapest plan that
    fits is kept. With `repair` each try is made to fit. With `whole` the relaxation is the
    stronger one, over integer hulls.
    """

    gain: float
    tries: int
    repair: bool
    whole: bool


SLOT_COUNTS = record("touched workers_sorted servers_sorted")


class SlotScratch(NamedTuple):
    """Space for the plans of one slot; `walk` for the relaxation.

    `cost` and `where` are by quanta. The last plan made across machines stands in `workers` and
    `servers`, by machine; the first ``counts[0].touched`` of `touched` are those
    that have some. `by_worker` and `by_server` are sorted if `counts` says so.
    """

    walk: WalkScratch
    worker_cost: Floats
    server_cost: Floats
    most: Ints
    cost: Floats
    where: Ints
    machine: Ints
    x: Floats
    y: Floats
    workers: Ints
    servers: Ints
    try_workers: Ints
    try_servers: Ints
    touched: Ints
    counts: Records
    by_worker: Ints
    by_server: Ints
    heap: Ints
    rng: Words


class SlotTask(NamedTuple):
    """A job that asks, prices and room by slot, and space to work on its plans."""

    scratch: SlotScratch
    ask: JobDemand
    how: Rounding
    price: Floats
    free: Floats
    key: int
    """Of the job's random numbers; each slot and number of quanta has its own from there."""


def new_scratch(machines: int, corners: int, quanta: int, seed: int) -> SlotScratch:
    """Return arrays for machines, and the most corners of their polygons."""
    floats, whole = np.zeros((4, machines)), np.zeros((10, machines), np.int64)
    return SlotScratch(
        walk=new_walk(new_polygons(machines, corners)),
        worker_cost=floats[0],
        server_cost=floats[1],
        most=whole[0],
        cost=np.zeros(quanta + 1),
        where=np.zeros(quanta + 1, np.int64),
        machine=whole[1],
        x=floats[2],
        y=floats[3],
        workers=whole[2],
        servers=whole[3],
        try_workers=whole[4],
        try_servers=whole[5],
        touched=whole[6],
        counts=np.zeros(1, SLOT_COUNTS),
        by_worker=whole[7],
        by_server=whole[8],
        heap=whole[9],
        rng=np.array([1, seed], np.uint64),
    )


@kernel
def due(ask: JobDemand, workers: int) -> int:
    """Return how many parameter servers the given workers need."""
    return -(-workers * ask.bottom // ask.top)


@kernel
def fits(ask: JobDemand, free: Floats, workers: int, servers: int) -> bool:
    """Say whether a machine has room for them."""
    for r in range(free.size):
        if workers * ask.worker[r] + servers * ask.server[r] > free[r]:
            return False
    return True
