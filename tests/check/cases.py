"""Short ways to write instances and schedules in the tests of the judge."""

from decimal import Decimal
from typing import Any

from ringyard.analysis.check.contention import Verdict
from ringyard.instances import (
    Assignment,
    Cluster,
    FluidLinks,
    Leaf,
    MakespanInstance,
    RingJob,
    Schedule,
    Server,
    ServerUplink,
)

Entry = tuple[str, Any, dict[str, int]]


def job(name: str, gpus: int, iterations: int, **fields: Any) -> RingJob:
    """Make a job that computes one second per iteration unless told otherwise."""
    fields = {"backward_s": 1} | fields
    return RingJob(name=name, gpus=gpus, iterations=iterations, **decimals(fields))


def ring(name: str, gpus: int, iterations: int, **fields: Any) -> RingJob:
    """Make a job whose iteration takes (f + 1) / 2 seconds at slowdown f and links of 1 GB/s."""
    gradient = Decimal(gpus) / (4 * (gpus - 1))
    fields = {"gradient_gb": gradient, "backward_s": "0.25"} | fields
    return job(name, gpus, iterations, **fields)


def make_instance(jobs: list[RingJob], servers: list[int], **fields: Any) -> MakespanInstance:
    """Make an instance with servers s0, s1, ... and, unless told otherwise, speeds of 1 GB/s."""
    speeds = dict.fromkeys(("intra_bandwidth_gb_s", "inter_bandwidth_gb_s", "reduce_gb_s"), 1)
    speeds |= {name: fields.pop(name) for name in list(speeds) if name in fields}
    return MakespanInstance(
        name="test",
        cluster=Cluster(
            servers=tuple(Server(name=f"s{i}", gpus=gpus) for i, gpus in enumerate(servers)),
            **decimals(speeds),
        ),
        jobs=tuple(jobs),
        **decimals(fields),
    )


def plan(*entries: Entry, **fields: Any) -> Schedule:
    """Make a schedule of (job, start, GPUs by server)."""
    return Schedule(
        instance="test",
        assignments=tuple(
            Assignment(job=name, start_slot=exact(start), gpus=tuple(gpus.items()))
            for name, start, gpus in entries
        ),
        **decimals(fields),
    )


def shared(share: Any = 1, degradation: Any = 0) -> ServerUplink:
    """Make the paper's contention model."""
    return ServerUplink(share=exact(share), degradation=exact(degradation))


def racks(*leaves: list[str], spines: list[str] | None = None, **fields: Any) -> FluidLinks:
    """Make a tree with leaves l0, l1, ... of the servers given."""
    above = spines or ["spine"] * len(leaves)
    return FluidLinks(
        leaves=tuple(
            Leaf(name=f"l{i}", servers=tuple(names), spine=above[i])
            for i, names in enumerate(leaves)
        ),
        **decimals(fields),
    )


def exact(value: Any) -> Decimal:
    """Make a decimal of a number or text."""
    return value if isinstance(value, Decimal) else Decimal(str(value))


def decimals(fields: dict[str, Any]) -> dict[str, Any]:
    """Make decimals of the fields that an entity keeps as such."""
    real = ("_s", "_gb", "_sample", "_slot", "oversubscription", "makespan")
    return {
        name: exact(value) if name.endswith(real) and value is not None else value
        for name, value in fields.items()
    }


def breaches(verdict: Verdict) -> list[tuple[str, str, Any]]:
    """Return all violations as plain tuples."""
    return [(v.rule, v.where, v.amount) for v in verdict.violations]
