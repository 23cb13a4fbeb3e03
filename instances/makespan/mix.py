"""New `makespan` instances: rings, by one generator.

Only `random.Random.random` is used, whose stream Python promises to keep, so a family, a
seed and options name the same instance everywhere.
"""

from dataclasses import dataclass
from decimal import Decimal
from random import Random
from typing import Annotated, ClassVar, Literal

from ..cluster import Cluster, Contention, FluidLinks, Leaf, Server, ServerUplink
from ..draw import between, exact, in_shares
from ..reading.vocabulary import Amount, Count, Fraction01, Mix, NonEmpty, Positive, Size
from ..regions import Local, with_regions
from .instance import MakespanInstance, Overhead, Progress, RingJob

Gangs = Literal["trace", "small", "odd"]

GANGS: dict[str, tuple[tuple[int, int], ...]] = {
    "trace": ((1, 80), (2, 14), (4, 26), (8, 30), (16, 8), (32, 2)),
    "small": ((1, 3), (2, 4), (3, 3), (4, 3), (6, 2), (8, 1)),
    "odd": ((1, 2), (2, 1), (3, 1), (5, 4), (6, 4), (7, 4)),
}
"""GPUs of a job, and how many such jobs there are in a batch of the mix.

`trace` is the mix of the SJF-BCO paper's experiments, taken there from a
trace of Microsoft; the others are ours. In `odd`, servers of 4 GPUs never come out even.
"""

INTRA, INTER, REDUCE = Decimal("12.5"), Decimal("1.25"), Decimal(50)
"""Bandwidths in GB/s: 100 Gbit/s inside a server, 10 Gbit/s out of it, and reducing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RingMix(Mix):
    """Options of the generator; a family is a set of defaults."""

    jobs: Annotated[Size, "number of jobs"] = 160
    servers: Annotated[Size, "number of servers"] = 20
    server_gpus: Annotated[
        tuple[Count, ...], NonEmpty(), "sizes of servers, drawn with equal chances"
    ] = (4, 8, 16, 32)
    gangs: Annotated[Gangs, "mix of job sizes"] = "trace"
    least_slots: Annotated[Positive, "shortest job where it runs fastest"] = Decimal(50)
    most_slots: Annotated[Positive, "longest job where it runs fastest"] = Decimal(300)
    least_iteration_s: Annotated[Positive, "quickest iteration"] = Decimal("0.01")
    most_iteration_s: Annotated[Positive, "slowest iteration"] = Decimal("0.05")
    communication: Annotated[
        Amount | None, "transfer alone over computation; null: at most 15 % in the worst case"
    ] = None
    share: Annotated[Fraction01, "contention share xi_1"] = Decimal(1)
    degradation: Annotated[Amount, "contention degradation alpha"] = Decimal(0)
    overhead_s: Annotated[Amount, "overhead xi_2"] = Decimal("0.00002")
    overhead: Annotated[Overhead, "form of the overhead"] = "paper"
    progress: Annotated[Progress, "how work is counted"] = "fractional"
    contention: Annotated[Literal["server_uplink", "fluid"], "contention model"] = "server_uplink"
    rack_servers: Annotated[Count, "servers under one leaf (fluid)"] = 4
    oversubscription: Annotated[Positive, "of the leaves (fluid)"] = Decimal(2)
    release_slots: Annotated[Amount, "slots over which jobs are released"] = Decimal(0)
    horizon_slots: Annotated[Count | None, "search limit T"] = 1200
    regions: Annotated[Count, "regions that the servers are dealt out to"] = 1
    local: Annotated[Local, "share of jobs that may run in one region only"] = Decimal(0)

    SIZE: ClassVar = "{self.jobs} jobs on {self.servers} servers"
    TAG: ClassVar = "{self.jobs}x{self.servers}"

    def build(self, seed: int, name: str) -> MakespanInstance:
        """Return the instance that a seed gives."""
        rng = Random(seed)
        kinds = self.server_gpus
        sizes = [kinds[int(rng.random() * len(kinds))] for _ in range(self.servers)]
        fitting = [kind for kind in GANGS[self.gangs] if kind[0] <= sum(sizes)]
        gangs = in_shares(fitting, self.jobs)
        order = sorted(range(self.jobs), key=lambda _: rng.random())
        jobs = [
            _job(self, rng, f"j{i:0{len(str(self.jobs - 1))}}", gangs[k], sizes)
            for i, k in enumerate(order)
        ]
        made = MakespanInstance(
            name=name,
            cluster=Cluster(
                servers=tuple(Server(name=f"s{i}", gpus=size) for i, size in enumerate(sizes)),
                intra_bandwidth_gb_s=INTRA,
                inter_bandwidth_gb_s=INTER,
                reduce_gb_s=REDUCE,
            ),
            jobs=tuple(jobs),
            contention=_contention(self),
            overhead=self.overhead,
            overhead_s=self.overhead_s,
            progress=self.progress,
            horizon_slots=self.horizon_slots,
        )
        return with_regions(made, self.regions, self.local, seed)


def _job(mix: RingMix, rng: Random, name: str, gpus: int, sizes: list[int]) -> RingJob:
    """Draw an iteration time and a duration; split the iteration into its parts."""
    seconds = between(rng, mix.least_iteration_s, mix.most_iteration_s)
    iterations = max(1, round(between(rng, mix.least_slots, mix.most_slots) / seconds))
    crosses = gpus > max(sizes)
    extra = 0.15 * rng.random()
    if gpus == 1:
        transfer = 0.0
    elif mix.communication is None:
        overhead = float(mix.overhead_s) * min(gpus, len(sizes))
        transfer = max(0.0, extra * seconds - overhead) / max(sizes)
    else:
        ratio = float(mix.communication)
        transfer = seconds * ratio / (1 + ratio) if crosses else seconds * ratio
    compute = seconds - transfer if crosses else seconds
    release = int(rng.random() * float(mix.release_slots)) if mix.release_slots else 0
    gradient = transfer * float(INTER) * gpus / (2 * (gpus - 1)) if gpus > 1 else 0.0
    return RingJob(
        name=name,
        gpus=gpus,
        iterations=iterations,
        gradient_gb=exact(gradient, 7),
        batch_samples=32,
        forward_s_per_sample=exact(compute / 3 / 32, 7),
        backward_s=exact(compute * 2 / 3, 5),
        release_slot=Decimal(release),
    )


def _contention(mix: RingMix) -> Contention:
    if mix.contention == "server_uplink":
        return ServerUplink(share=mix.share, degradation=mix.degradation)
    racks = range(0, mix.servers, mix.rack_servers)
    leaves = [
        Leaf(
            name=f"rack{i}",
            servers=tuple(f"s{s}" for s in range(a, min(a + mix.rack_servers, mix.servers))),
        )
        for i, a in enumerate(racks)
    ]
    return FluidLinks(leaves=tuple(leaves), leaf_oversubscription=mix.oversubscription)
