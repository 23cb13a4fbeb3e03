"""Random types of jobs that go through phases."""

from collections.abc import Iterable
from dataclasses import replace
from decimal import Decimal
from random import Random

from ..draw import between, exact
from . import Phase, TraceInstance, TraceJob, TraceType, Width

PARTS = 1000
"""Shares of phases are multiples of one part in this number."""


def with_types(instance: TraceInstance, seed: int, phases: int, typed: float) -> TraceInstance:
    """Let a fraction of the jobs go through phases. Jobs of a model and size have one type.

    A phase raises all speeds to a power of 0.5 to 1.5, then multiplies them by 0.5 to 1.5. The
    random numbers are separate, so all other data stay the same.
    """
    rng, types, jobs = Random(f"types {seed}"), dict[object, TraceType](), []
    for job in instance.jobs:
        if rng.random() >= typed:
            jobs.append(job)
            continue
        key = job.model, job.gpus, job.gpu, *((one.gpus, one.gpu) for one in job.speeds)
        if key not in types:
            types[key] = TraceType(
                name=f"type{len(types)}", phases=tuple(_phases(rng, job, min(phases, PARTS)))
            )
        jobs.append(replace(job, type=types[key].name, speeds=()))
    return replace(instance, jobs=tuple(jobs), types=tuple(types.values()))


def _phases(rng: Random, job: TraceJob, count: int) -> Iterable[Phase]:
    """Draw phases of a job. They have speeds on the GPUs on which it may run."""
    own = [one for one in job.speeds if (one.gpus, one.gpu or job.gpu) != (job.gpus, job.gpu)]
    widths = [Width(gpus=job.gpus, speed=Decimal(1)), *own]
    cuts = set[int]()
    while len(cuts) < count - 1:
        cuts.add(1 + int(rng.random() * (PARTS - 1)))
    ends = [*sorted(cuts), PARTS]
    for start, end in zip([0, *ends], ends, strict=False):
        level, power = between(rng, Decimal("0.5"), Decimal("1.5")), 0.5 + rng.random()
        yield Phase(
            share=(Decimal(end - start) / PARTS).normalize(),
            speeds=tuple(
                replace(one, speed=max(LEAST, exact(level * float(one.speed) ** power, 4)))
                for one in widths
            ),
        )


LEAST = Decimal("0.0001")
"""The least speed that is drawn."""
