"""The log of runs: room for more, forgetting what is over, and the schedule that it tells."""

import numpy as np

from ...instances import JobRuns, TraceInstance, TraceRun, TraceSchedule, digest
from .records import DONE, HALF, EngineLog


def enlarged(trace: EngineLog) -> EngineLog:
    """Return the same with a log and lists of pieces twice as long."""

    def twice(array: np.ndarray) -> np.ndarray:
        return np.concatenate([array, np.zeros_like(array)])

    return trace._replace(
        log=twice(trace.log), servers=twice(trace.servers), gpus=twice(trace.gpus)
    )


def forget(trace: EngineLog) -> None:
    """Keep only the latest run of every job that is not done."""
    lives, log = trace.lives, trace.log
    entries = lives["entry"][(lives["status"] != DONE) & (lives["entry"] >= 0)]
    kept = np.sort(entries)
    runs = log[kept]
    spans = [np.arange(run["first"], run["first"] + run["pieces"]) for run in runs]
    pieces = np.concatenate(spans) if spans else np.zeros(0, np.int64)
    trace.servers[: pieces.size] = trace.servers[pieces]
    trace.gpus[: pieces.size] = trace.gpus[pieces]
    runs["first"] = np.concatenate([[0], np.cumsum(runs["pieces"])])[:-1]
    log[: kept.size] = runs
    lives["entry"][runs["job"]] = np.arange(kept.size)
    trace.counts[0]["logged"], trace.counts[0]["pieced"] = kept.size, pieces.size


def to_schedule(instance: TraceInstance, trace: EngineLog, method: str) -> TraceSchedule:
    """Return the runs in the log as a schedule; the judge adds the exact ends."""
    names = [server.name for server in instance.servers]
    servers, gpus = trace.servers.tolist(), trace.gpus.tolist()
    runs: list[list[TraceRun]] = [[] for _ in instance.jobs]
    entries = trace.log[: trace.counts[0]["logged"]].tolist()
    for job, start, stop, first, pieces, share, ended in entries:
        held = tuple(sorted((names[servers[k]], gpus[k]) for k in range(first, first + pieces)))
        if stop == start:
            continue
        runs[job].append(
            TraceRun(
                start_s=start * instance.tick_s,
                stop_s=None if ended or stop < 0 else stop * instance.tick_s,
                gpus=held,
                share="half" if share == HALF else "whole",
            )
        )
    named = zip(instance.jobs, runs, strict=True)
    return TraceSchedule(
        instance=instance.name,
        digest=digest(instance),
        method=method,
        jobs=tuple(JobRuns(job=job.name, runs=tuple(own)) for job, own in named if own),
    )
