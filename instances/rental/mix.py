"""New `rental` and `fleet` instances: the generator, and the families that are its presets.

Only `random.Random.random` is used, so a seed names the same instance everywhere.
"""

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from decimal import Decimal
from fractions import Fraction
from math import ceil
from random import Random
from typing import Annotated, Any, ClassVar, Literal

from ..draw import between, exact
from ..errors import InputError, Problem
from ..fleet import FleetInstance
from ..fleet.mix import Arrivals, Sizes, draw, fleet_of
from ..generate import generate
from ..reading.files import validate
from ..reading.vocabulary import Amount, Count, Mix, Positive, Range, Size
from ..sampled import one_of, seeded
from ..speedup import Amdahl, PowerLaw, SpeedPoint, SpeedTable, Speedup
from . import Epoch, JobType, RentalInstance, Widths
from .goodput import APPLICATIONS, WIDTHS, speedups

Streams = Literal["paper", "power", "amdahl", "table", "mixed", "stepped", "pollux"]
Epochs = Annotated[int, Range(1, 100)]


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamMix(Mix):
    """Common options of `rental` and `fleet` instances."""

    types: Annotated[Size, "number of types"] = 6
    mix: Annotated[Streams, "speed-ups of the types"] = "mixed"
    epochs: Annotated[Epochs, "epochs of each job, with separate speed-ups"] = 1
    load: Annotated[Positive, "busy GPUs if every job has one"] = Decimal(10)
    least_h: Annotated[Positive, "least work of a type, in hours on one GPU"] = Decimal("0.1")
    most_h: Annotated[Positive, "most work of a type"] = Decimal(10)
    most_weight: Annotated[Positive, "weights are drawn from 1 to this"] = Decimal(1)
    budget_gpus: Annotated[
        Positive | None, "GPUs that may be paid for, on average, or null for twice the load"
    ] = None
    widths: Annotated[Widths, "fractions of GPUs allowed (any) or not (whole)"] = "any"
    rescale_s: Annotated[Amount, "pause of a job when its GPUs change"] = Decimal(0)

    def streams(self, seed: int, name: str) -> RentalInstance:
        """Return the types of a seed, and the budget."""
        rng = Random(seed)
        makers: dict[str, Callable[[StreamMix, Random], list[JobType]]] = {
            "paper": _of_the_paper,
            "pollux": _of_pollux,
        }
        return RentalInstance(
            name=name,
            types=tuple(makers.get(self.mix, _drawn)(self, rng)),
            budget_gpus=self.budget_gpus or 2 * self.load,
            widths=self.widths,
            rescale_s=self.rescale_s,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class RentalMix(StreamMix):
    """Options of the generator. A family is a set of defaults."""

    SIZE: ClassVar = "{self.types} types of jobs"
    TAG: ClassVar = "{self.types}"

    def build(self, seed: int, name: str) -> RentalInstance:
        """Return the instance of a seed."""
        return self.streams(seed, name)


def _of_the_paper(mix: StreamMix, rng: Random) -> list[JobType]:
    """Return types alternating between the two of the BOA paper's Figure 1, of 1 h of work each."""
    laws = (
        ("amdahl", Amdahl(parallel=Decimal("0.8"))),
        ("root", PowerLaw(exponent=Decimal("0.5"))),
    )
    rate = exact(float(mix.load) / mix.types, 6)
    return [
        JobType(
            name=_numbered(laws[i % 2][0], i // 2),
            rate_per_h=rate,
            epochs=(Epoch(work_h=Decimal(1), speedup=laws[i % 2][1]),),
        )
        for i in range(mix.types)
    ]


def _of_pollux(mix: StreamMix, rng: Random) -> list[JobType]:
    """Return types cycling through the six modelled applications, with their frequencies."""
    chosen = [list(APPLICATIONS.items())[i % len(APPLICATIONS)] for i in range(mix.types)]
    work = float(sum(one.share * one.work_h for _, one in chosen))
    return [
        JobType(
            name=_numbered(name, i // len(APPLICATIONS)),
            rate_per_h=exact(float(mix.load) * one.share / work, 6),
            asks=one.asks,
            epochs=tuple(
                Epoch(work_h=exact(float(one.work_h) / mix.epochs, 4), speedup=speedup)
                for speedup in speedups(one, mix.epochs)
            ),
        )
        for i, (name, one) in enumerate(chosen)
    ]


def _numbered(name: str, turn: int) -> str:
    return f"{name}-{turn + 1}" if turn else name


def _drawn(mix: StreamMix, rng: Random) -> list[JobType]:
    """Draw types: log-uniform work between its limits, and fractions of the load."""
    digits = len(str(mix.types - 1))
    parts = [between(rng, Decimal("0.2"), 1) for _ in range(mix.types)]
    found = []
    for i, part in enumerate(parts):
        work = float(mix.least_h) * (float(mix.most_h / mix.least_h)) ** rng.random()
        rate = float(mix.load) * part / sum(parts) / work
        found.append(
            JobType(
                name=f"t{i:0{digits}}",
                rate_per_h=_short(rate),
                weight=_short(between(rng, 1, mix.most_weight)),
                asks=2 ** int(4 * rng.random()),
                epochs=tuple(
                    Epoch(work_h=_short(work / mix.epochs), speedup=_speedup(mix.mix, i, rng))
                    for _ in range(mix.epochs)
                ),
            )
        )
    return found


def _speedup(mix: str, number: int, rng: Random) -> Speedup:
    law = ("power", "amdahl", "table")[number % 3] if mix == "mixed" else mix
    if law == "stepped":
        return _stepped(rng)
    exponent = exact(between(rng, Decimal("0.3"), Decimal("0.95")), 3)
    if law == "power":
        return PowerLaw(exponent=exponent)
    if law == "amdahl":
        # The limit speed-up is the power law's on 1,000 GPUs.
        return Amdahl(parallel=exact(1 - 1000 ** -float(exponent), 4))
    loss = between(rng, 0, Decimal("0.02"))  # At some point more GPUs are slower.
    return _table([(k, k ** float(exponent) / (1 + loss * (k - 1))) for k in WIDTHS])


def _stepped(rng: Random) -> SpeedTable:
    """Draw a table that rises at multiples of a number of GPUs, and hardly between them."""
    step = 2 + int(3 * rng.random())
    exponent = between(rng, Decimal("0.6"), Decimal("0.95"))
    points, before = [(1, 1.0)], 1.0
    for k in range(step, 8 * step + 1, step):
        if k - 1 > points[-1][0]:
            points.append((k - 1, before * 1.05))
        before = max(k**exponent, before * 1.1)
        points.append((k, before))
    return _table(points)


def _table(points: list[tuple[int, float]]) -> SpeedTable:
    """Return a table up to its maximum."""
    top = max(range(len(points)), key=lambda i: points[i][1])
    return SpeedTable(
        points=tuple(
            SpeedPoint(gpus=Decimal(gpus), speed=exact(speed, 4))
            for gpus, speed in points[: top + 1]
        )
    )


def _short(value: float) -> Decimal:
    """Round a positive number to 4 digits."""
    return Decimal(f"{value:.4g}").normalize() + 0


@dataclass(frozen=True, slots=True, kw_only=True)
class FleetMix(StreamMix):
    """Options of the generator of fleets: jobs of the types of a `rental` instance."""

    jobs: Annotated[Size, "number of jobs"] = 200
    arrivals: Annotated[Arrivals, "law of arrivals"] = "poisson"
    sizes: Annotated[Sizes, "law of the jobs' work around its mean"] = "exponential"
    provision_s: Annotated[Amount, "time from a lease's start until it is available"] = Decimal(0)
    node_gpus: Annotated[Count | None, "GPUs of a node, leased whole, or null for any part"] = None
    billing_s: Annotated[Positive | None, "billing unit of leases, or null for tick_s"] = None
    tick_s: Annotated[Positive, "length of a tick"] = Decimal(1)

    SIZE: ClassVar = "{self.jobs} jobs of {self.types} types"
    TAG: ClassVar = "{self.jobs}x{self.types}"

    def build(self, seed: int, name: str) -> FleetInstance:
        """Return the instance of a seed. The default budget is twice the load of its jobs."""
        rental = self.streams(seed, name)
        validate(rental)
        drawn = draw(
            rental.types,
            self.jobs,
            seed,
            arrivals=self.arrivals,
            sizes=self.sizes,
            tick_s=self.tick_s,
        )
        made = fleet_of(
            rental,
            drawn,
            provision_s=self.provision_s,
            node_gpus=self.node_gpus,
            billing_s=self.billing_s,
            tick_s=self.tick_s,
        )
        load = sum(map(sum, made.loads), Fraction(0))
        if self.budget_gpus is None:
            return replace(made, budget_gpus=ceil(2000 * load) / Decimal(1000))
        if load > Fraction(self.budget_gpus):
            expected = f"at least {ceil(1000 * load) / 1000}, one GPU for each job drawn"
            problem = Problem(
                "budget_gpus", self.budget_gpus, expected, "raise it, or change the seed"
            )
            raise InputError("options", [problem])
        return made


_KINDS: dict[str, tuple[str, RentalMix, dict[str, Any]]] = {
    "two-types": (
        "Amdahl's law and a square root, as in Figure 1 of the BOA paper",
        RentalMix(types=2, mix="paper", load=Decimal("0.8")),
        {},
    ),
    "power": ("power laws", RentalMix(mix="power"), {}),
    "amdahl": ("Amdahl's law", RentalMix(mix="amdahl"), {}),
    "mixed": ("power laws, Amdahl's law, and tables", RentalMix(types=9), {}),
    "stepped": (
        "speed-ups with steps, which are not concave",
        RentalMix(mix="stepped", widths="whole"),
        {},
    ),
    "pollux": (
        "six applications with modelled goodput, whose speed-ups grow from epoch to epoch",
        RentalMix(mix="pollux", epochs=4, load=Decimal(60), widths="whole"),
        {"jobs": 300},
    ),
    "large": (
        "very many types",
        RentalMix(types=1000, load=Decimal(2000)),
        {"jobs": 10_000},
    ),
}
"""Kinds of streams: descriptions, options of the rental mix, further options of the fleet's."""


def _fleet(mix: RentalMix, more: dict[str, Any]) -> FleetMix:
    return FleetMix(**{field.name: getattr(mix, field.name) for field in fields(mix)} | more)


RENTALS = {f"rental-{kind}": (about, mix) for kind, (about, mix, _) in _KINDS.items()}
"""Presets of `rental` instances by name: their descriptions, and their defaults."""

FLEETS = {
    **{f"fleet-{kind}": (about, _fleet(mix, more)) for kind, (about, mix, more) in _KINDS.items()},
    "tiny-fleet": (
        "a few minutes each, for exact methods",
        FleetMix(
            types=2,
            jobs=4,
            widths="whole",
            load=Decimal(3),
            least_h=Decimal("0.1"),
            most_h=Decimal("0.3"),
            tick_s=Decimal(60),
        ),
    ),
}
"""Presets of `fleet` instances by name."""


def random_rental(seed: int, index: int) -> RentalInstance:
    """Return instance number `index` of a campaign about `rental` methods."""
    rng = seeded(seed, index)
    made: RentalInstance = generate(
        one_of(rng, "rental-mixed", "rental-mixed", "rental-stepped", "rental-pollux"),
        seed=index,
        name=f"rental-{seed}-{index}",
        **_streams(rng),
    )
    return made


def random_fleet(seed: int, index: int) -> FleetInstance:
    """Return instance number `index` of a campaign about `fleet` methods."""
    rng = seeded(seed, index)
    made: FleetInstance = generate(
        one_of(rng, "fleet-mixed", "fleet-mixed", "fleet-stepped", "fleet-pollux"),
        seed=index,
        name=f"fleet-{seed}-{index}",
        **_streams(rng),
        jobs=int(rng.integers(1, 9)),
        arrivals=one_of(rng, "poisson", "bursty", "even"),
        sizes=one_of(rng, "exponential", "fixed", "pareto", "lognormal"),
        provision_s=Decimal(one_of(rng, 0, 0, 60, 300)),
        node_gpus=one_of(rng, None, None, 1, 4),
        billing_s=one_of(rng, None, None, Decimal(60), Decimal(3600)),
        tick_s=Decimal(one_of(rng, 1, 20, 60)),
    )
    return made


def _streams(rng: Any) -> dict[str, Any]:
    return {
        "types": int(rng.integers(1, 6)),
        "epochs": one_of(rng, 1, 1, 2, 3),
        "load": Decimal(one_of(rng, "0.5", "1", "5")),
        "most_weight": Decimal(one_of(rng, 1, 1, 5)),
        "widths": one_of(rng, "any", "whole"),
        "rescale_s": Decimal(one_of(rng, 0, 0, 60, 600)),
    }
