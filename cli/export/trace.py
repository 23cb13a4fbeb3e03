"""`ringyard export` for traces: jobs as CSV, and their completion in a schedule."""

from dataclasses import astuple, fields
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

from ...analysis.trace import JobTimes, job_times
from ...instances import Instance, TraceInstance, TraceSchedule, load_schedule
from ...instances.errors import InputError, Problem, Words
from ...instances.importers.job_lists import csv_text, job_lines, simulator_lines
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
        text = simulator_lines(problem) if format == "tiresias" else job_lines(problem)
    write(out, text.encode())
    return len(problem.jobs)


def _times(problem: TraceInstance, path: Path) -> list[JobTimes]:
    from ...analysis.check.trace import check_trace

    plan = load_schedule(path)
    if not isinstance(plan, TraceSchedule):
        raise InputError.of(str(path), "kind", plan.kind, "'trace-schedule'", "name another file")
    verdict = check_trace(problem, plan)
    for violation in verdict.violations[:1]:
        found = Words(f"a violation of {violation.rule} at {violation.where}")
        advice = "see `ringyard check` for details"
        raise InputError(str(path), [Problem("schedule", found, "a valid schedule", advice)])
    return list(job_times(problem, plan, verdict.ends))


def _wait_and_run(times: JobTimes) -> tuple[Decimal, Decimal]:
    """Return the whole seconds from arrival to first start, and those with GPUs, 1 at least."""
    held = max(1, round(times.jct_s - times.waiting_s))
    return Decimal(round(times.start_s - times.arrival_s)), Decimal(held)


def _cell(value: Any) -> Any:
    """Return a time as an exact decimal: every multiple of a tick has one."""
    exact = as_decimal(value) if isinstance(value, Fraction) else None
    return value if exact is None else decimal_text(exact)
