"""Carry out what a policy decides that says at once what every job holds."""

from collections.abc import Mapping
from typing import Any

from .advance import choose_now, here, make_room_now, start_now, stop_now
from .policy_run import PolicyRun
from .records import HALF, WHOLE
from .views import ClusterView, GrantedGpus


def carry_out(run: PolicyRun) -> None:
    """Ask the policy, stop who is to hold something else or nothing, and start who is new.

    Who may use fewer servers comes first, and may drive others from there.
    """
    trace, cluster = run.trace, run.cluster
    jobs = [run.view(int(number)) for number in trace.order[: here(trace)]]
    holds: Mapping[int, GrantedGpus] = run.policy.decide(jobs, cluster)
    changed = [job for job in jobs if not job.running or not _holds(cluster, job, holds)]
    for job in changed:
        if job.running:
            stop_now(run.model, run.state, trace, job.number)
    for place, job in enumerate(jobs):
        if job.number in holds and not job.running:
            _start(run, place, job.number, holds[job.number])
    trace.counts[0]["phase"] = 0


def _holds(cluster: ClusterView, job: Any, holds: Mapping[int, GrantedGpus]) -> bool:
    """Say whether a job that runs holds what it is to hold."""
    hold = holds.get(job.number)
    if hold is None or hold.half != cluster.half(job.number) or hold.width != job.width:
        return False
    return hold.pieces is None or dict(hold.pieces) == cluster.pieces(job.number)


def _start(run: PolicyRun, place: int, number: int, hold: GrantedGpus) -> None:
    """Start a job if its GPUs are free; it waits if its placement finds none."""
    trace, share = run.trace, HALF if hold.half else WHOLE
    arrays = run.model, run.state, trace, run.data
    if hold.pieces is None:
        pieces = choose_now(*arrays, run.rules, number, hold.width, share)
        if pieces == 0 and len(run.setting.sets) > 1:
            pieces = make_room_now(*arrays, run.rules, place, hold.width, share)
    else:
        pieces = len(hold.pieces)
        for k, server in enumerate(sorted(hold.pieces)):
            trace.chosen[k], trace.taken[k] = server, hold.pieces[server]
    if pieces > 0:
        start_now(*arrays, number, share, pieces)
