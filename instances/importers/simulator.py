"""A trace as a job list for the public simulator of Tiresias, and those that grew out of it."""

import re
from decimal import Decimal
from itertools import pairwise

from ..errors import InputError, Problem
from ..trace.instance import TraceInstance, TraceJob
from .own import csv_text

COLUMNS = (
    *("job_id", "num_gpu", "submit_time", "iterations"),
    *("model_name", "duration", "interval"),
)
KNOWN = (
    *("vgg19", "vgg16", "vgg11", "alexnet", "googlenet"),
    *("resnet152", "resnet101", "resnet50", "inception4", "inception3"),
)
"""Models as its job lists call them."""


def simulator_lines(instance: TraceInstance) -> str:
    """Return the jobs of an instance in the order of their arrival.

    An iteration takes a second; the interval is the time until the next job arrives.
    """
    problems = [
        Problem(f"jobs[{i}].{field}", value, "whole seconds", "choose ticks of whole seconds")
        for i, job in enumerate(instance.jobs)
        for field, value in (("arrival_s", job.arrival_s), ("duration_s", job.duration_s))
        if value % 1
    ]
    if problems:
        raise InputError(instance.name, problems[:200], len(problems[200:]))
    jobs = sorted(instance.jobs, key=lambda job: job.arrival_s)
    gaps = [*(b.arrival_s - a.arrival_s for a, b in pairwise(jobs)), Decimal(0)]
    return csv_text(COLUMNS, [_cells(job, gap) for job, gap in zip(jobs, gaps, strict=True)])


def _cells(job: TraceJob, gap: Decimal) -> list[str | int]:
    seconds = int(job.duration_s)
    arrival = int(job.arrival_s)
    return [job.name, job.gpus, arrival, seconds, _model(job.model), seconds, int(gap)]


def _model(model: str | None) -> str:
    """Return the simulator's name of a model, the model's own where it has none."""
    plain = re.sub(r"[^a-z0-9]", "", (model or "").lower())
    return next((name for name in KNOWN if plain.startswith(name)), model or "")
