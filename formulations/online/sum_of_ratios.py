"""Numbers of workers and parameter servers for the fastest job: a sum of ratios.

Source: SMD, its program of a single job.

A job may use its reservation. More workers shorten the computing of a synchronous step and lengthen
the exchange. Each ratio alone is easy, their sum is not convex.

Data: A job has E steps. A worker needs O_r and a server G_r of resource r, and v_r is reserved.
`ratios` gives the weights theta from the speed f of `smd.py`.

Variables
    workers in {1, 2, ..}
    servers in {1, 2, ..}

Objective
    time_ms: minimise E / f, which for synchronous jobs is theta_1 workers + theta_2 servers
        + theta_3 + theta_4 workers / servers + theta_5 / workers, and for asynchronous ones
        theta_1 + theta_2 servers / workers + theta_3 / workers + theta_4 / servers

Constraints
    reserved[r]: O_r workers + G_r servers <= v_r, for resources that are needed

Size: 2 variables, at most |R| rows.

`quickest` needs no solver: with given workers, the time is convex in the servers.
"""

from decimal import Decimal
from typing import Any, NamedTuple

import numpy as np
import pyomo.environ as pyo

from ...instances import OnlineInstance, RefusedError, Sigmoid
from ..conic import Affine, ConicProgram, Held, conic_program
from ..program import Floats
from .smd import TOLERANCE, SmdJob

WORKERS, SERVERS, ONE = range(3)
MANY = 10_000_000
"""At most this many workers are tried one by one."""
QUANTITIES = ("workers", "servers", "1")


class Ratio(NamedTuple):
    """``weight * x[above] / x[below]``, where x is (workers, servers, 1)."""

    weight: float
    above: int
    below: int

    @property
    def name(self) -> str:
        """Return the ratio in words."""
        return f"{QUANTITIES[self.above]}/{QUANTITIES[self.below]}"


class Quickest(NamedTuple):
    """The fewest milliseconds, and the whole numbers that reach them."""

    time_ms: float
    workers: int
    servers: int


def ratios(job: SmdJob) -> tuple[float, tuple[Ratio, ...]]:
    """Return the constant of a job's time and its ratios, without ratios of weight 0."""
    forward, backward, exchange = job.factors
    compute_ms = forward * job.samples * job.forward_ms
    exchange_ms = 2 * exchange * job.concurrency * job.size_mb / job.bandwidth_mb_ms
    backward_ms = backward * job.backward_ms
    if job.synchronous:
        constant_ms = backward_ms
        parts = [
            Ratio(job.worker_ms, WORKERS, ONE),
            Ratio(job.server_ms, SERVERS, ONE),
            Ratio(exchange_ms, WORKERS, SERVERS),
            Ratio(compute_ms, ONE, WORKERS),
        ]
    else:
        constant_ms = job.worker_ms
        parts = [
            Ratio(job.server_ms, SERVERS, WORKERS),
            Ratio(compute_ms + backward_ms, ONE, WORKERS),
            Ratio(exchange_ms, ONE, SERVERS),
        ]
    scaled = (part._replace(weight=job.epochs * part.weight) for part in parts)
    return job.epochs * constant_ms, tuple(part for part in scaled if part.weight > 0)


def build(job: SmdJob) -> Any:
    """Return the program of a job."""
    model = pyo.ConcreteModel()
    model.workers = pyo.Var(domain=pyo.PositiveIntegers)
    model.servers = pyo.Var(domain=pyo.PositiveIntegers)
    x = (model.workers, model.servers, 1.0)
    constant_ms, parts = ratios(job)
    model.time_ms = pyo.Objective(
        expr=constant_ms + sum(part.weight * x[part.above] / x[part.below] for part in parts)
    )

    @model.Constraint(needed(job))
    def reserved(_: Any, r: int) -> Any:
        used = job.worker[r] * model.workers + job.server[r] * model.servers
        return used <= job.reserved[r]

    return model


def needed(job: SmdJob) -> list[int]:
    """Return the resources that a worker or a server uses."""
    return [r for r in range(len(job.worker)) if job.worker[r] + job.server[r] > 0]


def polygon(job: SmdJob) -> Floats:
    """Return rows a with ``a @ (workers, servers, 1) <= 0`` for all allowed real numbers."""
    packing = [(job.worker[r], job.server[r], -job.reserved[r]) for r in needed(job)]
    return np.array([*packing, (-1.0, 0.0, 1.0), (0.0, -1.0, 1.0)])


def level_row(ratio: Ratio, level: float) -> Floats:
    """Return the row, in the same sense, that keeps ``x[above] / x[below]`` at most a level."""
    row = np.zeros(3)
    row[ratio.above] = 1.0
    row[ratio.below] = -level
    return row


def quickest(job: SmdJob) -> Quickest:
    """Return the optimum: for every number of workers, the best number of servers.

    The time is convex in the servers, so one of the two whole numbers at its minimum is best, or
    as many as fit.
    """
    weights = {(part.above, part.below): part.weight for part in ratios(job)[1]}
    workers = np.arange(1, _most_workers(job) + 1, dtype=float)
    left = [_left(job, r, workers) for r in range(len(job.server)) if job.server[r] > 0]
    most = np.min(left, axis=0)
    gain = weights[WORKERS, SERVERS] * workers if job.synchronous else weights[ONE, SERVERS]
    loss = weights.get((SERVERS, ONE), 0.0) + weights.get((SERVERS, WORKERS), 0.0) / workers
    with np.errstate(divide="ignore"):
        best = np.floor(np.sqrt(gain / loss))
    pairs = np.array([np.clip(best, 1, most), np.clip(best + 1, 1, most)])
    times = job.time_ms(workers, pairs)
    row, at = np.unravel_index(np.argmin(times), times.shape)
    return Quickest(float(times[row, at]), int(workers[at]), int(pairs[row, at]))


def _most_workers(job: SmdJob) -> int:
    """Return the number of workers that fit together with one server."""
    rooms = zip(job.worker, job.server, job.reserved, strict=True)
    most = min((room * (1 + TOLERANCE) - b) / a for a, b, room in rooms if a > 0)
    if most > MANY:
        raise RefusedError(f"{job.name} reserves for {most:.3g} workers, reserve less")
    return max(1, int(most))


def _left(job: SmdJob, r: int, workers: Floats) -> Floats:
    room = job.reserved[r] * (1 + TOLERANCE) - job.worker[r] * workers
    return np.maximum(1.0, np.floor(room / job.server[r]))


LOGS = ("ln_workers", "ln_servers", None)
AMOUNTS = ("workers", "servers")

WORKER_MS, SERVER_MS = 3.5, 0.005
"""Milliseconds that a worker and a server add to a step: the middles of SMD's ranges."""


ANY_UTILITY = Sigmoid(value=Decimal(1), steepness=Decimal(0), midpoint_slots=Decimal(0))
"""The quickest step does not depend on a job's worth."""


def ratio_cones(job: SmdJob) -> ConicProgram:
    """Return the conic program of a job, whose value is milliseconds, as in `sum_of_ratios`.

    Source: SMD, its program of a single job, without integers, and geometric programming (Duffin,
    Peterson and Zener 1967). With y = ln workers and s = ln servers every ratio is an exponential.

    Columns y, s >= 0, workers >= exp(y), servers >= exp(s), ratio[k] >= exp(above - below).

        time       minimise the constant and the weights times ratio[k]
        reserved   O_r / v_r workers + G_r / v_r servers <= 1
    """
    constant_ms, parts = ratios(job)
    cost = dict.fromkeys([*LOGS[:2], *AMOUNTS], 0.0)
    held = [Held("at_least_one", "positive", tuple(Affine({log: 1.0}) for log in LOGS[:2] if log))]
    for amount, log in zip(AMOUNTS, LOGS, strict=False):
        assert log is not None
        held.append(_exponential(amount, amount, {log: 1.0}))
    for k, part in enumerate(parts):
        cost[f"ratio[{k}]"] = part.weight
        pair = ((LOGS[part.above], 1.0), (LOGS[part.below], -1.0))
        held.append(_exponential(part.name, f"ratio[{k}]", {log: x for log, x in pair if log}))
    for r in needed(job):
        room = job.reserved[r]
        used = {"workers": -job.worker[r] / room, "servers": -job.server[r] / room}
        held.append(Held(f"reserved[{r}]", "positive", (Affine(used, 1.0),)))
    return conic_program(cost, held, constant_ms)


def _exponential(name: str, column: str, power: dict[str, float]) -> Held:
    """Return that a column is at least an exponential."""
    parts = Affine({column: 1.0}), Affine({}, 1.0), Affine(power)
    return Held(f"exp[{name}]", "exponential", parts)


def job_of(instance: OnlineInstance, number: int) -> SmdJob:
    """Return a job of an instance as SMD has them: in one machine, which is all reserved for it.

    The machine has the same number, or the next with room for a worker and a server. One
    synchronous step is used, with the job's batch, computing time, parameters and bandwidth inside
    a machine. SMD gives the additional time for workers and servers.
    """
    job, machines = instance.jobs[number], instance.machines
    worker, server = dict(job.worker), dict(job.server)
    order = [machines[(number + k) % len(machines)] for k in range(len(machines))]
    rooms = (
        [dict(machine.capacity).get(r, 0) for r in instance.resources]
        for machine in order
        if all(
            worker.get(r, 0) + server.get(r, 0) <= dict(machine.capacity).get(r, 0)
            for r in instance.resources
        )
    )
    return SmdJob(
        name=job.name,
        synchronous=True,
        epochs=1.0,
        samples=float(job.batch_samples),
        forward_ms=1000 * float(job.sample_s),
        backward_ms=0.0,
        size_mb=1000 * float(job.gradient_gb),
        bandwidth_mb_ms=float(job.internal_gb_s),
        worker_ms=WORKER_MS,
        server_ms=SERVER_MS,
        worker=tuple(float(worker.get(r, 0)) for r in instance.resources),
        server=tuple(float(server.get(r, 0)) for r in instance.resources),
        reserved=tuple(map(float, next(rooms))),
        utility=ANY_UTILITY,
    )


def ratio_cones_of(instance: OnlineInstance, number: int) -> ConicProgram:
    """Return the program of one of the jobs of an instance."""
    return ratio_cones(job_of(instance, number))
