"""`ringyard export` of lists: jobs of traces and their completion, and the runs of a schedule."""

from dataclasses import astuple, fields
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

from ...analysis.check.judge import check
from ...analysis.trace import JobTimes, job_times
from ...instances import AnySchedule, Instance, TraceInstance, TraceSchedule, load_schedule
from ...instances.errors import InputError, Problem, Words, plural
from ...instances.importers.job_lists import csv_text, job_lines, simulator_lines
from ...instances.importers.runs import Clock, read_job_ids, run_lines, runs_of, slurm_lines
from ...instances.importers.sacct import sacct_lines
from ...instances.reading.encode import as_decimal, decimal_text
from ..shared.options import write


def export_trace(problem: Instance, format: str, schedule: Path | None, out: Path) -> int:
    """Write the jobs of a trace, or their completion in a schedule, and return their number."""
    if not isinstance(problem, TraceInstance):
        advice = "name another instance, or a formulation and a format of programs"
        found = Problem("kind", problem.kind, f"'trace' for --format {format}", advice)
        raise InputError(problem.name, [found])
    if format == "sacct":
        times = {job.name: (job.waited_s, job.duration_s) for job in problem.jobs}
        if schedule is not None:
            times = {one.job: _wait_and_run(one) for one in _times(problem, schedule)}
        text = sacct_lines(problem, times)
    elif schedule is not None:
        rows = [map(_cell, astuple(times)) for times in _times(problem, schedule)]
        text = csv_text([field.name for field in fields(JobTimes)], rows)
    else:
        if problem.types:
            found = Problem(
                "types",
                Words(f"{plural(len(problem.types), 'type')} of jobs"),
                f"none, because jobs have no phases in --format {format}",
                "export a schedule of it, or pass on the instance as JSON",
            )
            raise InputError(problem.name, [found])
        text = simulator_lines(problem) if format == "tiresias" else job_lines(problem)
    write(out, text.encode())
    return len(problem.jobs)


def export_runs(
    problem: Instance,
    format: str,
    schedule: Path,
    out: Path,
    *,
    epoch: str | None,
    job_ids: Path | None,
) -> int:
    """Write the runs of a schedule as CSV, or as commands for Slurm, and return their number."""
    runs = runs_of(problem)
    clock = None if epoch is None else Clock.of(epoch, "ringyard export")
    ids = None if job_ids is None else read_job_ids(job_ids)
    plan = load_schedule(schedule)
    rows = list(runs.rows(problem, plan, _valid(problem, plan, schedule).ends))
    if format == "slurm":
        assert clock is not None
        text = slurm_lines(problem.name, rows, clock, ids)
    else:
        text = run_lines(rows, clock)
    write(out, text.encode())
    return len(rows)


def _valid(problem: Instance, plan: AnySchedule, path: Path) -> Any:
    """Return the verdict on a schedule, and refuse an invalid one."""
    verdict = check(problem, plan)
    for violation in verdict.violations[:1]:
        found = Words(f"a violation of {violation.rule} at {violation.where}")
        advice = "see `ringyard check` for details"
        raise InputError(str(path), [Problem("schedule", found, "a valid schedule", advice)])
    return verdict


def _times(problem: TraceInstance, path: Path) -> list[JobTimes]:
    plan = load_schedule(path)
    if not isinstance(plan, TraceSchedule):
        raise InputError.of(str(path), "kind", plan.kind, "'trace-schedule'", "name another file")
    return list(job_times(problem, plan, _valid(problem, plan, path).ends))


def _wait_and_run(times: JobTimes) -> tuple[Decimal, Decimal]:
    """Return the whole seconds from arrival to first start, and those with GPUs, 1 at least."""
    held = max(1, round(times.jct_s - times.waiting_s))
    return Decimal(round(times.start_s - times.arrival_s)), Decimal(held)


def _cell(value: Any) -> Any:
    """Return a time as an exact decimal: every multiple of a tick has one."""
    exact = as_decimal(value) if isinstance(value, Fraction) else None
    return value if exact is None else decimal_text(exact)
