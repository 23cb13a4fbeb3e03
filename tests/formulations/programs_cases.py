"""An instance of two servers, three jobs that share it, and a schedule of them that is valid."""

from decimal import Decimal

from ringyard.instances import (
    Assignment,
    Cluster,
    MakespanInstance,
    RingJob,
    Schedule,
    Server,
    ServerUplink,
)


def make_instance(overhead: str = "paper") -> MakespanInstance:
    """Return two servers of 2 GPUs; a needs 1 GPU for 3 slots, b 2 GPUs, c 3 GPUs."""
    return MakespanInstance(
        name="yard",
        cluster=Cluster(
            servers=(Server(name="s0", gpus=2), Server(name="s1", gpus=2)),
            intra_bandwidth_gb_s=Decimal(10),
            inter_bandwidth_gb_s=Decimal(1),
            reduce_gb_s=Decimal(100),
        ),
        jobs=(
            RingJob(name="a", gpus=1, iterations=3, backward_s=Decimal("0.9")),
            RingJob(
                name="b",
                gpus=2,
                iterations=1,
                backward_s=Decimal("0.5"),
                gradient_gb=Decimal("0.1"),
                release_slot=Decimal(1),
            ),
            RingJob(
                name="c",
                gpus=3,
                iterations=2,
                backward_s=Decimal("0.5"),
                gradient_gb=Decimal("0.3"),
            ),
        ),
        contention=ServerUplink(share=Decimal(1), degradation=Decimal("0.5")),
        overhead=overhead,
        overhead_s=Decimal("0.05"),
    )


def place(job: str, start: int, **gpus: int) -> Assignment:
    """Return an entry of a schedule."""
    return Assignment(job=job, start_slot=Decimal(start), gpus=tuple(gpus.items()))


def three() -> Schedule:
    """Return a valid schedule: a beside b, then c over both servers."""
    entries = (place("a", 0, s0=1), place("b", 1, s1=2), place("c", 3, s0=2, s1=1))
    return Schedule(instance="yard", assignments=entries)
