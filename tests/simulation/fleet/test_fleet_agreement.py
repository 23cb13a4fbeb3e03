"""The engine and the judge find the same ends, spend and GPU-hours to the last digit."""

from decimal import Decimal
from fractions import Fraction

import pytest
from little import few
from simulation.fleet.by_lot import Lots, fleet, plan

from ringyard.analysis.check.fleet import check_fleet
from ringyard.instances import FleetInstance, validate
from ringyard.simulation.fleet import FleetResult, simulate, simulate_decider, stream_of, to_log


def differences(instance: FleetInstance, played: FleetResult, order: object) -> list[str]:
    """Return what the judge finds wrong, and what it finds different."""
    log = to_log(instance, order, played, "by lot")
    validate(log)
    verdict = check_fleet(instance, log)
    tick = Fraction(instance.tick_s)
    ends = {
        instance.jobs[place].name: end * tick
        for place, end in zip(order, played.end.tolist(), strict=True)
    }
    hour = tick / 3600 / 1000
    pairs = {
        "ends": (ends, dict(verdict.ends)),
        "leased": (played.paid * hour, verdict.leased),
        "held": (int(played.held.sum()) * hour, verdict.held),
        "spend": (verdict.leased * Fraction(instance.price_per_gpu_h), verdict.spend),
        "mean": (Decimal(f"{played.mean_jct_h:.9f}"), Decimal(f"{float(verdict.mean_jct):.9f}")),
    }
    wrong = [name for name, (ours, judged) in pairs.items() if ours != judged]
    return [str(violation) for violation in verdict.violations] + wrong


def check_seed(seed: int) -> None:
    instance = fleet(seed)
    stream, order = stream_of(instance)
    for played in (
        simulate(stream, plan(instance, seed), seed=seed, keep=True),
        simulate_decider(stream, Lots(seed), keep=True),
    ):
        assert played.finished
        assert differences(instance, played, order) == [], seed


@pytest.mark.parametrize("seed", few(8, range(20)))
def test_engine_and_judge_agree_on_small_fleets(seed: int) -> None:
    check_seed(seed)


@pytest.mark.slow
@pytest.mark.parametrize("block", range(3))
def test_engine_and_judge_agree_on_many_fleets(block: int) -> None:
    for seed in range(1000 + 100 * block, 1100 + 100 * block):
        check_seed(seed)
