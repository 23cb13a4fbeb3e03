"""A small instance and a plan for it."""

from decimal import Decimal

import pytest

from ringyard.instances import Assignment, Cluster, MakespanInstance, RingJob, Schedule, Server


@pytest.fixture
def instance() -> MakespanInstance:
    """Two servers, three jobs."""
    return MakespanInstance(
        name="yard",
        cluster=Cluster(
            servers=(Server(name="s0", gpus=4), Server(name="s1", gpus=8)),
            intra_bandwidth_gb_s=Decimal(100),
            inter_bandwidth_gb_s=Decimal("12.5"),
            reduce_gb_s=Decimal(200),
        ),
        jobs=(
            RingJob(name="bert", gpus=6, iterations=100, gradient_gb=Decimal("0.44")),
            RingJob(name="resnet", gpus=2, iterations=300, backward_s=Decimal("0.0100")),
            RingJob(name="vgg", gpus=1, iterations=50, forward_s_per_sample=Decimal("1e-7")),
        ),
    )


@pytest.fixture
def plan() -> Schedule:
    """One job of the instance, placed on both servers."""
    piece = Assignment(job="bert", start_slot=Decimal(0), gpus=(("s0", 4), ("s1", 2)))
    return Schedule(instance="yard", assignments=(piece,))
