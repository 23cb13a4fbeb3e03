"""A fleet tick by tick, in the plainest way; and random instances and logs for it."""

from collections.abc import Sequence
from decimal import Context, Decimal
from fractions import Fraction
from itertools import pairwise
from math import ceil
from random import Random

from check.fleet.logs import fleet, job, lease, log, run, runs
from check.rental.plans import amdahl, power, stream, table

from ringyard.instances import (
    Amdahl,
    FleetInstance,
    FleetJob,
    FleetJobRuns,
    FleetLog,
    PowerLaw,
    Speedup,
)

Usage = dict[int, Decimal]
"""GPUs by tick."""


def speed(speedup: Speedup, gpus: Decimal) -> Fraction:
    """Return how much faster a job is; power laws to 40 digits."""
    k = Fraction(gpus)
    if isinstance(speedup, PowerLaw):
        return Fraction(Context(prec=40).power(gpus, speedup.exponent))
    if isinstance(speedup, Amdahl):
        return 1 / (1 - Fraction(speedup.parallel) * (1 - 1 / k))
    points = [(Fraction(point.gpus), Fraction(point.speed)) for point in speedup.points]
    for (a, low), (b, high) in pairwise(points):
        if a <= k <= b:
            return low + (high - low) * (k - a) / (b - a)
    return points[-1][1]


def work_of(instance: FleetInstance, one: FleetJob, left: Sequence[int], gpus: Decimal) -> int:
    """Return the work that a job does in a tick, if so many of its epochs are left."""
    epochs = {kind.name: kind.epochs for kind in instance.types}[one.type]
    return max(1, round(10**6 * speed(epochs[len(epochs) - len(left)].speedup, gpus)))


def live(instance: FleetInstance, one: FleetJob, entry: FleetJobRuns, use: Usage) -> int | None:
    """Let a job run, counting what it holds in every tick; return the tick of its end."""
    tick = instance.tick_s
    left = [10**6 * int(work / tick) for work in one.work_s]
    pause, now = 0, 0
    for k, each in enumerate(entry.runs):
        now = max(now, int(each.start_s / tick))
        stop = 10**6 if each.stop_s is None else int(each.stop_s / tick)
        if now >= stop:
            continue
        pause = int(instance.rescale_s / tick) if k else 0
        while now < stop and left:
            use[now] = use.get(now, Decimal(0)) + each.gpus
            now += 1
            if pause:
                pause -= 1
                continue
            left[0] -= work_of(instance, one, left, each.gpus)
            if left[0] <= 0:
                del left[0]
        if not left:
            return now
    return None


def drawn_fleet(rng: Random, **more: object) -> FleetInstance:
    tick = rng.choice([Decimal(1), Decimal("0.5"), Decimal(60)])
    draw = [
        lambda: power(rng.choice([0.3, 0.5, 0.83, 1])),
        lambda: amdahl(rng.choice([0, 0.6, 0.93, 1])),
        lambda: table((1.5, 1.4), (3, rng.choice([2.2, 1.2, 0.7])), (7, 3)),
    ]
    types = [
        stream(f"t{i}", 1, *((1, rng.choice(draw)()) for _ in range(rng.randint(1, 3))), weight=w)
        for i, w in enumerate(rng.choices([1, 2, 0.5], k=rng.randint(1, 3)))
    ]
    jobs = []
    for i in range(rng.randint(1, 5)):
        kind = rng.choice(types)
        work = [rng.randint(1, 30) * tick for _ in kind.epochs]
        jobs.append(job(f"j{i}", kind.name, *work, arrival=rng.randint(3, 20) * tick))
    rest = {
        "rescale_s": rng.randint(0, 2) * tick,
        "provision_s": rng.randint(0, 3) * tick,
        "billing_s": rng.choice([tick, 4 * tick]),
        "widths": rng.choice(["any", "whole"]),
        "tick_s": tick,
    }
    return fleet(types, *jobs, **(rest | more))


def drawn_runs(rng: Random, instance: FleetInstance, one: FleetJob) -> FleetJobRuns:
    tick = instance.tick_s
    grain = Decimal(1) if instance.widths == "whole" else Decimal("0.001")
    at, made = int(one.arrival_s / tick) + rng.randint(0, 3), []
    for left in range(rng.randint(0, 2), -1, -1):
        gpus = Decimal(rng.uniform(1, 9)).quantize(grain)
        stop = at + rng.randint(1, 9) if left else None
        made.append(run(at * tick, None if stop is None else stop * tick, gpus))
        at = (stop or 0) + rng.choice([0, 0, 2])
    return runs(one.name, *made)


def drawn_log(rng: Random, instance: FleetInstance) -> FleetLog:
    """Return a log that is valid but for its cost: leases just cover what is in use."""
    tick = instance.tick_s
    use: Usage = {}
    entries = [drawn_runs(rng, instance, one) for one in instance.jobs]
    for i, one in enumerate(instance.jobs):
        end = live(instance, one, entries[i], use)
        assert end is not None
        made = [each for each in entries[i].runs if each.start_s < end * tick]
        entries[i] = runs(one.name, *made)
    early = int(instance.provision_s / tick)
    leases, moments = [], [*sorted(use), 10**9]
    start = moments[0]
    for here, after in pairwise(moments):
        if after != here + 1 or use[after] != use[here]:
            leases.append(lease(use[here], (start - early) * tick, (here + 1) * tick))
            start = after
    return log(entries, leases)


def spend(instance: FleetInstance, made: FleetLog) -> Fraction:
    """Return what the leases cost, in GPU-seconds."""
    unit = Fraction(instance.billing_s or instance.tick_s)
    return sum(
        (
            Fraction(each.gpus) * unit * ceil(Fraction(each.stop_s - each.start_s) / unit)
            for each in made.leases
        ),
        Fraction(0),
    )
