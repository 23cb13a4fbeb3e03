"""Families of worst cases: where the whole-server list is late, and where factor 2 is hard.

Only `random.Random.random` is used, whose stream Python guarantees. A family, a seed and options
therefore name the same instance everywhere.
"""

from dataclasses import dataclass, replace
from decimal import Decimal
from random import Random
from typing import Annotated, ClassVar

from ..cluster import Cluster, Server
from ..draw import whole
from ..reading.vocabulary import Count, Mix, Size
from . import MakespanInstance, RingJob

CROSSING_GB = Decimal(16)
"""Gradients of this size take at least 16 slots between servers and 0.032 inside one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LateLists(Mix):
    """Options of the family: S = 2 `pairs` + 1 servers of O = S `parts` GPUs. No job communicates.

    The best schedule takes `slots` = n slots. At any time it runs S - 1 rings of O + 1 GPUs, up to
    `parts` - 1 jobs of S GPUs, and one job of one GPU and n slots: at most S O GPUs. The
    whole-server list runs half as many rings at a time, until 2 n. The narrow jobs then fill all
    servers for x = `rounds` slots. The long job comes last and ends at 3 n + x.
    """

    pairs: Annotated[Count, "pairs of servers, with one more server"] = 1
    parts: Annotated[Count, "narrow jobs that fill a server"] = 3
    slots: Annotated[Count, "slots of the best schedule"] = 6

    SIZE: ClassVar = "{self.jobs} jobs on {self.servers} servers"
    TAG: ClassVar = "{self.servers}x{self.parts}x{self.slots}"

    @property
    def servers(self) -> int:
        """Number of servers."""
        return 2 * self.pairs + 1

    @property
    def rounds(self) -> int:
        """Slots for which narrow jobs fill all servers, after they filled one beside rings."""
        room = (self.parts - 1) * self.slots - self.parts
        return max(0, room // (self.servers * self.parts))

    @property
    def narrow(self) -> int:
        """Number of narrow jobs."""
        wanted = self.parts * (1 + self.servers * self.rounds)
        return min(wanted, (self.parts - 1) * self.slots)

    @property
    def jobs(self) -> int:
        """Number of jobs."""
        return (3 if self.slots > 1 else 2) * self.pairs + self.narrow + 1

    def build(self, seed: int, name: str) -> MakespanInstance:
        """Return the instance with its jobs in the order of a seed."""
        gpus, slots, rng = self.servers * self.parts, self.slots, Random(seed)
        lengths = [n for n in (slots, slots - 1, 1) if n for _ in range(self.pairs)]
        jobs = [_job(f"ring{i}", gpus + 1, n) for i, n in enumerate(lengths)]
        jobs += [_job(f"narrow{i}", self.servers) for i in range(self.narrow)]
        jobs.append(_job("long", 1, slots))
        order = sorted(range(len(jobs)), key=lambda _: rng.random())
        return MakespanInstance(
            name=name,
            cluster=_cluster(self.servers, gpus),
            jobs=tuple(jobs[i] for i in order),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Partition(Mix):
    """Options of the family. Two servers share all GPUs that the jobs request.

    A job takes one slot inside a server and 17 or more across servers. The makespan is 1 if the
    GPUs of some jobs add up to half of all, and 2 otherwise.
    """

    jobs: Annotated[Size, "number of jobs"] = 8
    most_gpus: Annotated[Count, "GPUs of a job at most, but for an even sum"] = 9

    SIZE: ClassVar = "{self.jobs} jobs on 2 servers"
    TAG: ClassVar = "{self.jobs}x2"

    def build(self, seed: int, name: str) -> MakespanInstance:
        """Return the instance of a seed."""
        rng = Random(seed)
        gpus = [whole(rng, 1, self.most_gpus) for _ in range(self.jobs)]
        gpus[0] += sum(gpus) % 2
        jobs = [_costly(f"j{i}", w) for i, w in enumerate(gpus)]
        return MakespanInstance(
            name=name,
            cluster=_cluster(2, max(sum(gpus) // 2, *gpus)),
            jobs=tuple(jobs),
        )


def _job(name: str, gpus: int, slots: int = 1) -> RingJob:
    return RingJob(name=name, gpus=gpus, iterations=slots, backward_s=Decimal(1))


def _costly(name: str, gpus: int) -> RingJob:
    gradient = CROSSING_GB if gpus > 1 else Decimal(0)
    return replace(_job(name, gpus), gradient_gb=gradient, backward_s=Decimal("0.95"))


def _cluster(servers: int, gpus: int) -> Cluster:
    return Cluster(
        servers=tuple(Server(name=f"s{i}", gpus=gpus) for i in range(servers)),
        intra_bandwidth_gb_s=Decimal(1000),
        inter_bandwidth_gb_s=Decimal(1),
        reduce_gb_s=None,
    )
