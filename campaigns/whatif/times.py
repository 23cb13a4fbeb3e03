"""The times of all jobs in a stored replay."""

from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np

from ...analysis.rows import Row
from ...analysis.trace.parts import Span, groups_shown, part_metrics
from ...analysis.whatif.cases import ReplayTimes
from ...instances import Instance, TraceInstance, TraceSchedule
from ..store import Store
from .jobs import reduced


def times_of(
    store: Store,
    trace: TraceInstance,
    answers: Iterable[tuple[Instance, Row]],
    without: Mapping[str, frozenset[str]],
) -> dict[str, ReplayTimes]:
    """Return the times of the replays with a valid schedule, by the key of their row.

    Args:
        store: The folder with the schedules, whose ends the judge has computed.
        trace: The jobs as they arrive without a change of the load.
        answers: The instances of the replays, with the jobs in the same order, and their rows.
        without: The names of the jobs that are left out, by value of the axis `jobs`.
    """
    read: dict[str, tuple[TraceInstance, dict[str, Span]]] = {}
    for instance, row in answers:
        assert isinstance(instance, TraceInstance)
        if not row["valid"] or row["key"] in read:
            continue
        schedule = store.schedule(row)
        if not isinstance(schedule, TraceSchedule):
            continue
        spans = {
            plan.job: (float(plan.runs[0].start_s), float(plan.end_s))
            for plan in schedule.jobs
            if plan.end_s is not None
        }
        if all(job.name in spans for job in instance.jobs):
            read[row["key"]] = instance, spans
    arrivals = {job.name: float(job.arrival_s) for job in trace.jobs}
    whole = [pair for pair in read.values() if len(pair[0].jobs) == len(trace.jobs)]
    waits = [
        [spans[job.name][0] - float(job.arrival_s) for job in instance.jobs]
        for instance, spans in whole
    ]
    shown = groups_shown(trace.jobs, waits)

    def times(instance: TraceInstance, spans: Mapping[str, Span]) -> ReplayTimes:
        ordered = [spans[job.name] for job in instance.jobs]
        starts, ends = np.array(ordered).T
        own = np.array([float(job.arrival_s) for job in instance.jobs])
        return ReplayTimes(
            arrivals=np.array([arrivals[job.name] for job in instance.jobs]),
            waits=starts - own,
            jcts=ends - own,
            parts=tuple(part_metrics(instance, ordered, shown)),
            gpus=instance.gpus,
            outages=sum(one.from_s < ends.max() for one in instance.outages),
        )

    found = {}
    for key, (instance, spans) in read.items():
        among = {
            word: times(reduced(instance, gone), spans)
            for word, gone in without.items()
            if gone and len(instance.jobs) == len(trace.jobs)
        }
        found[key] = replace(times(instance, spans), among=among)
    return found
