"""New `reserved` instances: one generator, and the families that are its presets.

The default ranges are from the experiments of GADGET, as far as they are known. Its sigmoid
utilities are not concave, which its guarantee needs. Here each ring has a random concave shape,
with
the ranges of the sigmoid's height and midpoint for value and scale. Only `random.Random.random` is
used, so a seed names the same instance everywhere.
"""

from dataclasses import dataclass
from decimal import Decimal
from random import Random
from typing import Annotated, ClassVar

from ..draw import between, exact, whole
from ..generate import generate
from ..online.mix import speed
from ..reading.vocabulary import Amount, Count, Fraction01, Mix, NonEmpty, Positive, Size
from ..sampled import one_of, seeded
from . import Gain, LinkedMachine, Rack, ReservedInstance, ReservedRing, Shape


@dataclass(frozen=True, slots=True, kw_only=True)
class ReservedMix(Mix):
    """Options of the generator. A family is a set of defaults."""

    jobs: Annotated[Size, "number of rings"] = 100
    machines: Annotated[Size, "number of machines (S)"] = 50
    racks: Annotated[Size, "number of racks"] = 4
    slots: Annotated[Count, "number of slots (T)"] = 200
    arrival_part: Annotated[Fraction01, "rings arrive over this part of the slots"] = Decimal("0.8")
    machine_gpus: Annotated[
        tuple[Count, ...], NonEmpty(), "GPUs of machines, drawn with equal probabilities"
    ] = (1, 2, 4, 8)
    most_workers: Annotated[
        Count, "limits on a ring's workers in a slot are drawn from 1 to this"
    ] = 5
    most_worker_gpus: Annotated[Count, "GPUs of a worker are drawn from 1 to this"] = 2
    least_budget: Annotated[Count, "smallest budget, in GPU-slots (F_i)"] = 1000
    most_budget: Annotated[Count, "largest budget"] = 6000
    least_progress: Annotated[Count, "slowest worker, in progress per slot (zeta_i)"] = 50
    most_progress: Annotated[Count, "fastest worker"] = 500
    least_gbit: Annotated[Amount, "smallest reservation (b_i)"] = Decimal("0.1")
    most_gbit: Annotated[Amount, "largest reservation"] = Decimal(5)
    least_link_gbit: Annotated[Positive, "slowest uplink of a machine"] = Decimal(10)
    most_link_gbit: Annotated[Positive, "fastest uplink of a machine"] = Decimal(100)
    least_rack_gbit: Annotated[Positive, "slowest uplink of a rack"] = Decimal(200)
    most_rack_gbit: Annotated[Positive, "fastest uplink of a rack"] = Decimal(3200)
    most_value: Annotated[Count, "values of gains are drawn from 1 to this"] = 100
    least_scale: Annotated[Positive, "smallest scale of a gain"] = Decimal(300)
    most_scale: Annotated[Positive, "largest scale of a gain"] = Decimal(3000)

    SIZE: ClassVar = "{self.jobs} rings on {self.machines} machines over {self.slots} slots"
    TAG: ClassVar = "{self.jobs}x{self.machines}x{self.slots}"

    def build(self, seed: int, name: str) -> ReservedInstance:
        """Return the instance of a seed."""
        rng = Random(seed)
        uplinks = [speed(rng, self.least_rack_gbit, self.most_rack_gbit) for _ in range(self.racks)]
        racks = [Rack(name=f"r{k}", uplink_gb_s=uplink) for k, uplink in enumerate(uplinks)]
        machines = [_machine(self, rng, i) for i in range(self.machines)]
        last = max(1, int(self.slots * self.arrival_part))
        arrivals = sorted(whole(rng, 0, last - 1) for _ in range(self.jobs))
        names = [f"j{i:0{len(str(self.jobs - 1))}}" for i in range(self.jobs)]
        most = min(self.most_worker_gpus, max(int(dict(one.capacity)["gpu"]) for one in machines))
        return ReservedInstance(
            name=name,
            racks=tuple(racks),
            machines=tuple(machines),
            jobs=tuple(
                _ring(self, rng, job, at, most) for job, at in zip(names, arrivals, strict=True)
            ),
            horizon_slots=self.slots,
        )


def _machine(mix: ReservedMix, rng: Random, number: int) -> LinkedMachine:
    """Draw a machine. Racks are filled in turn."""
    gpus = mix.machine_gpus[int(rng.random() * len(mix.machine_gpus))]
    return LinkedMachine(
        name=f"m{number}",
        capacity=(("gpu", Decimal(gpus)),),
        uplink_gb_s=speed(rng, mix.least_link_gbit, mix.most_link_gbit),
        rack=f"r{number % mix.racks}",
    )


def _ring(mix: ReservedMix, rng: Random, name: str, arrival: int, gpus: int) -> ReservedRing:
    shapes: tuple[Shape, ...] = ("root", "log", "saturating")
    return ReservedRing(
        name=name,
        arrival_slot=arrival,
        most_workers=whole(rng, 1, mix.most_workers),
        worker=(("gpu", Decimal(whole(rng, 1, gpus))),),
        reserved_gb_s=speed(rng, mix.least_gbit, mix.most_gbit),
        budget=(("gpu", Decimal(whole(rng, mix.least_budget, mix.most_budget))),),
        progress_per_worker_slot=exact(between(rng, mix.least_progress, mix.most_progress), 1),
        gain=Gain(
            shape=shapes[int(rng.random() * len(shapes))],
            value=exact(between(rng, 1, mix.most_value), 2),
            scale=exact(between(rng, mix.least_scale, mix.most_scale), 0),
        ),
    )


PRESETS: dict[str, tuple[str, ReservedMix]] = {
    "gadget": ("the ranges of GADGET's experiments", ReservedMix()),
    "gadget-small": (
        "a few rings on narrow links, for exact methods",
        ReservedMix(
            jobs=5,
            machines=4,
            racks=2,
            slots=6,
            machine_gpus=(1, 2, 4),
            least_budget=4,
            most_budget=30,
            least_gbit=Decimal(1),
            least_link_gbit=Decimal(4),
            most_link_gbit=Decimal(10),
            least_rack_gbit=Decimal(4),
            most_rack_gbit=Decimal(20),
        ),
    ),
}
"""Families by name: their descriptions, and their defaults."""


def random_links(seed: int, index: int) -> ReservedInstance:
    """Return instance number `index` of a campaign about `reserved` methods."""
    rng = seeded(seed, index)
    made: ReservedInstance = generate(
        "gadget-small",
        seed=index,
        name=f"links-{seed}-{index}",
        jobs=int(rng.integers(2, 9)),
        machines=int(rng.integers(1, 7)),
        racks=int(rng.integers(1, 4)),
        slots=int(rng.integers(2, 9)),
        machine_gpus=one_of(rng, (1, 2), (2, 4), (1, 2, 4)),
    )
    return made
