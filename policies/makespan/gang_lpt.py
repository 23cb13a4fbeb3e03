"""Gang LPT: longest job first, packed into one server where it fits, overtaking allowed.

Graham's longest-processing-time rule for gangs. At every event the waiting jobs are
offered the idle GPUs in the order of their priority. A job goes to the server that it
fills best; a job larger than every server takes the emptiest servers. Whether other jobs
may spread too rather than wait for a server is tried both ways, and so are three
priorities: the execution time alone, GPUs, and GPUs times execution time. Where all of these come
to a standstill, the jobs run one after the other, each where it is fastest.
"""

from itertools import product

import numpy as np

from ...instances import MakespanInstance, Outcome, Stop
from ...simulation import Model, PlacedStarts, build_model, evaluate
from ...simulation.events import end_job, start_job
from ...simulation.jit import entry, kernel
from ...simulation.makespan.admission import may_use
from ...simulation.makespan.alone import in_turn, stuck
from ...simulation.makespan.evaluate import gather
from ...simulation.makespan.extremes import extremes
from ...simulation.model import Ints
from ...simulation.progress import next_free, next_tick
from ...simulation.queue import next_end, pop
from ...simulation.state import State, new_state
from ..request import NoOptions, Request
from .incumbent import NEVER, Incumbent


def run(instance: MakespanInstance, request: Request[NoOptions]) -> Outcome:
    """Return the best schedule over all priorities; nothing in it is random."""
    model = build_model(instance)
    best, stop = Incumbent(instance, request.limits, "gang-lpt"), Stop.DONE
    for order, eager in product(priorities(instance), (False, True)):
        best.offer(*pack(model, order, eager))
        if request.limits.over():
            stop = Stop.TIME_LIMIT
            break
    if best.makespan == np.inf and stuck(instance) is None:
        plan = in_turn(instance)
        best.offer(plan, evaluate(model, plan).makespan)
    return best.outcome(stop, NEVER)


def priorities(instance: MakespanInstance) -> list[Ints]:
    """Return orders by execution time, by GPUs, and by their product, all descending."""
    gpus = np.array([job.gpus for job in instance.jobs])
    slots = np.array([float(extreme.least_slots or 0) for extreme in extremes(instance)])
    keys = [(-gpus, -slots), (-slots, -gpus), (-slots, -gpus * slots)]
    return [np.lexsort(key) for key in keys]


@entry
def pack(model: Model, order: Ints, eager: bool) -> tuple[PlacedStarts, float]:
    """Run the list scheduler once; `eager` lets jobs spread that would fit in one server."""
    room = 0
    for j in range(model.jobs.size):
        room += min(model.jobs[j].gpus, model.servers)
    state = new_state(model, room)
    servers, pieces = np.empty(room, np.int64), np.empty(room, np.int64)
    begin, stop = np.zeros(model.jobs.size, np.int64), np.zeros(model.jobs.size, np.int64)
    makespan = _serve(model, state, order.copy(), eager, servers, pieces, begin, stop)
    return gather(state, begin, stop, servers, pieces), makespan


@kernel
def _serve(
    model: Model,
    state: State,
    waiting: Ints,
    eager: bool,
    servers: Ints,
    pieces: Ints,
    begin: Ints,
    stop: Ints,
) -> float:
    count, used, now = waiting.size, 0, 0.0
    while count > 0:
        count, used, soonest = _offer(
            model, state, waiting, count, eager, servers, pieces, begin, stop, used, now
        )
        now = min(soonest, next_free(model, state))
        if now == np.inf and count > 0:
            return np.inf
        _end_until(model, state, servers, pieces, begin, stop, now)
    _end_until(model, state, servers, pieces, begin, stop, np.inf)
    makespan = 0.0
    for j in range(model.jobs.size):
        makespan = max(makespan, state.runs[j].end)
    return makespan


@kernel
def _end_until(
    model: Model, state: State, servers: Ints, pieces: Ints, begin: Ints, stop: Ints, now: float
) -> None:
    while next_free(model, state) <= now and next_end(state) < np.inf:
        job = pop(state)
        end_job(model, state, job, servers, pieces, begin[job], stop[job])


@kernel
def _offer(  # type: ignore[no-untyped-def]
    model: Model,
    state: State,
    waiting: Ints,
    count: int,
    eager: bool,
    servers: Ints,
    pieces: Ints,
    begin: Ints,
    stop: Ints,
    used: int,
    now: float,
):
    """Start what fits; return how many still wait, pieces used, and the next release."""
    kept, soonest = 0, np.inf
    anywhere = _room(model, state, -1)
    for i in range(count):
        job, b = waiting[i], used
        bound = model.jobs[job].group > 0
        total, most, largest = _room(model, state, job) if bound else anywhere
        need, release = model.jobs[job].gpus, model.jobs[job].release
        if release > now:
            soonest = min(soonest, next_tick(model, release))
        elif need <= most:
            b = _into_one(model, state, job, servers, pieces, used)
        elif need <= total and (eager or need > largest):
            b = _over_emptiest(model, state, job, servers, pieces, used)
        if b == used:
            waiting[kept] = job
            kept += 1
            continue
        begin[job], stop[job] = used, b
        start_job(model, state, job, servers, pieces, used, b, now)
        used = b
        anywhere = _room(model, state, -1)
    return kept, used, soonest


@kernel
def _room(model: Model, state: State, job: int):  # type: ignore[no-untyped-def]
    """Return all idle GPUs, the most on one server, and the size of the largest server.

    Only servers that `job` may use count, or all if it is -1.
    """
    total, most, largest = 0, 0, 0
    for s in range(model.servers):
        if job >= 0 and not may_use(model, job, s):
            continue
        total += state.loads[s].free
        most = max(most, state.loads[s].free)
        largest = max(largest, model.links[s].gpus)
    return total, most, largest


@kernel
def _into_one(model: Model, state: State, job: int, servers: Ints, pieces: Ints, used: int) -> int:
    """Put the job on the server where the fewest GPUs stay idle."""
    best, need = -1, model.jobs[job].gpus
    for s in range(model.servers):
        free = state.loads[s].free
        if free >= need and may_use(model, job, s) and (best < 0 or free < state.loads[best].free):
            best = s
    servers[used], pieces[used] = best, need
    return used + 1


@kernel
def _over_emptiest(
    model: Model, state: State, job: int, servers: Ints, pieces: Ints, used: int
) -> int:
    """Put the job on the fewest servers: the emptiest, then the tightest for the rest."""
    a, need = used, model.jobs[job].gpus
    while need > 0:
        best, fits = -1, False
        for s in range(model.servers):
            free, taken = state.loads[s].free, False
            for k in range(a, used):
                taken = taken or servers[k] == s
            if free == 0 or taken or not may_use(model, job, s):
                continue
            enough = free >= need
            if best < 0 or (enough and not fits):
                best, fits = s, enough
            elif enough == fits and (free > state.loads[best].free) != fits:
                best = s
        servers[used], pieces[used] = best, min(need, state.loads[best].free)
        need -= pieces[used]
        used += 1
    return used
