"""New `trace` instances: the generator, its options, and the families that are its presets.

Only `random.Random.random` is used, so a seed names the same instance everywhere.

Presets follow published traces as far as their numbers are published: requests, durations and
models of jobs. docs/reference/trace-mixes.md shows which numbers are published and which are
Ringyard's.
"""

from bisect import bisect_right
from collections import Counter
from dataclasses import dataclass, replace
from decimal import Decimal
from math import exp, log, log2, pi, sin
from random import Random
from typing import Annotated, ClassVar, Literal

from ..cluster import ServerUplink
from ..draw import between, exact, in_shares, whole
from ..generate import generate
from ..reading.vocabulary import Amount, Count, Fraction01, Mix, Positive, Size
from ..regions import Local, with_regions
from ..sampled import one_of, seeded
from . import (
    LossCurve,
    RackLinks,
    RackServer,
    TraceContention,
    TraceInstance,
    TraceJob,
    Width,
)
from .begun import with_begun
from .kinds import measured_models, with_kinds
from .labels import with_labels
from .outages import with_outages
from .phases import with_types

Widths = Literal["tiresias", "philly", "helios", "pai", "gavel", "single", "tiny"]

WIDTHS: dict[str, tuple[tuple[int, int], ...]] = {
    "tiresias": ((1, 240), (2, 40), (4, 80), (8, 90), (16, 25), (32, 5)),
    "philly": ((1, 830), (2, 50), (4, 65), (8, 43), (16, 10), (32, 2)),
    "helios": ((1, 580), (2, 110), (4, 120), (8, 145), (16, 25), (32, 12), (64, 8)),
    "pai": ((1, 700), (2, 120), (4, 80), (8, 70), (16, 20), (32, 10)),
    "gavel": ((1, 14), (2, 2), (4, 3), (8, 1)),
    "single": ((1, 1),),
    "tiny": ((1, 3), (2, 2), (3, 1)),
}
"""GPUs of a job, and the number of such jobs in a batch of the mix."""

Durations = Literal["pareto", "uniform", "philly", "helios", "pai", "gavel"]

QUANTILES: dict[str, tuple[tuple[float, float], ...]] = {
    "philly": (
        (0, 5), (0.05, 48), (0.1, 61), (0.25, 130), (0.5, 1200), (0.75, 3300), (0.9, 13_000),
        (0.95, 50_000), (0.99, 290_000), (0.999, 1_360_000), (1, 5_184_000),
    ),
    "helios": (
        (0, 1), (0.05, 3), (0.25, 35), (0.5, 206), (0.75, 1220), (0.9, 6040), (0.95, 15_700),
        (0.99, 90_000), (0.999, 550_000), (1, 4_320_000),
    ),
    "pai": (
        (0, 5), (0.05, 58), (0.25, 380), (0.5, 1380), (0.75, 5040), (0.9, 16_200),
        (0.95, 32_600), (0.99, 121_000), (1, 604_800),
    ),
    "gavel": ((0, 1897), (0.8, 60_000), (1, 600_000)),
}  # fmt: skip
"""Quantiles of durations: fraction of jobs and seconds, with linear logarithms in between."""

SKEWED = ("VGG19", "VGG16", "VGG11", "AlexNet")
"""Models with one dominant tensor."""
MODELS = (*SKEWED, "ResNet152", "ResNet101", "ResNet50", "Inception4", "Inception3", "GoogLeNet")
"""The models of the Tiresias experiments, each trained by equally many jobs."""


DAY_S = 86_400

LEAST_SERIAL = Decimal("0.01")
"""Least fraction of a job's work that more GPUs do not speed up."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceMix(Mix):
    """Options of the generator. A family is a set of defaults."""

    jobs: Annotated[Size, "number of jobs"] = 480
    servers: Annotated[Size, "number of servers"] = 15
    server_gpus: Annotated[Count, "GPUs of a server"] = 4
    rack_servers: Annotated[Count | None, "servers of a rack, or null for a single rack"] = None
    widths: Annotated[Widths, "mix of job sizes"] = "tiresias"
    durations: Annotated[Durations, "law of durations"] = "pareto"
    tail: Annotated[Positive, "exponent of the law, if it is a bounded Pareto law"] = Decimal("0.8")
    least_s: Annotated[Positive, "shortest job"] = Decimal(120)
    most_s: Annotated[Positive, "longest job"] = Decimal(7200)
    doubling: Annotated[
        Positive, "factor of durations per doubling of GPUs, within the shortest and the longest"
    ] = Decimal(1)
    error: Annotated[
        Amount, "predicted durations are within a factor of 1 + error, up to rounding to ticks"
    ] = Decimal(0)
    gap_s: Annotated[Amount, "mean time between arrivals, unless a load is given"] = Decimal(30)
    load: Annotated[
        Positive | None, "arriving GPU-seconds / available GPU-seconds, which sets the gap"
    ] = None
    daily: Annotated[Amount, "daily swing of the arrival rate (0.5: 0.5 to 1.5 times its mean)"] = (
        Decimal(0)
    )
    communication: Annotated[Amount, "exchange time / other time of a job across servers"] = (
        Decimal("0.05")
    )
    skewed_communication: Annotated[Amount, "the same ratio for a skewed model"] = Decimal("0.67")
    packed_speed: Annotated[Fraction01 | None, "speed of jobs that share their GPUs"] = None
    most_width: Annotated[
        Count | None,
        ("jobs may run on 1, 2, 4, .. GPUs up to this, or null for the requested number only"),
    ] = None
    most_serial: Annotated[
        Fraction01, "largest fraction of such a job's work that more GPUs do not speed up (Amdahl)"
    ] = Decimal("0.15")
    contention: Annotated[
        Literal["none", "server_uplink", "racks"], "how jobs across servers slow each other down"
    ] = "none"
    share: Annotated[Fraction01, "contention share xi_1 (server_uplink)"] = Decimal(1)
    degradation: Annotated[Amount, "contention degradation alpha (server_uplink)"] = Decimal(0)
    oversubscription: Annotated[Positive, "oversubscription of the racks' uplinks (racks)"] = (
        Decimal(2)
    )
    tick_s: Annotated[Positive, "length of a tick"] = Decimal(1)
    restart_s: Annotated[Amount, "cost of resuming on other GPUs"] = Decimal(60)
    resume_s: Annotated[
        Amount | None, "cost of a restart on the same GPUs, or null for restart_s"
    ] = None
    regions: Annotated[Count, "regions to distribute servers over, or 1 for no regions"] = 1
    local: Annotated[Local, "fraction of the jobs that are bound to one region"] = Decimal("0.5")
    kinds: Annotated[Count, "kinds of GPUs, dealt to the servers in turn; 1 for none"] = 1
    models: Annotated[
        Literal["tiresias", "gavel"],
        "models that jobs train: those of Tiresias, or those that Gavel measured on v100, p100 and "
        "k80",
    ] = "tiresias"
    slower: Annotated[
        Fraction01,
        "least speed of a model on a kind of GPUs, relative to the kind before it, if not measured",
    ] = Decimal("0.5")
    picky: Annotated[
        Local, "fraction of the jobs that run on one kind of GPUs only, if there are several"
    ] = Decimal("0.1")
    groups: Annotated[
        Count, "groups that the jobs belong to, the k-th with 1/k as many as the first; 1 for none"
    ] = 1
    quota: Annotated[
        Fraction01 | None, "share of all GPUs that is quotas, in equal parts, or null for no quotas"
    ] = None
    most: Annotated[
        Positive | None,
        "GPUs that a group may hold, at least for its widest job, over its equal part of all GPUs, "
        "or null for no such limit",
    ] = None
    priorities: Annotated[Count, "priorities, from 0, equally likely"] = 1
    overestimate: Annotated[
        Positive | None, "time limits are up to 1 + this times the duration, or null for no limits"
    ] = None
    slack: Annotated[
        Positive | None,
        "deadlines are durations times up to 1 + this after arrivals, or null for no deadlines",
    ] = None
    begun: Annotated[
        Local,
        "fraction of the jobs that have begun before time 0, most of them with a run",
    ] = Decimal(0)
    phases: Annotated[
        Count, "phases that jobs of a type go through, at other speeds, or 1 for no types"
    ] = 1
    typed: Annotated[Local, "fraction of the jobs that have a type, if there are phases"] = Decimal(
        1
    )
    mtbf_s: Annotated[
        Positive | None, "mean time of a server between failures, or null for no outages"
    ] = None
    repair_s: Annotated[Positive, "mean time until a server is back"] = Decimal(14_400)
    announced: Annotated[Local, "fraction of the outages that are known in advance"] = Decimal(0)
    checkpoint_s: Annotated[
        Positive | None, "time worked between checkpoints, or null if outages cost no work"
    ] = None

    SIZE: ClassVar = "{self.jobs} jobs on {self.servers} x {self.server_gpus} GPUs"

    @property
    def tag(self) -> str:
        """A short form for names."""
        error = f"-error{self.error}" if self.error else ""
        return f"{self.jobs}x{self.servers * self.server_gpus}{error}"

    def build(self, seed: int, name: str) -> TraceInstance:
        """Return the instance of a seed."""
        rng = Random(seed)
        total = self.servers * self.server_gpus
        most = self.server_gpus * -(-self.servers // self.kinds)
        fitting = [(width, count) for width, count in WIDTHS[self.widths] if width <= most]
        counts = Counter(in_shares(fitting, self.jobs))
        # For each size, draw one job from each of equally many quantiles of the law.
        sizes = [
            (width, self.ticks((i + rng.random()) / count, width))
            for width, count in counts.items()
            for i in range(count)
        ]
        sizes.sort(key=lambda _: rng.random())
        work = sum(width * ticks for width, ticks in sizes)
        arrivals = _arrivals(self, rng, work * float(self.tick_s) / total)
        rack = self.rack_servers or self.servers
        made = TraceInstance(
            name=name,
            servers=tuple(
                RackServer(name=f"s{i}", gpus=self.server_gpus, rack=f"rack{i // rack}")
                for i in range(self.servers)
            ),
            jobs=tuple(
                _job(self, rng, f"j{i:0{len(str(self.jobs - 1))}}", at, *size)
                for i, (at, size) in enumerate(zip(arrivals, sizes, strict=True))
            ),
            contention=_contention(self),
            tick_s=self.tick_s,
            restart_s=self.restart_s,
            resume_s=self.resume_s,
            checkpoint_s=self.checkpoint_s,
        )
        if self.kinds > 1:
            made = with_kinds(made, seed, self.kinds, float(self.slower), float(self.picky))
        made = with_regions(made, self.regions, self.local, seed)
        made = _predicted(made, self.error, seed) if self.error else made
        made = with_labels(made, self, seed)
        made = with_begun(made, self.begun, seed) if self.begun else made
        if self.phases > 1:
            made = with_types(made, seed, self.phases, float(self.typed))
        if self.mtbf_s is None:
            return made
        times = float(self.mtbf_s), float(self.repair_s)
        return with_outages(made, seed, *times, announced=float(self.announced))

    def ticks(self, part: float, width: int = 1) -> int:
        """Return a quantile of the durations of jobs of a width."""
        seconds = self._seconds(part)
        if self.doubling != 1:
            longer = seconds * float(self.doubling) ** log2(width)
            seconds = min(float(self.most_s), max(float(self.least_s), longer))
        return max(1, round(seconds / float(self.tick_s)))

    def _seconds(self, part: float) -> float:
        low, high = float(self.least_s), float(self.most_s)
        if self.durations == "uniform":
            return low + (high - low) * part
        if self.durations == "pareto":
            return _pareto(low, high, float(self.tail), part)
        table = QUANTILES[self.durations]
        k = bisect_right([quantile for quantile, _ in table], part) - 1
        (before, short), (after, long) = table[k], table[k + 1]
        way = (part - before) / (after - before)
        return min(high, max(low, exp(log(short) + way * log(long / short))))


def _predicted(instance: TraceInstance, error: Decimal, seed: int) -> TraceInstance:
    """Predict all durations: the logarithm of each factor is uniform.

    A larger error stretches the same factors. The random numbers are separate, so all other data
    stay the same.
    """
    rng, tick = Random(f"predictions {seed}"), instance.tick_s
    jobs = []
    for job in instance.jobs:
        factor = float(1 + error) ** (2 * rng.random() - 1)
        ticks = max(1, round(float(job.duration_s / tick) * factor))
        jobs.append(replace(job, predicted_s=ticks * tick))
    return replace(instance, jobs=tuple(jobs))


def _pareto(low: float, high: float, tail: float, part: float) -> float:
    """Return a quantile of a bounded Pareto law."""
    try:
        first, last = low**-tail, high**-tail
        return float((first - part * (first - last)) ** (-1 / tail))
    except (OverflowError, ZeroDivisionError):  # Units of `low` avoid overflow.
        return float(low * (1 - part * (1 - (high / low) ** -tail)) ** (-1 / tail))


def _arrivals(mix: TraceMix, rng: Random, busy_s: float) -> list[Decimal]:
    """Draw arrivals, the first at 0, from a Poisson process whose rate may vary over the day.

    `busy_s` is the time for which all jobs keep the whole cluster busy.
    """
    gap = float(mix.gap_s) if mix.load is None else busy_s / float(mix.load) / mix.jobs
    swing, now = float(mix.daily), 0.0
    found = [Decimal(0)]
    while len(found) < mix.jobs:
        now -= log(1 - rng.random()) * gap / (1 + swing)
        if rng.random() * (1 + swing) < 1 + swing * sin(2 * pi * now / DAY_S):
            found.append(int(now / float(mix.tick_s)) * mix.tick_s)
    return found


def _job(
    mix: TraceMix, rng: Random, name: str, arrival: Decimal, gpus: int, ticks: int
) -> TraceJob:
    models = MODELS if mix.models == "tiresias" else measured_models(gpus)
    model = models[int(rng.random() * len(models))]
    return TraceJob(
        name=name,
        arrival_s=arrival,
        gpus=gpus,
        duration_s=ticks * mix.tick_s,
        model=model,
        communication=mix.skewed_communication if model in SKEWED else mix.communication,
        packed_speed=mix.packed_speed,
        speeds=_speeds(mix, rng, gpus) if mix.most_width else (),
        curve=_curve(rng) if mix.most_width else None,
    )


def _speeds(mix: TraceMix, rng: Random, gpus: int) -> tuple[Width, ...]:
    """Draw the fraction of a job's work that more GPUs do not speed up (Amdahl's law)."""
    serial = between(rng, min(LEAST_SERIAL, mix.most_serial), mix.most_serial)
    most = min(mix.most_width or gpus, mix.servers * mix.server_gpus)
    others = [2**k for k in range(most.bit_length()) if 2**k <= most and 2**k != gpus]

    def pace(count: int) -> float:
        return count / (1 + serial * (count - 1))

    return tuple(Width(gpus=w, speed=exact(pace(w) / pace(gpus), 4)) for w in others)


def _curve(rng: Random) -> LossCurve:
    return LossCurve(
        epochs=whole(rng, 10, 60),
        decay=exact(between(rng, Decimal("0.05"), Decimal("0.5")), 3),
        start=exact(between(rng, Decimal("0.15"), Decimal("0.5")), 3),
        floor=exact(between(rng, Decimal("0.1"), Decimal("0.6")), 3),
    )


def _contention(mix: TraceMix) -> TraceContention | None:
    if mix.contention == "server_uplink":
        return ServerUplink(share=mix.share, degradation=mix.degradation)
    if mix.contention == "racks":
        return RackLinks(oversubscription=mix.oversubscription)
    return None


_CLUSTER = TraceMix(
    jobs=500,
    servers=8,
    server_gpus=8,
    rack_servers=4,
    least_s=Decimal(1),
    load=Decimal("0.9"),
    daily=Decimal("0.5"),
)

PRESETS: dict[str, tuple[str, TraceMix]] = {
    "tiresias": ("the testbed of Tiresias", TraceMix()),
    "philly": (
        "a mix like in Philly",
        replace(_CLUSTER, widths="philly", durations="philly", most_s=Decimal(60 * DAY_S)),
    ),
    "helios": (
        "a mix like in Helios",
        replace(_CLUSTER, widths="helios", durations="helios", most_s=Decimal(50 * DAY_S)),
    ),
    "pai": (
        "a mix like in Alibaba's PAI, whose jobs may share GPUs",
        replace(
            _CLUSTER,
            widths="pai",
            durations="pai",
            most_s=Decimal(7 * DAY_S),
            packed_speed=Decimal("0.7"),
        ),
    ),
    "elastic": (
        "jobs that may run on more and fewer GPUs, with their loss curves",
        TraceMix(jobs=100, servers=8, gap_s=Decimal(90), most_width=32, restart_s=Decimal(10)),
    ),
    "gavel": (
        "jobs like in Gavel's simulations, on three kinds of GPUs",
        replace(
            _CLUSTER,
            jobs=200,
            servers=27,
            server_gpus=4,
            rack_servers=None,
            widths="gavel",
            durations="gavel",
            models="gavel",
            most_s=Decimal(600_000),
            load=Decimal("0.6"),
            daily=Decimal(0),
            communication=Decimal(0),
            skewed_communication=Decimal(0),
            kinds=3,
            picky=Decimal(0),
        ),
    ),
    "tiny-trace": (
        "a few seconds each, for exact methods",
        TraceMix(
            jobs=4,
            servers=2,
            server_gpus=2,
            widths="tiny",
            durations="uniform",
            least_s=Decimal(1),
            most_s=Decimal(8),
            gap_s=Decimal(1),
            communication=Decimal(0),
            skewed_communication=Decimal(1),
            restart_s=Decimal(1),
        ),
    ),
}
"""Families by name: their descriptions, and their defaults."""


def random_trace(seed: int, index: int) -> TraceInstance:
    """Return instance number `index` of a campaign about `trace` methods."""
    rng = seeded(seed, index)
    racks = one_of(rng, "none", "none", "server_uplink", "racks")
    made: TraceInstance = generate(
        "tiny-trace",
        seed=index,
        name=f"trace-{seed}-{index}",
        jobs=int(rng.integers(1, 9)),
        servers=int(rng.integers(1, 5)),
        server_gpus=one_of(rng, 1, 2, 3, 4),
        rack_servers=one_of(rng, None, 1, 2),
        gap_s=Decimal(one_of(rng, "0", "0.5", "1", "3")),
        most_s=Decimal(one_of(rng, 2, 8, 20)),
        tick_s=Decimal(one_of(rng, "1", "1", "0.5")),
        communication=Decimal(one_of(rng, "0", "0.1", "1")),
        skewed_communication=Decimal(one_of(rng, "0", "0.67", "3")),
        packed_speed=one_of(rng, None, None, Decimal("0.4"), Decimal("0.8"), Decimal(1)),
        most_width=one_of(rng, None, None, 2, 8),
        contention=racks,
        share=Decimal(one_of(rng, "0.5", "1")),
        degradation=Decimal(one_of(rng, "0", "0.5")),
        oversubscription=Decimal(one_of(rng, 1, 2, 4)),
        restart_s=Decimal(one_of(rng, 0, 1, 3)),
        resume_s=one_of(rng, None, None, Decimal(0), Decimal(1)),
        error=Decimal(one_of(rng, 0, 0, 1, 3)),
        groups=one_of(rng, 1, 1, 2, 3),
        priorities=one_of(rng, 1, 1, 3),
        overestimate=one_of(rng, None, None, None, Decimal(2)),
        slack=one_of(rng, None, None, None, Decimal(2)),
        quota=one_of(rng, None, Decimal("0.5"), Decimal(1), Decimal(1)),
        most=one_of(rng, None, Decimal("0.5"), Decimal(1), Decimal("1.5")),
        kinds=one_of(rng, 1, 1, 2, 3),
        slower=Decimal(one_of(rng, "0.2", "1")),
        picky=Decimal(one_of(rng, "0", "0.5")),
        begun=Decimal(one_of(rng, "0", "0", "0.3", "1")),
        mtbf_s=one_of(rng, None, None, None, Decimal(8)),
        repair_s=Decimal(one_of(rng, 1, 4)),
        announced=Decimal(one_of(rng, "0", "0.5")),
        checkpoint_s=one_of(rng, None, Decimal(1), Decimal(3), Decimal(100)),
        phases=one_of(rng, 1, 1, 1, 1, 1, 1, 2, 3),
        typed=Decimal(one_of(rng, "0.5", "1")),
    )
    return made
