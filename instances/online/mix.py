"""New `online` instances: one generator, and the families that are its presets.

The default ranges are from the experiments of PD-ORS and OASiS, as far as they are known. Only
`random.Random.random` is used, so a seed names the same instance everywhere.
"""

from dataclasses import dataclass, replace
from decimal import Decimal
from random import Random
from typing import Annotated, ClassVar

from ..draw import between, exact, whole
from ..generate import generate
from ..reading.vocabulary import Amount, Count, Fraction01, Mix, NonEmpty, Positive, Range, Size
from ..regions import Local, with_regions
from ..sampled import seeded
from . import Hosts, Machine, OnlineInstance, Sigmoid, TrainingJob, has_room
from .worst_cases import RisingValues

GBIT = Decimal("0.125")
"""Gigabytes in a gigabit."""

Part = Annotated[Decimal, Range(0, 1)]


LARGE = 0.5
"""Fraction of online instances with large machines."""

APART = 0.5
"""Fraction of these whose machines hold either workers or parameter servers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OnlineMix(Mix):
    """Options of the generator. A family is a set of defaults."""

    jobs: Annotated[Size, "number of jobs"] = 50
    machines: Annotated[Size, "number of machines"] = 100
    slots: Annotated[Count, "number of slots (T)"] = 20
    arrival_part: Annotated[Fraction01, "jobs arrive over this part of the slots"] = Decimal("0.8")
    machine_gpus: Annotated[
        tuple[Count, ...], NonEmpty(), "GPUs of machines, drawn with equal probabilities"
    ] = (4, 8)
    least_epochs: Annotated[Count, "fewest epochs"] = 50
    most_epochs: Annotated[Count, "most epochs"] = 200
    least_samples: Annotated[Count, "smallest data"] = 20_000
    most_samples: Annotated[Count, "largest data"] = 500_000
    least_batch: Annotated[Count, "smallest batch, which limits the workers"] = 1
    most_batch: Annotated[Count, "largest batch"] = 200
    least_sample_slots: Annotated[Positive, "quickest sample"] = Decimal("0.00001")
    most_sample_slots: Annotated[Positive, "slowest sample"] = Decimal("0.0001")
    least_gradient_gb: Annotated[Amount, "smallest gradient"] = Decimal("0.03")
    most_gradient_gb: Annotated[Amount, "largest gradient"] = Decimal("0.575")
    least_ratio: Annotated[Count, "fewest workers on a parameter server"] = 1
    most_ratio: Annotated[Count, "most workers on a parameter server"] = 10
    least_external_gbit: Annotated[Positive, "slowest link across machines"] = Decimal("0.1")
    most_external_gbit: Annotated[Positive, "fastest link across machines"] = Decimal(5)
    least_internal_gbit: Annotated[Positive, "slowest link inside"] = Decimal(15)
    most_internal_gbit: Annotated[Positive, "fastest link inside"] = Decimal(20)
    most_worker_gpus: Annotated[Count, "most GPUs of a worker (some workers use no GPU)"] = 4
    most_value: Annotated[Count, "highest priority (gamma_1)"] = 100
    most_midpoint: Annotated[Count, "latest half-life (gamma_3)"] = 15
    insensitive: Annotated[Part, "fraction of jobs with a constant utility"] = Decimal("0.1")
    sensitive: Annotated[Part, "fraction of jobs with a gentle decrease"] = Decimal("0.55")
    slot_s: Annotated[Positive, "length of a slot"] = Decimal(3600)
    regions: Annotated[Count, "regions to distribute machines over, or 1 for no regions"] = 1
    local: Annotated[Local, "fraction of the jobs that are bound to one region"] = Decimal("0.5")

    ORDERED: ClassVar = (("most_external_gbit", "least_internal_gbit"),)

    SIZE: ClassVar = "{self.jobs} jobs on {self.machines} machines over {self.slots} slots"
    TAG: ClassVar = "{self.jobs}x{self.machines}x{self.slots}"

    def build(self, seed: int, name: str) -> OnlineInstance:
        """Return the instance of a seed."""
        rng = Random(seed)
        machines = tuple(_machine(self, rng, f"m{i}") for i in range(self.machines))
        last = max(1, int(self.slots * self.arrival_part))
        arrivals = sorted(whole(rng, 0, last - 1) for _ in range(self.jobs))
        names = [f"j{i:0{len(str(self.jobs - 1))}}" for i in range(self.jobs)]
        made = OnlineInstance(
            name=name,
            machines=machines,
            jobs=tuple(
                _job_with_room(self, rng, machines, job, at)
                for job, at in zip(names, arrivals, strict=True)
            ),
            horizon_slots=self.slots,
            slot_s=self.slot_s,
        )
        return with_regions(made, self.regions, self.local, seed)


def _machine(mix: OnlineMix, rng: Random, name: str) -> Machine:
    """Draw a machine: GPUs, and for each of them 4-12 cores, 16-64 GB, 20-40 GB of disk."""
    gpus = mix.machine_gpus[int(rng.random() * len(mix.machine_gpus))]
    amounts = {
        "gpu": gpus,
        "cpu": gpus * whole(rng, 4, 12),
        "memory_gb": gpus * whole(rng, 16, 64),
        "disk_gb": gpus * whole(rng, 20, 40),
    }
    return Machine(name=name, capacity=_amounts(amounts))


def _job_with_room(
    mix: OnlineMix, rng: Random, machines: tuple[Machine, ...], name: str, arrival: int
) -> TrainingJob:
    """Draw a job until it fits: a worker and a server may need more cores than any machine has."""
    while not has_room(job := _job(mix, rng, name, arrival), machines):
        pass
    return job


def _job(mix: OnlineMix, rng: Random, name: str, arrival: int) -> TrainingJob:
    sample_slots = between(rng, mix.least_sample_slots, mix.most_sample_slots)
    gpus = whole(rng, 0, min(mix.most_worker_gpus, *mix.machine_gpus))
    return TrainingJob(
        name=name,
        arrival_slot=arrival,
        epochs=whole(rng, mix.least_epochs, mix.most_epochs),
        samples=whole(rng, mix.least_samples, mix.most_samples),
        batch_samples=whole(rng, mix.least_batch, mix.most_batch),
        sample_s=exact(sample_slots * float(mix.slot_s), 4),
        gradient_gb=exact(between(rng, mix.least_gradient_gb, mix.most_gradient_gb), 3),
        workers_per_server=exact(whole(rng, mix.least_ratio, mix.most_ratio), 0),
        internal_gb_s=speed(rng, mix.least_internal_gbit, mix.most_internal_gbit),
        external_gb_s=speed(rng, mix.least_external_gbit, mix.most_external_gbit),
        worker=_amounts({"gpu": gpus, **_demand(rng)}),
        server=_amounts(_demand(rng)),
        utility=_utility(mix, rng),
    )


def _demand(rng: Random) -> dict[str, int]:
    """Draw the resources of a worker or a parameter server other than GPUs, as in OASiS."""
    cpu, memory, disk = whole(rng, 1, 10), whole(rng, 2, 32), whole(rng, 5, 10)
    return {"cpu": cpu, "memory_gb": memory, "disk_gb": disk}


def _utility(mix: OnlineMix, rng: Random) -> Sigmoid:
    """Draw a sigmoid: flat, gentle or steep."""
    kind = rng.random()
    if kind < float(mix.insensitive):
        steepness = Decimal(0)
    elif kind < float(mix.insensitive + mix.sensitive):
        steepness = exact(between(rng, Decimal("0.01"), 1), 3)
    else:
        steepness = exact(between(rng, 4, 6), 3)
    return Sigmoid(
        value=exact(between(rng, 1, mix.most_value), 2),
        steepness=steepness,
        midpoint_slots=exact(between(rng, 1, mix.most_midpoint), 2),
    )


def speed(rng: Random, low: Decimal, high: Decimal) -> Decimal:
    """Draw a bandwidth between two in Gbit/s."""
    return exact(between(rng, low * GBIT, high * GBIT), 4)


def _amounts(amounts: dict[str, int]) -> tuple[tuple[str, Decimal], ...]:
    return tuple(sorted((name, Decimal(amount)) for name, amount in amounts.items() if amount))


PRESETS: dict[str, tuple[str, OnlineMix | RisingValues]] = {
    "pdors": ("the ranges of PD-ORS's experiments", OnlineMix()),
    "pdors-large": (
        "the ranges of PD-ORS's experiments, at scale",
        OnlineMix(jobs=5000, machines=500, slots=200),
    ),
    "pdors-roomy": (
        "machines large enough for rounding theorems",
        OnlineMix(
            jobs=20,
            machines=4,
            slots=10,
            machine_gpus=(512,),
            least_batch=300,
            most_batch=800,
            most_worker_gpus=2,
            most_midpoint=8,
        ),
    ),
    "pdors-small": (
        "a few jobs and machines, for exact methods",
        OnlineMix(
            jobs=6,
            machines=3,
            slots=6,
            least_epochs=1,
            most_epochs=4,
            least_samples=2_000,
            most_samples=12_000,
            least_batch=2,
            most_batch=8,
            least_sample_slots=Decimal("0.0001"),
            most_sample_slots=Decimal("0.001"),
            most_gradient_gb=Decimal("0.2"),
            most_ratio=3,
            most_midpoint=4,
        ),
    ),
    "rising-values": ("jobs on one machine that are worth more and more", RisingValues()),
}
"""Families by name: their descriptions, and their defaults."""


def random_market(seed: int, index: int) -> OnlineInstance:
    """Return instance number `index` of a campaign about `online` methods.

    Half of them have machines so large that each job uses a small part of one. Of these, half have
    many quick jobs, and separate machines for workers and for servers, as OASiS assumes.
    """
    rng = seeded(seed, index)
    options: dict[str, int | tuple[int, ...]] = {
        "jobs": int(rng.integers(2, 9)),
        "machines": int(rng.integers(1, 5)),
        "slots": int(rng.integers(2, 9)),
    }
    if rng.random() < LARGE:
        options |= {"machine_gpus": (64,), "most_batch": 3, "least_batch": 1}
    name = f"market-{seed}-{index}"
    apart = "machine_gpus" in options and rng.random() < APART
    if apart:
        options |= {"jobs": int(rng.integers(20, 121)), "machines": int(rng.integers(2, 4))}
        options |= {"slots": int(rng.integers(1, 4)), "most_midpoint": 2}
        options |= {"most_epochs": 1, "most_samples": 3000, "most_batch": 1}
    made: OnlineInstance = generate("pdors-small", seed=index, name=name, **options)
    return parted(made) if apart else made


def parted(market: OnlineInstance) -> OnlineInstance:
    """Return a market whose machines hold workers and parameter servers in turn."""
    hosts: tuple[Hosts, Hosts] = ("workers", "servers")
    machines = (replace(one, hosts=hosts[h % 2]) for h, one in enumerate(market.machines))
    return replace(market, machines=tuple(machines))
