"""Linear programs whose fractions are rounded: shares of jobs on machines, and starts in time."""

from math import ceil
from typing import NamedTuple

import numpy as np
from scipy.sparse import coo_array, csr_array

from ...instances import MakespanInstance
from ...simulation.makespan.evaluate import extremes
from ...simulation.model import Ints
from ..adapters.cumulative import CumulativeQuestion
from ..program import Floats, Matrix
from .data import data_of


def assignment_program(units: Ints, most: Ints, work: Floats) -> Matrix:
    """Return the program, without a column if `most` is 0.

    Sources: J. K. Lenstra, D. B. Shmoys and E. Tardos, Approximation algorithms for scheduling
    unrelated parallel machines, Mathematical Programming 46, 1990; rings over several machines are
    Ringyard's.

    Data: u_j units of job j, 1 unless it is a ring over several machines. n_jm is the most of them
    that machine m accepts, and c_jm the load of each.

    Variables
        share[j, m] in [0, n_jm]: units of j on m
        largest_load >= 0

    Objective
        minimise largest_load

    Constraints
        every_job[j]: sum_m share[j, m] = u_j
        loads[m]: sum_j c_jm share[j, m] <= largest_load

    Size: |J| |M| + 1 variables, |J| + |M| rows.
    """
    jobs, machines = most.shape
    job, machine = np.nonzero(most)
    pairs = np.arange(job.size)
    loads = jobs + np.arange(machines)
    rows = np.concatenate([job, jobs + machine, loads])
    columns = np.concatenate([pairs, pairs, np.full(machines, job.size)])
    values = np.concatenate([np.ones(job.size), work[job, machine], -np.ones(machines)])
    a = coo_array((values, (rows, columns)), shape=(jobs + machines, job.size + 1))
    return Matrix(
        columns=(
            *(f"share[{j},{m}]" for j, m in zip(job.tolist(), machine.tolist(), strict=True)),
            "largest_load",
        ),
        rows=(
            *(f"every_job[{j}]" for j in range(jobs)),
            *(f"loads[{m}]" for m in range(machines)),
        ),
        cost=np.eye(1, job.size + 1, job.size)[0],
        lower=np.zeros(job.size + 1),
        upper=np.append(most[job, machine].astype(float), np.inf),
        integer=np.zeros(job.size + 1, dtype=np.bool_),
        a=csr_array(a),
        row_lower=np.concatenate([units.astype(float), np.full(machines, -np.inf)]),
        row_upper=np.concatenate([units.astype(float), np.zeros(machines)]),
    )


def shares_of(most: Ints, point: Floats) -> Floats:
    """Return the shares of a point of the program."""
    found = np.zeros(most.shape)
    found[np.nonzero(most)] = point[:-1]
    return found


class PooledStarts(NamedTuple):
    """The program, and the job and slot of each column `start`, which come first."""

    matrix: Matrix
    job: Ints
    slot: Ints
    shape: tuple[int, int]
    """Jobs and slots."""

    def shares(self, point: Floats) -> Floats:
        """Return the share of each job that starts in each slot."""
        found = np.zeros(self.shape)
        found[self.job, self.slot] = point[: self.job.size]
        return found


def pooled_starts(
    gpus: Ints, durations: Ints, releases: Ints, pool: int, horizon: int
) -> PooledStarts:
    """Return the program for jobs on a pool of GPUs, with all ends by `horizon`.

    GPUs of `occupancy` move freely from slot to slot, so that one row for all GPUs replaces its
    rows by server. Only the starts of its relaxation remain. Rows about neighbouring slots keep the
    matrix sparse.

    Data: w_j GPUs, d_j duration and r_j release of job j, both in whole slots, N GPUs, H slots.

    Variables
        start[j, t] in [0, 1]: the share of j that starts in slot t, for r_j <= t <= H - d_j
        busy[t] in [0, N]: GPUs that work in slot t

    Objective
        minimise sum_(j, t) w_j^2 t start[j, t]: wide jobs early, because they are the hardest to
            place

    Constraints
        every_job_once[j]: sum_t start[j, t] = 1
        changes[t]: busy[t] = busy[t - 1] + sum_j w_j (start[j, t] - start[j, t - d_j])

    Size: less than (|J| + 1) H variables, |J| + H rows, less than (3 |J| + 2) H entries.

    Every job must have room there: its release and its duration together are at most `horizon`.
    """
    jobs, choices = gpus.size, horizon - durations - releases + 1
    job = np.repeat(np.arange(jobs), choices)
    slot = np.concatenate(
        [np.arange(r, h) for r, h in zip(releases, releases + choices, strict=True)]
    )
    columns = job.size + horizon
    end, busy, start = slot + durations[job], job.size + np.arange(horizon), np.arange(job.size)
    ends = end < horizon
    entries = [
        (job, start, np.ones(job.size)),
        (jobs + slot, start, gpus[job]),
        (jobs + end[ends], start[ends], -gpus[job[ends]]),
        (jobs + np.arange(horizon), busy, -np.ones(horizon)),
        (jobs + np.arange(1, horizon), busy[:-1], np.ones(horizon - 1)),
    ]
    rows, places, values = (np.concatenate(part) for part in zip(*entries, strict=True))
    a = coo_array((values.astype(float), (rows, places)), shape=(jobs + horizon, columns))
    bounds = np.repeat([1.0, 0.0], [jobs, horizon])
    matrix = Matrix(
        columns=(
            *(f"start[{j},{t}]" for j, t in zip(job.tolist(), slot.tolist(), strict=True)),
            *(f"busy[{t}]" for t in range(horizon)),
        ),
        rows=(
            *(f"every_job_once[{j}]" for j in range(jobs)),
            *(f"changes[{t}]" for t in range(horizon)),
        ),
        cost=np.concatenate([(gpus[job] ** 2 * slot).astype(float), np.zeros(horizon)]),
        lower=np.zeros(columns),
        upper=np.repeat([1.0, float(pool)], [job.size, horizon]),
        integer=np.zeros(columns, dtype=np.bool_),
        a=csr_array(a),
        row_lower=bounds,
        row_upper=bounds,
    )
    return PooledStarts(matrix, job, slot, (jobs, horizon))


def pooled_starts_of(instance: MakespanInstance, horizon: int) -> Matrix:
    """Return the program of an instance, with the fewest slots that each job needs anywhere."""
    least = [ceil(one.least_slots or 0) for one in extremes(instance)]
    return pooled_starts(
        np.array([job.gpus for job in instance.jobs]),
        np.array(least),
        np.array([ceil(job.release_slot) for job in instance.jobs]),
        sum(server.gpus for server in instance.cluster.servers),
        horizon,
    ).matrix


def cumulative_question(instance: MakespanInstance, end: int) -> CumulativeQuestion:
    """Return the question of an instance: does the relaxation without servers end by a slot?"""
    data = data_of(instance, end)
    tasks = data.tasks.values()
    return CumulativeQuestion(
        tuple(task.gpus for task in tasks),
        tuple(task.least for task in tasks),
        tuple(task.release for task in tasks),
        sum(data.sizes.values()),
        end,
    )
