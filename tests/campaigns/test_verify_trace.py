"""Whoever has least left first: where it is one machine, no run is worse than the bound allows."""

from dataclasses import replace
from decimal import Decimal
from random import Random

import pytest

from ringyard.analysis.guarantees import FactorVerdict
from ringyard.campaigns.verifying.theorems import verify
from ringyard.instances import RackServer, TraceInstance, TraceJob
from ringyard.instances.catalogue import load

METHODS = ["srtf", "srsf", "state-search"]


def machine(seed: int) -> TraceInstance:
    """Return jobs that all ask for both GPUs of a server."""
    rng = Random(seed)
    return TraceInstance(
        name=f"machine-{seed}",
        servers=(RackServer(name="s0", gpus=2),),
        jobs=tuple(
            TraceJob(
                name=f"j{k}",
                gpus=2,
                arrival_s=Decimal(rng.randint(0, 8)),
                duration_s=Decimal(rng.randint(1, 9)),
            )
            for k in range(5)
        ),
    )


@pytest.mark.parametrize("seed", range(12))
def test_it_holds_on_one_machine(seed: int) -> None:
    rows = verify(machine(seed), METHODS)
    assert [row.verdict for row in rows] == [FactorVerdict.HOLDS] * 3
    assert len({row.value for row in rows}) == 1


def test_it_is_silent_where_a_hypothesis_is_not_met() -> None:
    remarks = {
        "needs jobs that each request all GPUs: J2 requests 1 of 2 GPUs": load("tiresias-example"),
        "needs preemption without cost: restart_s is 1, resume_s 1": replace(
            machine(0), restart_s=Decimal(1)
        ),
    }
    for remark, instance in remarks.items():
        (row,) = verify(instance, ["srtf"])
        assert (row.verdict, row.remark) == (FactorVerdict.INCONCLUSIVE, remark)
