"""New `makespan` instances: generators of rings and of rounds of federated averaging, and presets.

Only `random.Random.random` is used, whose stream Python guarantees. A family, a seed and options
therefore name the same instance everywhere.

In rounds of federated averaging data stay in regions and models move. A job is a client that
participates in a round. It receives the model, trains on its own data, on servers of their region,
and sends the model back.
"""

from collections import Counter
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import accumulate
from math import ceil
from operator import mul
from random import Random
from typing import Annotated, Any, ClassVar, Literal, NamedTuple

from ..cluster import (
    INTER,
    INTRA,
    REDUCE,
    Cluster,
    Contention,
    FluidLinks,
    Leaf,
    Server,
    ServerUplink,
)
from ..draw import between, exact, in_shares, names_of_kinds, whole
from ..generate import generate
from ..reading.vocabulary import Amount, Count, Fraction01, Mix, NonEmpty, Positive, Size, Whole
from ..regions import Local, with_regions
from ..sampled import one_of, seeded
from . import KindSpeed, MakespanInstance, Overhead, Progress, RingJob
from .worst_cases import LateLists, Partition

Gangs = Literal["trace", "small", "odd"]

GANGS: dict[str, tuple[tuple[int, int], ...]] = {
    "trace": ((1, 80), (2, 14), (4, 26), (8, 30), (16, 8), (32, 2)),
    "small": ((1, 3), (2, 4), (3, 3), (4, 3), (6, 2), (8, 1)),
    "odd": ((1, 2), (2, 1), (3, 1), (5, 4), (6, 4), (7, 4)),
}
"""GPUs of a job, and the number of such jobs in a batch of the mix.

`trace` is the mix of the SJF-BCO paper's experiments, which is from a trace of Microsoft. The
other mixes are Ringyard's. In `odd`, job sizes never fill servers of 4 GPUs evenly.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class RingMix(Mix):
    """Options of the generator. A family is a set of defaults."""

    jobs: Annotated[Size, "number of jobs"] = 160
    servers: Annotated[Size, "number of servers"] = 20
    server_gpus: Annotated[
        tuple[Count, ...], NonEmpty(), "sizes of servers, drawn with equal probabilities"
    ] = (4, 8, 16, 32)
    gangs: Annotated[Gangs, "mix of job sizes"] = "trace"
    least_slots: Annotated[Positive, "shortest job at its best speed"] = Decimal(50)
    most_slots: Annotated[Positive, "longest job at its best speed"] = Decimal(300)
    least_iteration_s: Annotated[Positive, "quickest iteration"] = Decimal("0.01")
    most_iteration_s: Annotated[Positive, "slowest iteration"] = Decimal("0.05")
    communication: Annotated[
        Amount | None,
        "transfer time / computing time, alone, or null for at most 15 % in the worst case",
    ] = None
    share: Annotated[Fraction01, "contention share xi_1"] = Decimal(1)
    degradation: Annotated[Amount, "contention degradation alpha"] = Decimal(0)
    overhead_s: Annotated[Amount, "overhead xi_2"] = Decimal("0.00002")
    overhead: Annotated[Overhead, "form of the overhead"] = "paper"
    progress: Annotated[Progress, "rule for counting work"] = "fractional"
    contention: Annotated[Literal["server_uplink", "fluid"], "contention model"] = "server_uplink"
    rack_servers: Annotated[Count, "servers under one leaf (fluid)"] = 4
    oversubscription: Annotated[Positive, "of the leaves (fluid)"] = Decimal(2)
    uplinks: Annotated[
        tuple[Fraction01, ...],
        NonEmpty(),
        "uplinks as fractions of the widest, dealt to the servers in turn",
    ] = (Decimal(1),)
    kinds: Annotated[Count, "kinds of GPUs, dealt to the servers in turn; 1 for none"] = 1
    slower: Annotated[
        Fraction01, "least speed on a kind, relative to the kind before it; the most is 1"
    ] = Decimal("0.5")
    picky: Annotated[Local, "fraction of jobs that may run on one kind of GPUs only"] = Decimal(0)
    release_slots: Annotated[Amount, "slots over which jobs are released"] = Decimal(0)
    horizon_slots: Annotated[Count | None, "search limit T"] = 1200
    regions: Annotated[Count, "regions to distribute the servers over"] = 1
    local: Annotated[Local, "fraction of jobs that may run in one region only"] = Decimal(0)

    SIZE: ClassVar = "{self.jobs} jobs on {self.servers} servers"
    TAG: ClassVar = "{self.jobs}x{self.servers}"

    def build(self, seed: int, name: str) -> MakespanInstance:
        """Return the instance of a seed."""
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
                servers=tuple(
                    Server(name=f"s{i}", gpus=size, uplink=self.uplinks[i % len(self.uplinks)])
                    for i, size in enumerate(sizes)
                ),
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
        made = _with_kinds(made, self, seed) if self.kinds > 1 else made
        return with_regions(made, self.regions, self.local, seed)


def _job(mix: RingMix, rng: Random, name: str, gpus: int, sizes: list[int]) -> RingJob:
    """Draw an iteration time and a duration. Split the iteration into its parts."""
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


def _with_kinds(instance: MakespanInstance, mix: RingMix, seed: int) -> MakespanInstance:
    """Deal kinds of GPUs to the servers, and draw the speeds of each job on them.

    A job requests the first kind that has enough GPUs. A picky one requests any such kind.
    The random numbers are separate, so all other data stay the same, but no job is larger than a
    kind.
    """
    rng, names = Random(f"kinds {seed}"), names_of_kinds(mix.kinds)
    servers = tuple(
        replace(server, gpu=names[s % mix.kinds])
        for s, server in enumerate(instance.cluster.servers)
    )
    rooms = Counter[str]()
    for server in servers:
        rooms[str(server.gpu)] += server.gpus
    jobs = []
    for job in instance.jobs:
        picks, which = rng.random(), rng.random()
        ratios = accumulate((between(rng, mix.slower, Decimal(1)) for _ in names[1:]), mul)
        speeds = dict(zip(names, [1.0, *ratios], strict=True))
        gpus = min(job.gpus, max(rooms.values()))
        able = [name for name, room in rooms.items() if gpus <= room]
        own = able[int(which * len(able))] if picks < mix.picky else able[0]
        others = () if picks < mix.picky else (name for name in rooms if name != own)
        entries = tuple(
            KindSpeed(gpu=name, speed=exact(speeds[name] / speeds[own], 4)) for name in others
        )
        jobs.append(replace(job, gpus=gpus, gpu=own, speeds=entries))
    return replace(instance, cluster=replace(instance.cluster, servers=servers), jobs=tuple(jobs))


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


class FederatedClient(NamedTuple):
    """A client that may participate in a round."""

    name: str
    region: str
    gpus: int
    samples: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FederatedMix(Mix):
    """Options of the generator: the clients, and the number of participants per round."""

    clients: Annotated[Size, "clients with private data"] = 24
    regions: Annotated[Size, "regions to distribute clients and servers over in turn"] = 3
    participation: Annotated[
        Fraction01, "fraction of the clients that participate in the round, at least one client"
    ] = Decimal("0.25")
    servers: Annotated[Size, "number of servers, at least one in each region"] = 6
    server_gpus: Annotated[Count, "GPUs of a server"] = 2
    client_gpus: Annotated[
        tuple[Count, ...], NonEmpty(), "GPUs of a client, drawn with equal probabilities"
    ] = (1, 2)
    least_samples: Annotated[Count, "smallest data of a client"] = 100
    most_samples: Annotated[Count, "largest data of a client"] = 1000
    batch_samples: Annotated[Count, "samples per batch and GPU"] = 20
    epochs: Annotated[Count, "passes of a client over its data in a round"] = 2
    sample_s: Annotated[Positive, "time of a sample"] = Decimal("0.005")
    model_gb: Annotated[Amount, "size of the model"] = Decimal("0.1")
    region_gb_s: Annotated[
        Positive, "bandwidth of a region's link, shared evenly by as many clients as fit at once"
    ] = Decimal("0.125")

    turn: Annotated[Whole, "the number of the round, which determines the participants"] = 0

    SIZE: ClassVar = "{self.participants} clients on {self.places} servers"
    TAG: ClassVar = "{self.participants}x{self.places}"

    @property
    def participants(self) -> int:
        """Number of participants."""
        return max(1, ceil(self.participation * self.clients))

    @property
    def places(self) -> int:
        """Number of servers."""
        return max(self.servers, self.regions)

    def population(self, seed: int) -> list[FederatedClient]:
        """Draw all clients."""
        rng = Random(seed)
        most = self.server_gpus * (self.places // self.regions)  # GPUs of every region.
        return [
            FederatedClient(
                name=f"c{i:0{len(str(self.clients - 1))}}",
                region=f"r{i % self.regions}",
                gpus=min(most, self.client_gpus[int(rng.random() * len(self.client_gpus))]),
                samples=whole(rng, self.least_samples, self.most_samples),
            )
            for i in range(self.clients)
        ]

    def chosen(self, seed: int) -> list[int]:
        """Return the numbers of the participants. A larger fraction adds clients."""
        rng = Random(f"round {self.turn} of {seed}")
        order = sorted(range(self.clients), key=lambda _: rng.random())
        return sorted(order[: self.participants])

    def build(self, seed: int, name: str) -> MakespanInstance:
        """Return a round of the clients of a seed."""
        population = self.population(seed)
        chosen = [population[i] for i in self.chosen(seed)]
        room = Counter(f"r{i % self.regions}" for i in range(self.places))
        wanted = Counter(client.region for client in chosen)
        sharing = {r: min(wanted[r], self.server_gpus * room[r]) for r in wanted}
        return MakespanInstance(
            name=name,
            cluster=Cluster(
                servers=tuple(
                    Server(name=f"s{i}", gpus=self.server_gpus, region=f"r{i % self.regions}")
                    for i in range(self.places)
                ),
                intra_bandwidth_gb_s=INTRA,
                inter_bandwidth_gb_s=INTER,
                reduce_gb_s=REDUCE,
            ),
            jobs=tuple(self._job(client, sharing[client.region]) for client in chosen),
            progress="continuous",
        )

    def _job(self, client: FederatedClient, sharing: int) -> RingJob:
        """Return the training of a client, whose iterations include the transfers of the model."""
        steps = -(-client.samples * self.epochs // (self.batch_samples * client.gpus))
        way = 2 * self.model_gb * sharing / self.region_gb_s
        compute = self.batch_samples * self.sample_s
        return RingJob(
            name=client.name,
            gpus=client.gpus,
            iterations=steps,
            gradient_gb=self.model_gb if client.gpus > 1 else Decimal(0),
            batch_samples=self.batch_samples,
            forward_s_per_sample=exact(float(self.sample_s) / 3, 7),
            backward_s=exact(float(compute) * 2 / 3 + float(way) / steps, 7),
            allowed_regions=(client.region,),
        )


SERVERS = ((1,), (2,), (1, 2), (1, 2, 4), (3,), (4,), (2, 8), (4, 8, 16))
"""Sizes of servers that occur together."""

SINGLES = 0.25
"""Fraction of instances in which all jobs need one GPU: gangs become plain machines."""

UNLIKE = 0.25
"""Fraction of instances with unequal uplinks, several kinds of GPUs, or both."""

UPLINKS = tuple(tuple(map(Decimal, some)) for some in (("1", "0.5"), ("1", "1", "0.3"), ("0.25",)))
"""Uplinks that occur together."""

PRESETS: dict[str, tuple[str, Mix]] = {
    "mobihoc": ("the mix of the SJF-BCO paper", RingMix()),
    "tight": (
        "the mix on servers of 4 GPUs",
        RingMix(servers=40, server_gpus=(4,), communication=Decimal(1), horizon_slots=None),
    ),
    "knot": (
        "rings that do not fill servers of 4 GPUs evenly",
        RingMix(
            servers=40,
            server_gpus=(4,),
            gangs="odd",
            communication=Decimal(1),
            horizon_slots=None,
        ),
    ),
    "large": (
        "the mix at scale, with a binding area bound",
        RingMix(jobs=2000, servers=200, horizon_slots=None),
    ),
    "small": (
        "a few slots each, for exact methods",
        RingMix(
            jobs=6,
            servers=3,
            server_gpus=(4,),
            gangs="small",
            least_slots=Decimal(2),
            most_slots=Decimal(6),
            communication=Decimal(1),
            overhead_s=Decimal("0.001"),
            horizon_slots=None,
        ),
    ),
    "federated": (
        "a round of federated averaging, where data stay and models move",
        FederatedMix(),
    ),
    "late-lists": ("rings that the whole-server list runs few at a time", LateLists()),
    "partition": ("one slot if the jobs fill both servers exactly, else two", Partition()),
}
"""Families by name: their descriptions, and their defaults."""


def random_instance(seed: int, index: int) -> MakespanInstance:
    """Return instance number `index` of a campaign, with release at 0 and whole slots."""
    rng, unlike = seeded(seed, index), Random(f"unlike {seed}/{index}")
    shortest = one_of(rng, 1, 2, 5)
    options: dict[str, Any] = {
        "jobs": int(rng.integers(2, 15)),
        "servers": int(rng.integers(1, 7)),
        "server_gpus": one_of(rng, *SERVERS),
        "gangs": one_of(rng, "trace", "small", "small", "odd"),
        "least_slots": Decimal(shortest),
        "most_slots": Decimal(shortest * one_of(rng, 1, 2, 6)),
        "communication": Decimal(one_of(rng, "0", "0.02", "0.1", "0.5", "1", "2")),
        "share": Decimal(one_of(rng, "0.25", "0.5", "1")),
        "degradation": Decimal(one_of(rng, "0", "0.5")),
        "overhead": one_of(rng, "paper", "step", "max_workers_per_server"),
        "overhead_s": Decimal(one_of(rng, "0", "0.001", "0.01")),
        "progress": one_of(rng, "fractional", "floor"),
        "contention": one_of(rng, "server_uplink", "server_uplink", "fluid"),
        "rack_servers": one_of(rng, 1, 2, 4),
        "oversubscription": Decimal(one_of(rng, 1, 2)),
        "horizon_slots": one_of(rng, None, None, None, 30, 100),
    }
    if unlike.random() < UNLIKE:
        which, few = int(unlike.random() * 3), int(unlike.random() * 2)
        if which != 0:
            options["uplinks"] = UPLINKS[int(unlike.random() * len(UPLINKS))]
        if which != 1 and options["servers"] > 1:
            options |= {"kinds": 2 + few, "picky": Decimal("0.3")}
    name = f"drawn-{seed}-{index}"
    instance: MakespanInstance = generate("small", seed=index, name=name, **options)
    if rng.random() < SINGLES:
        return replace(instance, jobs=tuple(replace(job, gpus=1) for job in instance.jobs))
    return instance
