"""Programs as bare arrays: rows, columns and values in numpy, handed to HiGHS in one call."""

from typing import Any

import highspy
import numpy as np
from scipy.sparse import block_array, coo_array, csc_array, csr_array, eye_array, kron

Made = tuple[Any, Any, Any]
"""A matrix with the lower and upper bounds of its rows."""


def occupancy(data: Any) -> highspy.Highs:
    """State who starts when and has which GPUs."""
    jobs, servers, slots = len(data.gpus), len(data.sizes), data.slots
    slot = np.arange(slots)
    job, begin = np.nonzero(slot[None, :] <= slots - data.least[:, None])
    starts, places = len(job), jobs * servers * slots
    count = data.least[job]
    start = np.repeat(np.arange(starts), count)
    later = np.arange(len(start)) - np.repeat(np.cumsum(count) - count, count)
    at = job[start] * slots + begin[start] + later
    running = coo_array((-data.gpus[job[start]], (at, start)), shape=(jobs * slots, starts))
    once = coo_array((np.ones(starts), (job, np.arange(starts))), shape=(jobs, starts))
    ends = coo_array((begin + data.least[job], (job, np.arange(starts))), shape=(jobs, starts))
    held = kron(eye_array(jobs), kron(np.ones((1, servers)), eye_array(slots)))
    room = kron(np.ones((1, jobs)), eye_array(servers * slots))
    a = block_array(
        [
            [csr_array((jobs, 1)), once, None],
            [None, running, held],
            [None, None, room],
            [-np.ones((jobs, 1)), ends, None],
        ]
    )
    free = np.full(servers * slots, -np.inf)
    lower = (np.ones(jobs), np.zeros(jobs * slots), free, np.full(jobs, -np.inf))
    sizes = np.repeat(data.sizes, slots)
    upper = (np.ones(jobs), np.zeros(jobs * slots), sizes, np.zeros(jobs))
    most = np.repeat(np.minimum.outer(data.gpus, data.sizes).ravel(), slots)
    cost = np.concatenate([[1], np.zeros(starts + places)])
    columns = np.concatenate([[slots], np.ones(starts), most])
    return loaded((a, lower, upper), cost, np.zeros(len(cost)), columns, np.ones(len(cost)))


def load_limit(data: Any) -> highspy.Highs:
    """State which GPUs each job has, and the largest load."""
    jobs, places = len(data.gpus), data.places
    on = kron(eye_array(jobs), np.ones((1, places)))
    held = kron(data.work[None, :], eye_array(places))
    a = block_array([[on, None], [held, -np.ones((places, 1))]])
    lower, upper = (data.gpus, np.full(places, -np.inf)), (data.gpus, np.zeros(places))
    last = np.eye(1, jobs * places + 1, jobs * places)[0]
    columns = np.where(last, data.most, 1)
    return loaded((a, lower, upper), last, np.zeros(len(last)), columns, 1 - last)


def tickwise(data: Any) -> highspy.Highs:
    """State who runs in which tick, and who has not ended."""
    jobs, tick = len(data.release), np.arange(data.last)
    job, at = np.nonzero(tick[None, :] >= data.release[:, None])
    many = len(job)
    one = eye_array(many)
    later = np.flatnonzero(at > data.release[job])
    falls = csr_array(one)[later] - csr_array(one)[later - 1]
    spans = data.last - data.release
    counts = np.tile(np.arange(data.last + 1), (jobs, 1))
    owner, end = np.nonzero(counts >= (data.release + data.ticks)[:, None])
    first = (np.cumsum(spans) - spans)[owner]
    length = end - data.release[owner]
    row = np.repeat(np.arange(len(owner)), length)
    within = np.arange(len(row)) - np.repeat(np.cumsum(length) - length, length)
    shape = (len(owner), many)
    done = coo_array((data.rate[owner[row]], (row, first[row] + within)), shape=shape)
    (inside,) = np.nonzero(end < data.last)
    open_ = coo_array((data.need[owner[inside]], (inside, (first + length)[inside])), shape=shape)
    ticks, slots = np.unique(at, return_inverse=True)
    held = coo_array((data.halves[job], (slots, np.arange(many))), shape=(len(ticks), many))
    a = block_array([[one, -one], [None, falls], [done, open_], [held, None]])
    free, need = np.full(many + len(later), -np.inf), data.need[owner]
    lower = (free, need, np.full(len(ticks), -np.inf))
    upper = (np.zeros(len(free)), np.full(len(need), np.inf), np.full(len(ticks), data.room))
    waits = at < (data.release + data.ticks)[job]
    cost, columns = np.repeat([0, 1], many), np.ones(2 * many)
    return loaded((a, lower, upper), cost, np.append(np.zeros(many), waits), columns, columns)


def loaded(rows: Made, cost: Any, lower: Any, upper: Any, integer: Any) -> highspy.Highs:
    """Return HiGHS with a program in it."""
    matrix, low, high = rows
    a = csr_array(matrix)
    solver = silent()
    solver.passModel(
        a.shape[1],
        a.shape[0],
        a.nnz,
        int(highspy.MatrixFormat.kRowwise),
        int(highspy.ObjSense.kMinimize),
        0.0,
        *(vector.astype(float) for vector in (cost, lower, upper)),
        *(np.concatenate(parts).astype(float) for parts in (low, high)),
        a.indptr.astype(np.int32),
        a.indices.astype(np.int32),
        a.data.astype(float),
        integer.astype(np.int32),
    )
    return solver


def silent() -> highspy.Highs:
    """Return a HiGHS that prints nothing."""
    solver = highspy.Highs()
    solver.setOptionValue("output_flag", False)
    return solver


WAYS: dict[str, Any] = {"occupancy": occupancy, "load-limit": load_limit, "tickwise": tickwise}


def shape_of(solver: highspy.Highs) -> tuple[int, int]:
    """Return the columns and rows that HiGHS has."""
    return solver.getNumCol(), solver.getNumRow()


def matrix_of(solver: highspy.Highs) -> Any:
    """Return the program that HiGHS has."""
    from ringyard.formulations.program import Matrix

    lp = solver.getLp()
    held = lp.a_matrix_
    kind = csc_array if held.format_ == highspy.MatrixFormat.kColwise else csr_array
    a = kind((held.value_, held.index_, held.start_), shape=(lp.num_row_, lp.num_col_))
    whole = [one == highspy.HighsVarType.kInteger for one in lp.integrality_]
    return Matrix(
        columns=tuple(f"x{j}" for j in range(lp.num_col_)),
        rows=tuple(f"r{i}" for i in range(lp.num_row_)),
        cost=np.array(lp.col_cost_),
        offset=lp.offset_,
        lower=np.array(lp.col_lower_),
        upper=np.array(lp.col_upper_),
        integer=np.array(whole or [False] * lp.num_col_),
        a=csr_array(a, dtype=float),
        row_lower=np.array(lp.row_lower_),
        row_upper=np.array(lp.row_upper_),
    )
