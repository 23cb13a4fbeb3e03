"""Jobs whose speed depends on how many workers and parameter servers they have.

Source: SMD (its speed models of synchronous and asynchronous training). Times are in milliseconds,
sizes in megabytes. Resources come in the same order everywhere.

Problems drawn from a seed: the ranges of beta_1 and beta_2 are from SMD, and epochs, sizes, demands
and utilities from OASiS. Ringyard chose the other ranges so that the fewest milliseconds often need
less than the reservation. Only `random.Random.random` is used, so a seed names the same problem
everywhere.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from math import ceil, isfinite
from random import Random

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_array

from ...instances import Deadline, Sigmoid
from ...instances.draw import between, exact, whole
from ...instances.errors import Problem, raise_any
from ..program import Floats, Matrix

TOLERANCE = 1e-9
"""An amount fits if it exceeds the capacity by no more than this part of it."""

POSITIVE = ("epochs", "samples", "forward_ms", "size_mb", "bandwidth_mb_ms", "concurrency")
AMOUNTS = ("backward_ms", "worker_ms", "server_ms")
LISTS = ("factors", "worker", "server", "reserved")


@dataclass(frozen=True, slots=True, kw_only=True)
class SmdJob:
    """A job that may have any workers and servers, at least one of each, within its reservation.

    Raises:
        InputError: If a number cannot be, or not even one worker and one server fit.
    """

    name: str
    synchronous: bool
    epochs: float
    """Number of repetitions of the step below (E)."""
    samples: float
    """Of a step: K, shared by the workers, if synchronous, else m of each worker."""
    forward_ms: float
    """Of a sample (t_f)."""
    backward_ms: float
    """Of a step (t_b)."""
    size_mb: float
    """Of the parameters, shared by the servers (g)."""
    bandwidth_mb_ms: float
    """Of a server, shared by the workers (B)."""
    worker_ms: float
    """Milliseconds that each worker adds to a step (beta_1)."""
    server_ms: float
    """Milliseconds that each server adds to a step (beta_2)."""
    factors: tuple[float, ...] = (1.0, 1.0, 1.0)
    """Of forward pass, backward pass and exchange (eta_1, eta_2, eta_3)."""
    concurrency: float = 1.0
    """The part of the workers that exchange at one time (alpha), 1 if synchronous."""
    worker: tuple[float, ...]
    """Demand of a worker for each resource (O_r)."""
    server: tuple[float, ...]
    """Demand of a server for each resource (G_r)."""
    reserved: tuple[float, ...]
    """Amounts that the job may use, and holds once it is admitted (v_r)."""
    utility: Sigmoid | Deadline

    def __post_init__(self) -> None:
        """Reject an invalid job."""
        raise_any(f"job {self.name}", list(self._numbers()) or list(self._sense()))

    def step_ms(self, workers: ArrayLike, servers: ArrayLike) -> Floats:
        """Return the time of a step, or a step of one worker for asynchronous jobs."""
        w, p = np.asarray(workers, dtype=float), np.asarray(servers, dtype=float)
        forward, backward, exchange = self.factors
        samples = self.samples / w if self.synchronous else self.samples
        transfer_ms = self.concurrency * (self.size_mb / p) / (self.bandwidth_mb_ms / w)
        compute_ms = forward * samples * self.forward_ms + backward * self.backward_ms
        overhead_ms = self.worker_ms * w + self.server_ms * p
        return np.asarray(compute_ms + 2 * exchange * transfer_ms + overhead_ms)

    def time_ms(self, workers: ArrayLike, servers: ArrayLike) -> Floats:
        """Return how long the job takes: E / f(p, w)."""
        steps = self.epochs if self.synchronous else self.epochs / np.asarray(workers, dtype=float)
        return np.asarray(steps * self.step_ms(workers, servers))

    def fits(self, workers: ArrayLike, servers: ArrayLike) -> bool:
        """Return True if the reservation is enough for the given workers and servers."""
        used = np.multiply(workers, self.worker) + np.multiply(servers, self.server)
        return bool((used <= np.asarray(self.reserved) * (1 + TOLERANCE)).all())

    def worth(self, time_ms: float, slot_ms: float) -> float:
        """Return the utility if it takes so long, begun slots counted."""
        return float(self.utility.at(ceil(time_ms / slot_ms * (1 - TOLERANCE))))

    def _numbers(self) -> Iterator[Problem]:
        for name in POSITIVE:
            yield from _positive(name, getattr(self, name))
        for name in AMOUNTS:
            yield from _amount(name, getattr(self, name))
        for name in LISTS:
            for i, value in enumerate(getattr(self, name)):
                yield from _amount(f"{name}[{i}]", value)
        expected, advice = f"{len(self.worker)} numbers", "give an amount of every resource"
        for name in ("server", "reserved"):
            count = len(getattr(self, name))
            if count != len(self.worker):
                yield Problem(name, count, expected, advice)
        if len(self.factors) != 3:
            advice = "give the times of forward pass, backward pass and exchange"
            yield Problem("factors", len(self.factors), "3 numbers", advice)

    def _sense(self) -> Iterator[Problem]:
        for i in (0, 2):
            yield from _positive(f"factors[{i}]", self.factors[i])
        for name in ("worker", "server"):
            if not any(getattr(self, name)):
                yield Problem(name, 0, "a need of some resource", "without one there is no limit")
        if not self.fits(1, 1):
            expected = "enough for one worker and one server"
            yield Problem("reserved", list(self.reserved), expected, "raise it")
        if self.synchronous and self.concurrency != 1:
            advice = "all workers exchange together, so leave it out"
            yield Problem("concurrency", self.concurrency, "1 if synchronous", advice)


@dataclass(frozen=True, slots=True, kw_only=True)
class SmdProblem:
    """The admission of jobs that hold their reservations.

    Raises:
        InputError: If a job has other resources, or a number cannot be.
    """

    jobs: tuple[SmdJob, ...]
    capacity: tuple[float, ...]
    """Capacity of each resource (C_r)."""
    slot_ms: float
    """The unit of time of utilities."""

    def __post_init__(self) -> None:
        """Reject an invalid problem."""
        problems = list(_positive("slot_ms", self.slot_ms))
        for i, amount in enumerate(self.capacity):
            problems += _amount(f"capacity[{i}]", amount)
        for i, job in enumerate(self.jobs):
            if len(job.reserved) != len(self.capacity):
                expected = f"{len(self.capacity)} resources, like the capacity"
                advice = "give an amount of every resource"
                problems.append(Problem(f"jobs[{i}]", len(job.reserved), expected, advice))
        if not self.jobs:
            problems.append(Problem("jobs", [], "at least one job", "add one"))
        raise_any("problem", problems)


def _positive(name: str, value: float) -> Iterator[Problem]:
    if not (isfinite(value) and value > 0):
        yield Problem(name, value, "a number above 0", "correct it")


def _amount(name: str, value: float) -> Iterator[Problem]:
    if not (isfinite(value) and value >= 0):
        yield Problem(name, value, "a number of 0 or more", "correct it")


ROOM = 0.4
"""The usual part of all that is reserved for which there is capacity."""


def draw_problem(seed: int, jobs: int = 50, most: int = 40, room: float = ROOM) -> SmdProblem:
    """Return the problem of a seed: GPUs, cores, memory and disk.

    Jobs reserve for up to `most` workers and servers, and there is capacity for a part `room` of
    it.
    """
    rng = Random(seed)
    drawn = tuple(draw_job(rng, f"j{i}", most) for i in range(jobs))
    sums = [sum(amounts) for amounts in zip(*(job.reserved for job in drawn), strict=True)]
    return SmdProblem(jobs=drawn, capacity=tuple(room * s for s in sums), slot_ms=3000.0)


def draw_job(rng: Random, name: str, most: int) -> SmdJob:
    """Draw a job that reserves for up to `most` workers and as many servers."""
    synchronous = rng.random() < 0.5
    worker, server = (float(whole(rng, 0, 4)), *_demand(rng)), (0.0, *_demand(rng))
    workers, servers = whole(rng, 2, most), whole(rng, 2, most)
    return SmdJob(
        name=name,
        synchronous=synchronous,
        epochs=whole(rng, 50, 200),
        samples=whole(rng, 10, 100),
        forward_ms=between(rng, 1, 50),
        backward_ms=between(rng, 1, 50),
        size_mb=between(rng, 30, 575),
        bandwidth_mb_ms=between(rng, 1, 20),
        worker_ms=between(rng, 3, 4),
        server_ms=between(rng, 0, Decimal("0.01")),
        concurrency=1.0 if synchronous else between(rng, Decimal("0.1"), 1),
        worker=worker,
        server=server,
        reserved=tuple(workers * a + servers * b for a, b in zip(worker, server, strict=True)),
        utility=_utility(rng),
    )


def _demand(rng: Random) -> tuple[float, float, float]:
    """Draw cores, gigabytes of memory and gigabytes of disk."""
    return (float(whole(rng, 1, 10)), float(whole(rng, 2, 32)), float(whole(rng, 5, 10)))


def _utility(rng: Random) -> Sigmoid:
    """Draw a utility that is flat (one in ten), gentle or steep (one in three)."""
    kind = rng.random()
    steepness = 0.0 if kind < 0.1 else between(rng, Decimal("0.01"), 1)
    return Sigmoid(
        value=exact(between(rng, 1, 100), 2),
        steepness=exact(between(rng, 4, 6) if kind > 0.65 else steepness, 3),
        midpoint_slots=exact(between(rng, 1, 15), 2),
    )


def admission_program(problem: SmdProblem, utilities: Sequence[float]) -> Matrix:
    """Return the matrix of the program for given utilities.

    Source: SMD, its program over all jobs, once each job's time is known.

    Columns
        admitted[i] in {0, 1}: job i runs
    Objective
        maximise sum_i u_i admitted[i], stated as a least cost
    Rows
        capacity[r]: sum_i v_ir admitted[i] <= C_r
    """
    count = len(problem.jobs)
    return Matrix(
        columns=tuple(f"admitted[{job.name}]" for job in problem.jobs),
        rows=tuple(f"capacity[{r}]" for r in range(len(problem.capacity))),
        cost=-np.asarray(utilities, dtype=float),
        lower=np.zeros(count),
        upper=np.ones(count),
        integer=np.ones(count, dtype=np.bool_),
        a=csr_array(np.array([job.reserved for job in problem.jobs]).T),
        row_lower=np.full(len(problem.capacity), -np.inf),
        row_upper=np.asarray(problem.capacity, dtype=float),
    )


def has_room(problem: SmdProblem, admitted: Floats) -> bool:
    """Return True if the capacity is enough for the jobs admitted."""
    used = np.asarray(admitted, dtype=float) @ np.array([job.reserved for job in problem.jobs])
    return bool((used <= np.asarray(problem.capacity) * (1 + TOLERANCE)).all())
