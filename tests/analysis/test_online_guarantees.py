"""Theorems about online methods: their numbers, their hypotheses, and what a verdict means."""

from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from itertools import cycle
from math import ceil, log
from pathlib import Path

import pytest

import ringyard
from ringyard.analysis.guarantees import FactorVerdict, guarantees_of, rule
from ringyard.analysis.guarantees.online_facts import largest_share
from ringyard.campaigns.verifying.theorems import verify
from ringyard.instances import OnlineInstance
from ringyard.instances.catalogue import load
from ringyard.methods import find_method

CASES = Path(__file__).parents[1] / "cases"
(PRINTED,), (PROVED,) = guarantees_of("pd-ors"), guarantees_of("pd-ors-corrected")


def slim(seed: int = 0) -> OnlineInstance:
    """Machines so large that a job of three workers takes a small part of one."""
    options = {"machine_gpus": (64,), "least_batch": 1, "most_batch": 3}
    found: OnlineInstance = ringyard.generate("pdors-small", seed=seed, **options)
    return found


def test_the_largest_share_by_hand() -> None:
    """hand-online-turn: 2 workers take 2 of 2 GPUs. Of 100 machines' GPUs they take 2 %."""
    turn = load("hand-online-turn")
    assert largest_share(turn)[0] == 1.0
    wide = (("cpu", Decimal(100)), ("gpu", Decimal(100)))
    machines = tuple(replace(machine, capacity=wide) for machine in turn.machines)
    assert largest_share(replace(turn, machines=machines))[0] == pytest.approx(0.02)


def test_the_proved_factor_needs_small_jobs() -> None:
    unmet = PROVED.unmet(load("hand-online-turn"))
    assert unmet is not None
    assert "can need 100 % of a machine" in unmet
    assert PROVED.unmet(slim()) is None


def test_the_printed_factor_needs_wide_machines() -> None:
    unmet = PRINTED.unmet(load("pdors-s0"))
    assert unmet is not None
    assert "W_b >= 6 ln(3r/delta), and 1 < 56.37" in unmet
    assert PRINTED.unmet(load("pdors-roomy-s0")) is None


def test_options_are_not_spoken_of() -> None:
    options = find_method("pd-ors-corrected:share=0.1", "online").options
    unmet = PROVED.unmet(slim(), options)
    assert unmet is not None
    assert "usual options" in unmet


def test_the_printed_factor_by_hand() -> None:
    """6 G / delta is below 60 for G <= 1, and the logarithm of the range is above 1."""
    instance = load("pdors-roomy-s0")
    factor = PRINTED.factor(instance)
    logarithm = factor / 60
    assert logarithm > log(10)
    assert factor < 60 * 200


def test_the_proved_factor_by_hand() -> None:
    """hand-online-turn: sure = 10, L = 10 / (2 x 2 x 2 x 1 x 2) = 0.625, U = 10 / 1 = 10.

    alpha = (16^(1/4) - 1) / 0.2 = 5, and the factor is 2 x 2 x 5.
    """
    assert PROVED.factor(load("hand-online-turn")) == pytest.approx(Fraction(20), abs=0.002)


def test_hosts_count_as_resources() -> None:
    """Four resources instead of two: 2 x 2 x ((r^(1/4)) - 1) / 0.2 with twice the ratio r.

    Without the hosts r is that of a core: U = 22, L = sure / (2 x 2 x 2 x 8 x 200), sure = 22.
    """
    instance = ringyard.load(CASES / "online-workers-and-servers-apart.json")
    ratio = 2 * (2 * 2 * 2 * 8 * 200)
    assert PROVED.factor(instance) == Fraction(ceil(20_000 * (ratio**0.25 - 1)), 1000)
    assert PROVED.factor(instance) == Fraction(232_983, 1000)
    (row,) = verify(instance, ["pd-ors-corrected"])
    assert (row.value, row.verdict) == (109, FactorVerdict.HOLDS)


def apart(seed: int) -> OnlineInstance:
    """Machines that hold workers, or parameter servers, never both."""
    instance = slim(seed)
    kinds = zip(instance.machines, cycle(("workers", "servers")), strict=False)
    machines = tuple(replace(one, hosts=kind) for one, kind in kinds)
    return replace(instance, machines=machines)


def test_where_no_machine_holds_both_the_theorem_says_something() -> None:
    """By the least utility of any job at the horizon, factors were as large as utilities small."""
    held = 0
    for seed in range(12):
        (row,) = verify(apart(seed), ["pd-ors-corrected"], seed=seed)
        assert not row.broken
        held += row.verdict is FactorVerdict.HOLDS
        assert row.factor is None or row.factor < 1000
    assert held >= 6


def test_without_a_job_that_can_be_completed_the_theorem_is_silent() -> None:
    instance = slim()
    servers = tuple(replace(machine, hosts="servers") for machine in instance.machines)
    unmet = PROVED.unmet(replace(instance, machines=servers))
    assert unmet is not None
    assert "no job can be completed on 1 or 2 machines" in unmet


@pytest.mark.parametrize(
    ("value", "bound", "best", "verdict"),
    [
        (5, 10, 6, FactorVerdict.HOLDS),
        (4, 10, 8, FactorVerdict.INCONCLUSIVE),
        (4, 10, 9, FactorVerdict.VIOLATED),
        (0, 0, 0, FactorVerdict.HOLDS),
        (0, 10, 1, FactorVerdict.VIOLATED),
    ],
)
def test_a_verdict_on_a_utility(value: int, bound: int, best: int, verdict: FactorVerdict) -> None:
    """With a factor of 2: the optimum lies between the best schedule and the bound."""
    numbers = map(Fraction, (2, value, bound, best))
    assert rule(*numbers, maximize=True) is verdict
