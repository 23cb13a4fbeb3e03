"""Gang LPT: longest job first, packed into one server if it fits, with overtaking.

Graham's longest-processing-time rule for gangs. At every event the waiting jobs are offered the
idle GPUs by priority. A job goes to the server that it fills best. A job larger than every server
uses the emptiest servers. Two variants are tried: other jobs may also spread, or must wait for a
server. Three priorities are tried: execution time, GPUs, and GPUs times execution time. If all of
these stall, the jobs run in sequence, each where it is fastest.
"""

from itertools import product
from typing import NamedTuple

import numpy as np

from ...instances import Limits, MakespanInstance, Outcome, TerminationReason
from ...instances.makespan import underway
from ...simulation import Model, PlacedStarts, build_model, evaluate
from ...simulation.events import end_job, start_job
from ...simulation.heaps import next_end, pop
from ...simulation.jit import entry, kernel, record
from ...simulation.makespan.alone import in_turn, stuck
from ...simulation.makespan.evaluate import HeldPieces, begun, extremes, gather, new_holds
from ...simulation.model import Ints, Records, may_use
from ...simulation.progress import next_free, next_tick
from ...simulation.state import State, new_state
from ..request import NoOptions, Request
from .incumbent import NEVER, BestPlan


def run(instance: MakespanInstance, request: Request[NoOptions]) -> Outcome:
    """Return the best schedule over all priorities (deterministic)."""
    best = BestPlan(instance, request.limits, "gang-lpt")
    return best.outcome(offer_lists(instance, best, request.limits), NEVER)


def offer_lists(instance: MakespanInstance, best: BestPlan, limits: Limits) -> TerminationReason:
    """Offer the list schedule of every priority, the first even if the time is up."""
    model, termination = build_model(instance), TerminationReason.DONE
    held = begun(instance)
    for order, rule in product(priorities(instance), (WAITING, EAGER)):
        best.offer(*pack(model, order, rule, held))
        if limits.over():
            termination = TerminationReason.TIME_LIMIT
            break
    offer_in_turn(instance, best, model)
    return termination


def offer_in_turn(instance: MakespanInstance, best: BestPlan, model: Model) -> None:
    """Offer the jobs one after the other if there is no plan yet and all of them end.

    Jobs that have begun run at once, so there is no such plan.
    """
    if best.makespan == np.inf and stuck(instance) is None and underway(instance) is None:
        plan = in_turn(instance)
        best.offer(plan, evaluate(model, plan).makespan)


def priorities(instance: MakespanInstance) -> list[Ints]:
    """Return orders by execution time, by GPUs, and by their product, all descending."""
    gpus = np.array([job.gpus for job in instance.jobs])
    slots = np.array([float(extreme.least_slots or 0) for extreme in extremes(instance)])
    keys = [(-gpus, -slots), (-slots, -gpus), (-slots, -gpus * slots)]
    return [np.lexsort(key) for key in keys]


WAITING, EAGER, WHOLE, FILLED = 0, 1, 2, 3
"""Where `pack` puts jobs.

A job that fits into a server waits for room on one, or spreads if it finds none (`EAGER`). With
`WHOLE`, a larger job takes idle servers for itself, and smaller jobs wait until no larger one does.
With `FILLED`, smaller jobs also use the GPUs that larger ones leave idle on their servers.
"""

GANG_COUNTS = record("waiting used")
"""The jobs that wait, and the pieces handed out."""


class GangScratch(NamedTuple):
    """A run of the list scheduler: running jobs, the queue in order, and all allocations."""

    state: State
    waiting: Ints
    holds: HeldPieces
    counts: Records
    rule: int


@entry
def pack(model: Model, order: Ints, rule: int, begun: PlacedStarts) -> tuple[PlacedStarts, float]:
    """Run the list scheduler once, with a rule such as `EAGER`, behind jobs that have begun."""
    room = 0
    for j in range(model.jobs.size):
        room += min(model.jobs[j].gpus, model.servers)
    state, holds, counts = new_state(model, room), new_holds(model, room), np.zeros(1, GANG_COUNTS)
    gang = GangScratch(state, order.copy(), holds, counts, rule)
    _begin(model, gang, order, begun)
    makespan = _serve(model, gang)
    return gather(state, holds), makespan


@kernel
def _begin(model: Model, gang: GangScratch, order: Ints, begun: PlacedStarts) -> None:
    """Start the jobs that have pieces in `begun`. The other jobs wait in their order."""
    holds, counts = gang.holds, gang.counts[0]
    for job in order:
        first, last = begun.first[job], begun.first[job + 1]
        if first == last:
            gang.waiting[counts.waiting] = job
            counts.waiting += 1
            continue
        a, b = counts.used, counts.used + last - first
        for i in range(first, last):
            holds.servers[a + i - first] = begun.servers[i]
            holds.pieces[a + i - first] = begun.pieces[i]
        holds.begin[job], holds.stop[job], counts.used = a, b, b
        start_job(model, gang.state, job, holds.servers, holds.pieces, a, b, 0.0)


@kernel
def _serve(model: Model, gang: GangScratch) -> float:
    now = 0.0
    while gang.counts[0].waiting > 0:
        soonest = _offer(model, gang, now)
        now = min(soonest, next_free(model, gang.state))
        if now == np.inf and gang.counts[0].waiting > 0:
            return np.inf
        _end_until(model, gang, now)
    _end_until(model, gang, np.inf)
    makespan = 0.0
    for j in range(model.jobs.size):
        makespan = max(makespan, gang.state.runs[j].end)
    return makespan


@kernel
def _end_until(model: Model, gang: GangScratch, now: float) -> None:
    state, holds = gang.state, gang.holds
    while next_free(model, state) <= now and next_end(state) < np.inf:
        job = pop(state)
        end_job(model, state, job, holds.servers, holds.pieces, holds.begin[job], holds.stop[job])


@kernel
def _offer(model: Model, gang: GangScratch, now: float) -> float:
    """Start all jobs that fit, and return the next release."""
    state, holds, counts = gang.state, gang.holds, gang.counts[0]
    kept, soonest, queued = 0, np.inf, False
    anywhere = _room(model, state, -1)
    for i in range(counts.waiting):
        job, a = gang.waiting[i], counts.used
        b, bound = a, model.jobs[job].group > 0
        total, most, largest = _room(model, state, job) if bound else anywhere
        need, release = model.jobs[job].gpus, model.jobs[job].release
        if release > now:
            soonest = min(soonest, next_tick(model, release))
        elif need <= most:
            b = _into_one(model, gang, job, queued)
        elif need <= total and not queued and (gang.rule == EAGER or need > largest):
            b = _over_emptiest(model, gang, job)
        if b == a:
            queued = queued or (gang.rule >= WHOLE and release <= now and need > largest)
            gang.waiting[kept] = job
            kept += 1
            continue
        holds.begin[job], holds.stop[job], counts.used = a, b, b
        start_job(model, state, job, holds.servers, holds.pieces, a, b, now)
        anywhere = _room(model, state, -1)
    counts.waiting = kept
    return soonest


@kernel
def _room(model: Model, state: State, job: int) -> tuple[int, int, int]:
    """Return all idle GPUs, the most on one server, and the size of the largest server.

    Only servers open to `job` are included, or all if it is -1.
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
def _into_one(model: Model, gang: GangScratch, job: int, queued: bool) -> int:
    """Put the job on the server with the fewest GPUs left idle. Return where its pieces end.

    `queued` says whether a larger job waits for idle servers.
    """
    state, used = gang.state, int(gang.counts[0].used)
    best, need = -1, model.jobs[job].gpus
    for s in range(model.servers):
        free = state.loads[s].free
        if free < need or not may_use(model, job, s):
            continue
        if state.loads[s].rings > 0:
            if gang.rule == WHOLE:
                continue
        elif queued:
            continue
        if best < 0 or free < state.loads[best].free:
            best = s
    if best < 0:
        return used
    gang.holds.servers[used], gang.holds.pieces[used] = best, need
    return used + 1


@kernel
def _over_emptiest(model: Model, gang: GangScratch, job: int) -> int:
    """Put the job on the fewest servers: the emptiest, then the tightest for the last GPUs.

    Of servers with equally many idle GPUs, the one with the widest uplink is used.
    """
    state, servers, pieces = gang.state, gang.holds.servers, gang.holds.pieces
    a, need = int(gang.counts[0].used), model.jobs[job].gpus
    used = a
    while need > 0:
        best, fits = -1, False
        for s in range(model.servers):
            free, taken = state.loads[s].free, False
            for k in range(a, used):
                taken = taken or servers[k] == s
            if free == 0 or taken or not may_use(model, job, s):
                continue
            if gang.rule >= WHOLE and free < model.links[s].gpus:
                continue
            enough, wider = free >= need, 0.0
            if best >= 0 and free == state.loads[best].free:
                wider = model.links[s].width - model.links[best].width
            if best < 0 or (enough and not fits):
                best, fits = s, enough
            elif wider != 0.0:
                best = s if wider > 0.0 else best
            elif enough == fits and (free > state.loads[best].free) != fits:
                best = s
        if best < 0:
            return a
        servers[used], pieces[used] = best, min(need, state.loads[best].free)
        need -= pieces[used]
        used += 1
    return used
