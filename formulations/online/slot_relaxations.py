"""One job in one slot: both of its programs in one, and a stronger relaxation by whole corners."""

from dataclasses import replace
from fractions import Fraction
from math import ceil, floor
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array, hstack

from ...simulation.model import Ints
from ..program import Floats, Matrix
from .slot_program import SlotData, twin


def either(data: SlotData, inside_workers: float) -> Matrix:
    """Return the program of a job with two demands: the data's across machines, one inside.

    Source: PD-ORS (online scheduling and placement of parameter-server training jobs), the cheaper
    of its two cases. Ringyard joins them.

    Inside a machine fewer workers do the same work, so there are two demands: W across machines,
    and W' inside one, with S' servers.

    Data: as in `slot_program`, W and W' for the same samples.

    Variables
        workers[h], servers[h] in {0, 1, ..}: across machines
        inside[h] in {0, 1}: the job is on machine h alone

    Objective
        cost: minimise sum_h c^w_h workers[h] + c^s_h servers[h] + (c^w_h W' + c^s_h S') inside[h]

    Constraints
        cover_workers: sum_h workers[h] + W inside[h] >= W
        cover_servers: sum_h servers[h] + (W / gamma) inside[h] >= W / gamma
        capacity[h, r]: alpha^r workers[h] + beta^r servers[h] + (alpha^r W' + beta^r S') inside[h]
            <= C_h^r
        batch: sum_h workers[h] + F inside[h] <= F
    """
    across, machines = twin(data), len(data.worker_cost)
    servers = ceil(inside_workers / data.workers_per_server)
    needed = np.flatnonzero(data.worker + data.server)
    taken = (inside_workers * data.worker + servers * data.server)[needed]
    more = np.zeros((len(across.rows), machines))
    more[0], more[1], more[-1] = across.row_lower[0], across.row_lower[1], data.most_workers
    for h in range(machines):
        start = 2 + h * len(needed)
        more[start : start + len(needed), h] = taken
    prices = inside_workers * data.worker_cost + servers * data.server_cost
    return replace(
        across,
        columns=(*across.columns, *(f"inside[{h}]" for h in range(machines))),
        cost=np.concatenate([across.cost, prices]),
        lower=np.append(across.lower, np.zeros(machines)),
        upper=np.append(across.upper, np.ones(machines)),
        integer=np.ones(3 * machines, dtype=np.bool_),
        a=csr_array(hstack([across.a, csr_array(more)])),
    )


class WholeCorner(NamedTuple):
    """Workers and servers of a machine at a corner of the hull of its whole points."""

    workers: int
    servers: int


def whole_corners(data: SlotData, machine: int) -> list[WholeCorner]:
    """Return the corners of the hull of a machine's contents, by workers, without (0, 0).

    Some server needs something that is limited, else there would be no end of them.
    """
    columns = data.capacity[machine].tolist(), data.worker.tolist(), data.server.tolist()
    rows = [tuple(map(Fraction, row)) for row in zip(*columns, strict=True)]
    alone = (room / worker for room, worker, _ in rows if worker)
    most = min(floor(data.most_workers), *map(floor, alone))
    tops: list[WholeCorner] = []
    for workers in range(most + 1):
        left = ((room - workers * need) / server for room, need, server in rows if server)
        new = WholeCorner(workers, min(map(floor, left)))
        while len(tops) > 1 and _turns_up(tops[-2], tops[-1], new):
            tops.pop()
        tops.append(new)
    # Straight down to the axis from the last.
    ends = [*tops, WholeCorner(most, 0)]
    return [one for one in dict.fromkeys(ends) if any(one)]


def _turns_up(first: WholeCorner, second: WholeCorner, third: WholeCorner) -> bool:
    """Return True if the second point is on the line of the other points, or below it."""
    run, rise = second.workers - first.workers, second.servers - first.servers
    return run * (third.servers - first.servers) >= rise * (third.workers - first.workers)


class SlotCorners(NamedTuple):
    """The corners of all machines, in their order."""

    machine: Ints
    workers: Floats
    servers: Floats

    def held(self, parts: Floats, machines: int) -> Floats:
        """Return the workers on all machines, then the servers, of a point of `hulls`."""
        both = (self.workers * parts, self.servers * parts)
        return np.concatenate([np.bincount(self.machine, one, machines) for one in both])


def corners_of(data: SlotData) -> SlotCorners:
    """Return the corners of all machines."""
    own = [whole_corners(data, h) for h in range(len(data.worker_cost))]
    machine = np.repeat(np.arange(len(own)), [len(corners) for corners in own])
    workers = np.array([one.workers for corners in own for one in corners], dtype=float)
    servers = np.array([one.servers for corners in own for one in corners], dtype=float)
    return SlotCorners(machine, workers, servers)


def hulls(data: SlotData) -> Matrix:
    """Return the matrix of the relaxation.

    Source: Dantzig and Wolfe 1960, for the program of `slot_program`.

    The contents of one machine are replaced by the least polygon with the same whole points,
    written by its corners. A point that is whole on every machine but two therefore has a smaller
    gap.

    Data: as in `slot_program`, and corners k of machine h, with w_hk workers and s_hk servers.

    Variables
        part[h, k] >= 0: machine h stands at corner k, counted over all machines

    Objective
        cost: minimise sum_(h,k) (c^w_h w_hk + c^s_h s_hk) part[h, k]

    Constraints
        cover_workers: sum_(h,k) w_hk part[h, k] >= W
        cover_servers: sum_(h,k) s_hk part[h, k] >= W / gamma
        machine[h]: sum_k part[h, k] <= 1, where the corner without contents is left out
        batch: sum_(h,k) w_hk part[h, k] <= F

    The walk of `policies/online/walk.py` solves the same problem with other polygons. Corners here
    are found exactly by trying every number of workers, in fractions.
    """
    machine, workers, servers = corners_of(data)
    machines, count = len(data.worker_cost), len(machine)
    on = (machine[None, :] == np.arange(machines)[:, None]).astype(float)
    rows = np.vstack([workers, servers, on, workers])
    covers = [data.least_workers, data.least_workers / data.workers_per_server]
    return Matrix(
        columns=tuple(f"part[{h},{k}]" for k, h in enumerate(machine.tolist())),
        rows=(
            "cover_workers",
            "cover_servers",
            *(f"machine[{h}]" for h in range(machines)),
            "batch",
        ),
        cost=data.worker_cost[machine] * workers + data.server_cost[machine] * servers,
        lower=np.zeros(count),
        upper=np.full(count, np.inf),
        integer=np.zeros(count, dtype=np.bool_),
        a=csr_array(rows),
        row_lower=np.concatenate([covers, np.full(machines + 1, -np.inf)]),
        row_upper=np.concatenate([[np.inf, np.inf], np.ones(machines), [data.most_workers]]),
    )
