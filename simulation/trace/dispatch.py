"""Serve the queue by rank: who is worse is stopped, who is better starts."""

from ..jit import kernel
from ..model import Model
from ..state import State
from .placement.place import choose
from .queue import sort_queue
from .records import RUNNING, WAITING, WHOLE, EngineLog, Rules, TraceEngine
from .runs import start_run, stop_run


@kernel
def dispatch(engine: TraceEngine) -> None:
    """Start, and where the rules allow it stop, jobs in the order of their ranks."""
    model, trace, rules = engine.model, engine.trace, engine.rules
    counts = trace.counts[0]
    sort_queue(trace, rules.stable)
    if rules.preempts:
        _keep(model, trace, rules)
        _stop_others(model, engine.state, trace)
    for i in range(counts.ordered):
        if counts.free < WHOLE:
            return
        job = trace.order[i]
        life = trace.lives[job]
        if life.status != WAITING or (rules.preempts and life.kept != counts.stamp):
            continue
        pieces = 0
        if WHOLE * model.jobs[job].gpus <= counts.free:
            pieces = choose(engine, job, model.jobs[job].gpus, WHOLE)
        if pieces > 0:
            fresh = life.first < 0
            start_run(engine, job, WHOLE, pieces)
            if fresh and rules.starts:
                ask(trace, job)
        elif rules.blocks:
            return


@kernel
def _keep(model: Model, trace: EngineLog, rules: Rules) -> None:
    """Mark the jobs that fit, in the order of their ranks, by the number of GPUs alone."""
    counts = trace.counts[0]
    counts.stamp += 1
    room = counts.free
    for i in range(counts.active):
        life = trace.lives[trace.active[i]]
        room += life.width * life.share
    for i in range(counts.ordered):
        job = trace.order[i]
        need = WHOLE * model.jobs[job].gpus
        if need <= room:
            room -= need
            trace.lives[job].kept = counts.stamp
            if room < WHOLE:
                return
        elif rules.blocks:
            return


@kernel
def _stop_others(model: Model, state: State, trace: EngineLog) -> None:
    for i in range(trace.counts[0].active - 1, -1, -1):
        job = trace.active[i]
        life = trace.lives[job]
        if life.status == RUNNING and life.kept != trace.counts[0].stamp:
            stop_run(model, state, trace, job)


@kernel
def ask(trace: EngineLog, job: int) -> None:
    """Put a job on the list of those whose rank is to be asked for."""
    trace.asked[trace.counts[0].asked] = job
    trace.counts[0].asked += 1
