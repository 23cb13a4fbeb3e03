"""A workload with measured speed-ups as a `trace`: on a cluster, with a phase for each epoch.

A job takes its duration on the GPUs that it requests. Beyond the maximum of an epoch, it leaves
GPUs unused.
"""

from decimal import Decimal
from fractions import Fraction

from ..draw import exact
from ..fleet import FleetInstance
from ..reading.files import validate
from ..rental import Epoch, JobType
from ..speedup import SpeedTable, speed_at
from ..trace import Phase, TraceInstance, TraceJob, TraceType, Width
from .clusters import in_words

DIGITS = 6
"""Decimals of shares and speeds."""


def on_cluster(
    workload: FleetInstance, words: str, restart_s: Decimal = Decimal(0)
) -> TraceInstance:
    """Return the jobs of a workload on servers such as 16x4. Ticks are seconds.

    Jobs request what users of their type ask for. Jobs of a type must have equal work.
    """
    servers = in_words(words)
    total = sum(server.gpus for server in servers)
    types = {one.name: one for one in workload.types}
    works = {job.type: job.work_s for job in reversed(workload.jobs)}
    made = {name: _type(types[name], work, total) for name, work in sorted(works.items())}
    found = TraceInstance(
        name=workload.name,
        title=workload.title,
        notes=workload.notes,
        source=workload.source,
        licence=workload.licence,
        servers=servers,
        jobs=tuple(
            TraceJob(
                name=job.name,
                arrival_s=job.arrival_s,
                gpus=min(total, types[job.type].asks),
                duration_s=made[job.type][1],
                model=job.type,
                type=job.type,
            )
            for job in workload.jobs
        ),
        restart_s=restart_s,
        types=tuple(one for one, _ in made.values()),
    )
    validate(found)
    return found


def _type(one: JobType, works: tuple[Decimal, ...], total: int) -> tuple[TraceType, Decimal]:
    """Return a type with a phase for each epoch, and the seconds of its jobs.

    Speeds are relative to the work over these seconds, which a job takes on the requested GPUs.
    """
    asks, widths = min(total, one.asks), {min(total, one.asks)}
    for epoch in one.epochs:
        if isinstance(epoch.speedup, SpeedTable):
            widths |= {int(point.gpus) for point in epoch.speedup.points if point.gpus <= total}
    pairs = list(zip(works, one.epochs, strict=True))
    times = [Fraction(work) / speed_at(epoch.speedup, Decimal(asks)) for work, epoch in pairs]
    whole, seconds = Fraction(sum(works, Decimal(0))), Decimal(max(1, round(sum(times))))
    before = [Fraction(sum(works[:k], Decimal(0))) for k in range(len(works))]
    ends = [exact(float(done / whole), DIGITS) for done in before]
    shares = [end - start for start, end in zip(ends, [*ends[1:], Decimal(1)], strict=True)]
    unit = whole / Fraction(seconds)

    def width(gpus: int, epoch: Epoch) -> Width:
        speed = speed_at(epoch.speedup, Decimal(gpus)) / unit
        return Width(gpus=gpus, speed=exact(float(speed), DIGITS))

    phases = tuple(
        Phase(share=share, speeds=tuple(width(gpus, epoch) for gpus in sorted(widths)))
        for share, (_, epoch) in zip(shares, pairs, strict=True)
    )
    return TraceType(name=one.name, phases=phases), seconds
