"""The times of all jobs in a stored replay."""

from collections.abc import Iterable

import numpy as np

from ...analysis.rows import Row
from ...analysis.trace.parts import part_metrics
from ...analysis.whatif.cases import ReplayTimes
from ...instances import Instance, TraceInstance, TraceSchedule
from ..store import Store


def times_of(
    store: Store, trace: TraceInstance, answers: Iterable[tuple[Instance, Row]]
) -> dict[str, ReplayTimes]:
    """Return the times of the replays with a valid schedule, by the key of their row.

    Args:
        store: The folder with the schedules, whose ends the judge has computed.
        trace: The jobs as they arrive without a change of the load.
        answers: The instances of the replays, with the jobs in the same order, and their rows.
    """
    found: dict[str, ReplayTimes] = {}
    arrivals = np.array([float(job.arrival_s) for job in trace.jobs])
    for instance, row in answers:
        assert isinstance(instance, TraceInstance)
        if not row["valid"] or row["key"] in found:
            continue
        schedule = store.schedule(row)
        if not isinstance(schedule, TraceSchedule):
            continue
        spans = {
            plan.job: (float(plan.runs[0].start_s), float(plan.end_s))
            for plan in schedule.jobs
            if plan.end_s is not None
        }
        if any(job.name not in spans for job in instance.jobs):
            continue
        ordered = [spans[job.name] for job in instance.jobs]
        starts, ends = np.array(ordered).T
        own = np.array([float(job.arrival_s) for job in instance.jobs])
        found[row["key"]] = ReplayTimes(
            arrivals=arrivals,
            waits=starts - own,
            jcts=ends - own,
            parts=tuple(part_metrics(instance, ordered)),
        )
    return found
