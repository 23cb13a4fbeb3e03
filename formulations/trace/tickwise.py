"""Every job in every tick: it runs or not. Least mean completion time by counts of GPUs.

Source: Ringyard, after the time-indexed programs of machine scheduling.

Who runs may change at every tick. Places are not in the program: it accepts only instances in which
counting GPUs is enough (`demand.py`). Restarts are in it if they cost anything.

Data: G GPUs, for job j the release r_j, work W_j, and modes m with h_m half GPUs and rate v_m, c
ticks for a restart, H horizon. If there are several kinds of GPUs, or jobs may run in some regions
only, pools u of G_u GPUs of a kind k_u, to which the jobs J_u are bound on this kind. All t are
from r_j on.

Variables
    run[j, m, t] in {0, 1}: job j runs in mode m in tick t
    open[j, t] in {0, 1}: it has not ended by tick t
    first[j, t] in {0, 1}: it runs for the first time from tick t on, if c > 0
    again[j, t] in {0, 1}: it restarts at tick t, if c > 0

Objective
    waiting_and_running: minimise sum_(j,t) open[j, t], the sum of completion times

Constraints
    one_mode[j, t]: sum_m run[j, m, t] <= open[j, t]
    ended_once[j, t]: open[j, t] <= open[j, t - 1]
    completes[j, t]: sum_(m, u < t) v_m run[j, m, u] - v c sum_(u < t) again[j, u] >= W_j (1 -
        open[j, t]), with open[j, H] = 0, all divided by their common divisor
    capacity[t]: sum_(j,m) h_m run[j, m, t] <= 2 G
    regions_fit[u, t]: sum_(j in J_u, m on k_u) h_m run[j, m, t] <= 2 G_u, for each pool
    starts[j, t]: run[j, t] - run[j, t - 1] <= first[j, t] + again[j, t], if c > 0
    first_once[j]: sum_t first[j, t] <= 1, if c > 0

By construction
    arrival: there are no variables before r_j
    gang: a mode has a number of GPUs that the job may have
    regions: pools hold their jobs, and a job that fits into all pools has places in its regions
    packing: and half of each only if the job may share them
    one_kind: and is on GPUs of one kind
    order: a job is in one mode at a time
    most: instances in which a group has a `most` are refused
    outages: instances with outages are refused
    after_end: ticks after a job's end are not read

open[j, t] is 1 as long as the job could not have ended alone. A restarted run of fewer than c ticks
has a negative contribution here. In truth it does no work, so a best schedule without such runs
exists.

Size: about 2 |J| H variables and 3 |J| H rows, and sums of length H.
"""

from collections.abc import Iterable, Iterator
from itertools import groupby, product
from math import gcd
from typing import Any, NamedTuple

import numpy as np
import pyomo.environ as pyo
from scipy.sparse import coo_array

from ...instances import RefusedError, TraceInstance, TraceSchedule
from ...simulation.model import Ints
from ..program import Floats, Matrix
from ..rows import unroll
from .demand import Demand, KindPool, cost, demands, pools_by_kind, refuses, serial_horizon
from .stretches import ModeStretch, ends, schedule_of, stretches_of

__all__ = ["NAME", "build", "read", "refuses", "twin", "write"]

NAME = "tickwise"


def build(instance: TraceInstance, horizon: int | None = None) -> Any:
    """Return the program of an instance with all jobs ended by the tick `horizon`.

    Without one, there is time for all jobs one after another at their slowest.
    """
    model = pyo.ConcreteModel()
    model.instance, model.demands, model.cost = instance, demands(instance), cost(instance)
    last = model.horizon = _last(instance, model.demands, horizon)
    model.jobs = pyo.RangeSet(0, len(model.demands) - 1)
    model.present = [(j, t) for j in model.jobs for t in range(model.demands[j].release, last)]
    modes = [(j, m, t) for j, t in model.present for m in range(len(model.demands[j].modes))]
    model.run = pyo.Var(modes, domain=pyo.Binary)
    model.open = pyo.Var(model.present, domain=pyo.Integers, bounds=_open)
    model.waiting_and_running = pyo.Objective(expr=sum(model.open.values()))
    if model.cost:
        _add_starts(model)
    _add_rows(model)
    return model


def _last(instance: TraceInstance, jobs: Iterable[Demand], horizon: int | None) -> int:
    """Return the horizon. All jobs arrive before."""
    last = serial_horizon(instance) if horizon is None else horizon
    late = [job for job in jobs if job.release >= last]
    if late:
        reason = f"a job arrives at tick {late[0].release}, and the horizon is {last}"
        raise RefusedError(f"{instance.name}: {reason}. Give a longer one.")
    return last


def _open(model: Any, j: int, t: int) -> tuple[int, int]:
    job = model.demands[j]
    return int(t < job.release + job.ticks), 1


def _add_starts(model: Any) -> None:
    model.first = pyo.Var(model.present, domain=pyo.Binary)
    model.again = pyo.Var(model.present, domain=pyo.Binary)

    @model.Constraint(model.present)
    def starts(model: Any, j: int, t: int) -> Any:
        before = _running(model, j, t - 1) if t > model.demands[j].release else 0
        return _running(model, j, t) - before <= model.first[j, t] + model.again[j, t]

    @model.Constraint(model.jobs)
    def first_once(model: Any, j: int) -> Any:
        slots = range(model.demands[j].release, model.horizon)
        return sum(model.first[j, t] for t in slots) <= 1


def _add_rows(model: Any) -> None:
    @model.Constraint(model.present)
    def one_mode(model: Any, j: int, t: int) -> Any:
        return _running(model, j, t) <= model.open[j, t]

    @model.Constraint(model.present)
    def ended_once(model: Any, j: int, t: int) -> Any:
        if t == model.demands[j].release:
            return pyo.Constraint.Skip
        return model.open[j, t] <= model.open[j, t - 1]

    if _tight(model.instance):
        _add_pools(model)
    may_end = [
        (j, t)
        for j, job in enumerate(model.demands)
        for t in range(job.release + job.ticks, model.horizon + 1)
    ]

    @model.Constraint(may_end)
    def completes(model: Any, j: int, t: int) -> Any:
        job = model.demands[j]
        part = gcd(job.work, *(mode.rate for mode in job.modes))
        done = sum(
            mode.rate // part * model.run[j, m, u]
            for u in range(job.release, t)
            for m, mode in enumerate(job.modes)
        )
        if model.cost:
            each = job.rate // part * model.cost
            done -= each * sum(model.again[j, u] for u in range(job.release, t))
        still = model.open[j, t] if t < model.horizon else 0
        return done >= job.work // part * (1 - still)

    @model.Constraint(sorted({t for _, t in model.present}))
    def capacity(model: Any, t: int) -> Any:
        users = product(model.jobs, range(len(model.instance.kinds)))
        return _held(model, users, t) <= 2 * model.instance.gpus


def _tight(instance: TraceInstance) -> dict[int, KindPool]:
    """Return the pools that are not all GPUs, by number."""
    found = dict(enumerate(pools_by_kind(instance)))
    return {u: pool for u, pool in found.items() if len(pool.servers) < len(instance.servers)}


def _add_pools(model: Any) -> None:
    own = _tight(model.instance)
    rows = {
        (u, t)
        for u, pool in own.items()
        for j in {j for j, _ in pool.users}
        for t in range(model.demands[j].release, model.horizon)
    }

    @model.Constraint(sorted(rows))
    def regions_fit(model: Any, u: int, t: int) -> Any:
        return _held(model, own[u].users, t) <= own[u].halves


def _held(model: Any, users: Iterable[tuple[int, int]], t: int) -> Any:
    """Return the half GPUs that some jobs hold in a tick, each on GPUs of a kind."""
    return sum(
        mode.halves * model.run[j, m, t]
        for j, kind in sorted(users)
        if model.demands[j].release <= t
        for m, mode in enumerate(model.demands[j].modes)
        if mode.kind == kind
    )


def _running(model: Any, j: int, t: int) -> Any:
    return sum(model.run[j, m, t] for m in range(len(model.demands[j].modes)))


def twin(instance: TraceInstance, horizon: int | None = None) -> Matrix:
    """Return the matrix of the program with all jobs ended by the tick `horizon`."""
    jobs = demands(instance)
    grid = _grid(jobs, _last(instance, jobs, horizon))
    blocks = [*_rows(instance, grid)]
    counts = np.array([len(block.lower) for block in blocks])
    first = np.cumsum(counts) - counts
    parts = [(k + i, j, v) for k, one in zip(first, blocks, strict=True) for i, j, v in one.entries]
    at, columns, values = (np.concatenate(part) for part in zip(*parts, strict=True))
    names = tuple(_columns(instance, grid))
    waits = np.zeros(len(names), dtype=np.bool_)
    waits[grid.open] = True
    lower = np.zeros(len(names))
    lower[grid.open] = grid.tick < np.array([j.release + j.ticks for j in grid.jobs])[grid.job]
    return Matrix(
        columns=names,
        rows=tuple(f"{one.name}[{place}]" for one in blocks for place in one.places),
        cost=waits.astype(float),
        lower=lower,
        upper=np.ones(len(names)),
        integer=np.ones(len(names), dtype=np.bool_),
        a=coo_array((values.astype(float), (at, columns)), (int(counts.sum()), len(names))).tocsr(),
        row_lower=np.concatenate([one.lower for one in blocks]),
        row_upper=np.concatenate([one.upper for one in blocks]),
    )


class _Grid(NamedTuple):
    """The pairs of a job and a tick from its release on, and the columns of all variables."""

    jobs: tuple[Demand, ...]
    last: int
    job: Ints
    tick: Ints
    begin: Ints
    """By job: its first pair."""
    pair: Ints
    """By column `run`: its pair. A job's columns follow each other by tick, then by mode."""
    mode: Ints
    open: Ints
    first: Ints
    again: Ints
    """The columns by pair. There are none of the last two if restarts cost nothing."""

    @property
    def names(self) -> list[str]:
        """The pairs as they are in names."""
        return [f"{j},{t}" for j, t in zip(self.job.tolist(), self.tick.tolist(), strict=True)]

    def of_modes(self, field: str) -> Ints:
        """Return a field of the mode of each column `run`."""
        values = [[getattr(mode, field) for mode in job.modes] for job in self.jobs]
        before = np.cumsum([0, *map(len, values)])
        every = np.array([value for own in values for value in own])
        return every[before[self.job[self.pair]] + self.mode]


def _grid(jobs: tuple[Demand, ...], last: int) -> _Grid:
    release = np.array([job.release for job in jobs])
    job, wait = unroll(last - release)
    pair, mode = unroll(np.array([len(one.modes) for one in jobs])[job])
    columns = (len(pair) + k * len(job) + np.arange(len(job)) for k in range(3))
    begin = np.flatnonzero(wait == 0)
    return _Grid(jobs, last, job, release[job] + wait, begin, pair, mode, *columns)


class _Block(NamedTuple):
    """Rows of one name. Entries are rows, columns and values, by column in each row."""

    name: str
    places: Iterable[object]
    lower: Floats
    upper: Floats
    entries: list[tuple[Ints, Ints, Ints]]


def _at_most(name: str, places: Iterable[object], upper: Any, *entries: Any) -> _Block:
    """Return rows with these upper bounds. A value may be a number."""
    filled = [(i, j, np.broadcast_to(value, len(i))) for i, j, value in entries]
    return _Block(name, places, np.full(len(upper), -np.inf), upper, filled)


def _rows(instance: TraceInstance, grid: _Grid) -> Iterator[_Block]:
    runs, every, many = np.arange(len(grid.pair)), np.arange(len(grid.job)), len(grid.job)
    none, names = np.zeros(many), grid.names
    later = np.delete(every, grid.begin)
    if cost(instance):
        followed = np.isin(grid.pair + 1, later)
        yield _at_most(
            "starts",
            names,
            none,
            (grid.pair[followed] + 1, runs[followed], -1),
            (grid.pair, runs, 1),
            (every, grid.first, -1),
            (every, grid.again, -1),
        )
        jobs = range(len(grid.jobs))
        yield _at_most("first_once", jobs, np.ones(len(jobs)), (grid.job, grid.first, 1))
    yield _at_most("one_mode", names, none, (grid.pair, runs, 1), (every, grid.open, -1))
    rows = np.arange(len(later))
    falls = (rows, grid.open[later] - 1, -1), (rows, grid.open[later], 1)
    yield _at_most("ended_once", [names[k] for k in later], none[later], *falls)
    halves, kinds = grid.of_modes("halves"), len(instance.kinds)
    users = grid.job[grid.pair] * kinds + grid.of_modes("kind")
    for u, pool in _tight(instance).items():
        own = np.flatnonzero(np.isin(users, [j * kinds + kind for j, kind in pool.users]))
        ticks, at = np.unique(grid.tick[grid.pair[own]], return_inverse=True)
        room, places = np.full(len(ticks), float(pool.halves)), [f"{u},{t}" for t in ticks]
        yield _at_most("regions_fit", places, room, (at, own, halves[own]))
    yield _completions(instance, grid)
    ticks, at = np.unique(grid.tick[grid.pair], return_inverse=True)
    yield _at_most("capacity", ticks, np.full(len(ticks), 2.0 * instance.gpus), (at, runs, halves))


def _completions(instance: TraceInstance, grid: _Grid) -> _Block:
    """Return the rows `completes`. Pyomo turns those with `open`: they bound from above."""
    each = [(job.work, *(mode.rate for mode in job.modes)) for job in grid.jobs]
    part = np.array([gcd(*one) for one in each])
    need = np.array([job.work for job in grid.jobs]) // part
    least = np.array([job.ticks for job in grid.jobs])
    counts = np.maximum(0, np.bincount(grid.job) - least + 1)
    job, wait = unroll(counts)
    length, first = least[job] + wait, grid.begin[job]
    end = grid.tick[first] + length
    sign = np.where(end < grid.last, -1, 1)
    modes = np.array([len(one.modes) for one in grid.jobs])
    row, within = unroll(length * modes[job])
    column = np.searchsorted(grid.pair, first)[row] + within
    rate = grid.of_modes("rate") // part[grid.job[grid.pair]]
    open_rows = np.flatnonzero(end < grid.last)
    entries = [
        (row, column, sign[row] * rate[column]),
        (open_rows, grid.open[(first + length)[open_rows]], -need[job[open_rows]]),
    ]
    if cost(instance):
        price = np.array([one.rate for one in grid.jobs]) // part * cost(instance)
        row, within = unroll(length)
        entries.append((row, grid.again[first[row] + within], -(sign * price[job])[row]))
    places = [f"{j},{t}" for j, t in zip(job.tolist(), end.tolist(), strict=True)]
    bound = (sign * need[job]).astype(float)
    lower, upper = np.where(sign < 0, -np.inf, bound), np.where(sign < 0, bound, np.inf)
    return _Block("completes", places, lower, upper, entries)


def _columns(instance: TraceInstance, grid: _Grid) -> Iterator[str]:
    job, tick = grid.job[grid.pair].tolist(), grid.tick[grid.pair].tolist()
    for j, m, t in zip(job, grid.mode.tolist(), tick, strict=True):
        yield f"run[{j},{m},{t}]"
    for name in ("open", "first", "again") if cost(instance) else ("open",):
        yield from (f"{name}[{place}]" for place in grid.names)


def write(model: Any, schedule: TraceSchedule) -> None:
    """Put a schedule into the variables, as far as there are any."""
    for variable in model.component_data_objects(pyo.Var):
        variable.set_value(0, skip_validation=True)
    stretches = stretches_of(model.instance, schedule)
    last = ends(model.instance, stretches)
    for j, t in model.present:
        still = int(t < last.get(j, model.horizon))
        model.open[j, t].set_value(still, skip_validation=True)
    seen = set()
    for one in sorted(stretches, key=lambda one: one.start):
        mode = model.demands[one.job].modes.index(one.mode)
        for t in range(one.start, one.stop):
            if (one.job, mode, t) in model.run:
                model.run[one.job, mode, t].set_value(1)
        if model.cost and (one.job, one.start) in model.first:
            starts = model.again if one.job in seen else model.first
            starts[one.job, one.start].set_value(1)
        seen.add(one.job)


def read(model: Any) -> TraceSchedule:
    """Return the schedule of a point, on GPUs that are free."""
    chosen = {(j, t): m for (j, m, t), variable in model.run.items() if round(variable.value or 0)}
    stretches = []
    for (j, m), ticks in groupby(sorted(chosen), key=lambda place: (place[0], chosen[place])):
        times = [t for _, t in ticks]
        stretches += _runs(j, model.demands[j].modes[m], times)
    return schedule_of(model.instance, stretches, NAME)


def _runs(job: int, mode: Any, times: list[int]) -> list[ModeStretch]:
    """Return ticks in order as stretches without gaps."""
    found: list[ModeStretch] = []
    for t in times:
        if found and found[-1].stop == t:
            found[-1] = found[-1]._replace(stop=t + 1)
        else:
            found.append(ModeStretch(job, mode, t, t + 1))
    return found
