"""The families that are presets of the generators of `rental` and of `fleet` instances."""

from dataclasses import dataclass, fields, replace
from decimal import Decimal
from fractions import Fraction
from math import ceil
from typing import Annotated, Any, ClassVar

from ..errors import InputError, Problem
from ..fleet.instance import FleetInstance
from ..fleet.mix import Arrivals, Sizes, draw, fleet_of
from ..generate import generate
from ..reading.files import validate
from ..reading.vocabulary import Amount, Count, Positive, Size
from ..sampled import one_of, seeded
from .instance import RentalInstance
from .mix import RentalMix, StreamMix


@dataclass(frozen=True, slots=True, kw_only=True)
class FleetMix(StreamMix):
    """Options of the generator of fleets: jobs of the types of a `rental` instance."""

    jobs: Annotated[Size, "number of jobs"] = 200
    arrivals: Annotated[Arrivals, "law of arrivals"] = "poisson"
    sizes: Annotated[Sizes, "law of the jobs' work around its mean"] = "exponential"
    provision_s: Annotated[Amount, "time from the start of a lease until it is of use"] = Decimal(0)
    node_gpus: Annotated[Count | None, "GPUs of a node, leased as a whole; null: any part"] = None
    billing_s: Annotated[Positive | None, "leases are billed in multiples of it; null: tick_s"] = (
        None
    )
    tick_s: Annotated[Positive, "length of a tick"] = Decimal(1)

    SIZE: ClassVar = "{self.jobs} jobs of {self.types} types"
    TAG: ClassVar = "{self.jobs}x{self.types}"

    def build(self, seed: int, name: str) -> FleetInstance:
        """Return the instance that a seed gives; twice the load is that of the jobs drawn."""
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
            problem = Problem("budget_gpus", self.budget_gpus, expected, "raise it, or draw others")
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
"""Kinds of streams: what they are, options of the rental mix, further ones of the fleet's."""


def _fleet(mix: RentalMix, more: dict[str, Any]) -> FleetMix:
    return FleetMix(**{field.name: getattr(mix, field.name) for field in fields(mix)} | more)


RENTALS = {f"rental-{kind}": (about, mix) for kind, (about, mix, _) in _KINDS.items()}
"""Presets of `rental` instances by name: what they are, and their defaults."""

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
"""The same of `fleet` instances."""


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
