"""Tiny instances whose rings are often in each other's way, for bounds that see it."""

from decimal import Decimal
from typing import Any

from hypothesis import strategies as st

from ringyard.instances import Cluster, MakespanInstance, RingJob, Server, ServerUplink


def cluster_of(*sizes: int) -> Cluster:
    """Return servers of these sizes, with uplinks a tenth as fast as what is inside them."""
    return Cluster(
        servers=tuple(Server(name=f"s{i}", gpus=gpus) for i, gpus in enumerate(sizes)),
        intra_bandwidth_gb_s=Decimal(10),
        inter_bandwidth_gb_s=Decimal(1),
        reduce_gb_s=Decimal(1000),
    )


def rings_of_three(count: int, *sizes: int, degradation: int = 1) -> MakespanInstance:
    """Return rings of 3 GPUs: 10 iterations of 1.0015 s, and 1 s longer for each in the way."""
    return MakespanInstance(
        name="rings",
        cluster=cluster_of(*sizes),
        jobs=tuple(
            RingJob(name=f"j{i}", gpus=3, iterations=10, gradient_gb=Decimal("0.75"))
            for i in range(count)
        ),
        contention=ServerUplink(degradation=Decimal(degradation)),
    )


def decimals(*texts: str) -> st.SearchStrategy[Decimal]:
    """Draw one of some numbers."""
    return st.sampled_from(list(map(Decimal, texts)))


@st.composite
def crowded_instances(draw: st.DrawFn, **options: Any) -> MakespanInstance:
    """Draw a few jobs, most of them rings of 3 GPUs, on servers of mostly 2."""
    sizes = draw(
        st.sampled_from([(2, 2, 2), (2, 2), (2, 2, 3), (3, 3), (2, 2, 2, 2), (1, 2, 2), (1, 1, 1)])
    )
    gangs = st.sampled_from([gpus for gpus in (3, 1, 2, 3, 5) if gpus <= sum(sizes)])
    jobs = tuple(
        RingJob(
            name=f"j{i}",
            gpus=draw(gangs),
            iterations=draw(st.integers(1, 8)),
            gradient_gb=draw(decimals("0", "0.1", "0.4", "0.75", "1.3")),
            backward_s=draw(decimals("0.1", "0.3", "0.9")),
        )
        for i in range(draw(st.integers(2, 4)))
    )
    drawn = {
        "overhead": st.sampled_from(["paper", "step", "max_workers_per_server"]),
        "progress": st.sampled_from(["floor", "fractional"]),
    }
    chosen = {key: draw(values) for key, values in drawn.items() if key not in options}
    return MakespanInstance(
        name="crowded",
        cluster=cluster_of(*sizes),
        jobs=jobs,
        contention=ServerUplink(
            share=draw(decimals("1", "0.5", "0.4")), degradation=draw(decimals("0", "0.5", "1"))
        ),
        overhead_s=draw(decimals("0", "0.05", "0.3")),
        slot_s=draw(decimals("2", "5")),
        **chosen,
        **options,
    )
