"""Programs of the corpus that no formulation is: relaxations that bounds solve, programs of a slot.

Numbers come from the instance by sums and products only, so that they are the same everywhere.
"""

from collections.abc import Callable
from fractions import Fraction
from math import ceil
from random import Random
from typing import Any

import numpy as np

from ...instances import (
    MakespanInstance,
    OnlineInstance,
    ReservedInstance,
)
from ...simulation.makespan.extremes import extremes
from ...simulation.online.model import online_model
from ...simulation.reserved.model import most_at_once, reserved_model
from ..conic import ConicProgram
from ..makespan.bounds.column_generation import last_configurations
from ..makespan.bounds.server_bound import last_servers
from ..makespan.parts.pooled_starts import pooled_starts
from ..matrix import matrix_of
from ..online.ratio_cones import job_of, ratio_cones
from ..online.slot_data import SlotData
from ..online.slot_twin import twin as slot_twin
from ..program import Matrix
from ..rental.cones import cones
from ..reserved.gadget_slot import build as build_ring_slot
from ..reserved.slot_master import RingSlotData, ask_of
from ..trace.busy_times import interval_starts
from ..trace.busy_times import twin as busy_twin
from ..transfers.counting import counting
from ..transfers.ways import all_ways


def _pooled(instance: MakespanInstance, horizon: int) -> Matrix:
    least = [ceil(one.least_slots or 0) for one in extremes(instance)]
    return pooled_starts(
        np.array([job.gpus for job in instance.jobs]),
        np.array(least),
        np.array([ceil(job.release_slot) for job in instance.jobs]),
        sum(server.gpus for server in instance.cluster.servers),
        horizon,
    ).matrix


def drawn_slot(instance: OnlineInstance, number: int) -> SlotData:
    """Return a slot of one job, across machines that are taken up to four fifths at random.

    What is left is counted in whole hundredths of a machine's capacity, rounded down; a machine's
    prices rise with the square of what is taken.
    """
    model, job, rng = online_model(instance), instance.jobs[number], Random(number)
    worker, server = model.worker[number], model.server[number]
    taken = [int(81 * rng.random()) for _ in instance.machines]
    prices = [(100 + hundredths * hundredths) / 10_000 for hundredths in taken]
    capacity = np.array(
        [
            np.floor(row * (100 - part) / 100)
            for row, part in zip(model.capacity, taken, strict=True)
        ]
    )
    whole = [sum(capacity[:, r].tolist()) or 1.0 for r in range(len(worker))]
    parts = [
        sum(need / total for need, total in zip(needs.tolist(), whole, strict=True))
        for needs in (worker, server)
    ]
    return SlotData(
        worker_cost=np.array([1_000 * price * parts[0] for price in prices]),
        server_cost=np.array([1_000 * price * parts[1] for price in prices]),
        capacity=capacity,
        worker=worker,
        server=server,
        workers_per_server=float(job.workers_per_server),
        least_workers=float(ceil(job.batch_samples / 4)),
        most_workers=float(job.batch_samples),
    )


def _ring_slot(instance: ReservedInstance, rings: int) -> Matrix:
    """Return GADGET's program of the first slot, as if so many rings had arrived, idle so far."""
    most = most_at_once(instance)
    asks = [
        ask_of(i, [Fraction(instance.jobs[i].worth(count)) for count in range(most[i] + 1)])
        for i in range(rings)
    ]
    data = RingSlotData(model=reserved_model(instance), asks=tuple(a for a in asks if a.gains))
    return matrix_of(build_ring_slot(data))


CONIC: dict[str, Callable[[Any, int], ConicProgram]] = {
    "cones": lambda instance, _: cones(instance),
    "ratio-cones": lambda instance, number: ratio_cones(job_of(instance, number)),
}
"""Programs in cones, the same way."""

SPECIAL: dict[str, Callable[[Any, int], Matrix]] = {
    "pooled-starts": _pooled,
    "configurations": lambda instance, _: last_configurations(instance),
    "servers": lambda instance, _: last_servers(instance),
    "busy-times": lambda instance, count: busy_twin(instance, interval_starts(instance, count)),
    "counting": lambda instance, at: counting(instance, all_ways(instance), Fraction(at)).matrix,
    "slot": lambda instance, number: slot_twin(drawn_slot(instance, number)),
    "gadget-slot": _ring_slot,
}
"""By name: from an instance and the number of the recipe. The columns of `configurations` and
`servers` depend on the duals that HiGHS gives."""
