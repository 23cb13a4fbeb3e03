"""New `rental` instances: one generator, and the families that are its presets.

Only `random.Random.random` is used, so a seed names the same instance everywhere.
"""

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from random import Random
from typing import Annotated, ClassVar, Literal

from ..draw import between, exact
from ..reading.vocabulary import Amount, Mix, Positive, Range, Size
from ..speedup import Amdahl, PowerLaw, SpeedPoint, SpeedTable, Speedup
from .goodput import APPLICATIONS, WIDTHS, speedups
from .instance import Epoch, JobType, RentalInstance, Widths

Streams = Literal["paper", "power", "amdahl", "table", "mixed", "stepped", "pollux"]
Epochs = Annotated[int, Range(1, 100)]


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamMix(Mix):
    """Options that `rental` and `fleet` instances share."""

    types: Annotated[Size, "number of types"] = 6
    mix: Annotated[Streams, "speed-ups of the types"] = "mixed"
    epochs: Annotated[Epochs, "epochs of each job, with speed-ups of their own"] = 1
    load: Annotated[Positive, "GPUs that are busy if every job has one"] = Decimal(10)
    least_h: Annotated[Positive, "least work of a type, in hours on one GPU"] = Decimal("0.1")
    most_h: Annotated[Positive, "most work of a type"] = Decimal(10)
    most_weight: Annotated[Positive, "weights are drawn from 1 to this"] = Decimal(1)
    budget_gpus: Annotated[
        Positive | None, "GPUs that may be paid for, on average; null: twice the load"
    ] = None
    widths: Annotated[Widths, "whether jobs may hold fractions of GPUs"] = "any"
    rescale_s: Annotated[Amount, "how long a job is paused when its GPUs change"] = Decimal(0)

    def streams(self, seed: int, name: str) -> RentalInstance:
        """Return the types that a seed gives, and the budget."""
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
    """Options of the generator; a family is a set of defaults."""

    SIZE: ClassVar = "{self.types} types of jobs"
    TAG: ClassVar = "{self.types}"

    def build(self, seed: int, name: str) -> RentalInstance:
        """Return the instance that a seed gives."""
        return self.streams(seed, name)


def _of_the_paper(mix: StreamMix, rng: Random) -> list[JobType]:
    """Return types by turns of the two of the BOA paper's Figure 1, with an hour of work each."""
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
    """Return types by turns of the six modelled applications, in the shares they come in."""
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
    """Draw types: work between its limits, evenly in its logarithm; parts of the load."""
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
        # As fast on very many GPUs as a power law is on 1,000.
        return Amdahl(parallel=exact(1 - 1000 ** -float(exponent), 4))
    loss = between(rng, 0, Decimal("0.02"))  # Of speed, by each GPU: at some point more is slower.
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
    """Return a table up to where it is highest."""
    top = max(range(len(points)), key=lambda i: points[i][1])
    return SpeedTable(
        points=tuple(
            SpeedPoint(gpus=Decimal(gpus), speed=exact(speed, 4))
            for gpus, speed in points[: top + 1]
        )
    )


def _short(value: float) -> Decimal:
    """Round a number above 0 to 4 digits."""
    return Decimal(f"{value:.4g}").normalize() + 0
