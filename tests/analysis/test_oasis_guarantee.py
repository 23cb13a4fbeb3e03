"""OASiS's theorem: its numbers by hand, its premises, and runs that hold it or break it."""

from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from math import exp, log

import pytest
from online_small import amounts, machine, online, training_job

from ringyard.analysis.guarantees import FactorVerdict, Guarantee, guarantees_of
from ringyard.analysis.guarantees.online_facts import price_facts
from ringyard.campaigns.verifying.theorems import verify
from ringyard.instances import Deadline, OnlineInstance
from ringyard.methods import find_method

PROVED, PRINTED = guarantees_of("oasis")


def rising(places: int, values: list[int]) -> OnlineInstance:
    """One slot, and as many jobs of each value as there are places, the least values first."""
    one = amounts(cpu=1)
    jobs = [
        training_job(
            f"j{value}-{i}",
            worker=one,
            server=one,
            utility=Deadline(value=Decimal(value), slots=0),
        )
        for value in values
        for i in range(places)
    ]
    machines = [machine("w", "workers", cpu=places), machine("s", "servers", cpu=places)]
    return online(machines, [replace(job, samples=1, batch_samples=1) for job in jobs], 1)


CROWD = rising(20, [1, 2, 4, 8, 16, 32, 64])


def test_the_numbers_of_the_theorem_by_hand() -> None:
    """20 places: L = 1/4 / 20 on both sides and U = 64, so U/L = 5120; a job takes s = 1/20.

    Chi is (U/L)^s, and alpha 20 times what that is above 1. At the first prices 20 places of either
    kind cost 1/4, and the best job alone is worth 64.
    """
    facts = price_facts(CROWD)
    chi = 5120 ** (1 / 20)
    assert facts.log_range == pytest.approx(log(5120))
    assert facts.stretch == pytest.approx(chi)
    assert facts.growth == pytest.approx(20 * (chi - 1))
    assert facts.start == pytest.approx(0.5 / 64)
    assert float(PRINTED.factor(CROWD)) == pytest.approx(2 * log(5120), abs=1e-3)
    whole = chi * 20 * (chi - 1) / (1 - chi * 0.5 / 64)
    assert float(PROVED.factor(CROWD)) == pytest.approx(whole, abs=1e-3)


def test_several_workers_of_a_job_bend_prices_more() -> None:
    """Of 20 places a job takes up to 4: chi is the larger of (U/L)^(1/20) and (U/L)^(4/20) / 4."""
    jobs = tuple(replace(job, batch_samples=4, samples=4) for job in CROWD.jobs)
    facts = price_facts(replace(CROWD, jobs=jobs))
    wide = exp(facts.log_range * 4 / 20)
    assert facts.stretch == pytest.approx(max(exp(facts.log_range / 20), wide / 4))
    assert facts.growth == pytest.approx((wide - 1) * 20 / 4)


def test_the_factor_comes_down_to_two_alpha_as_jobs_become_small() -> None:
    """With more and more places; from above, as the first prices are worth less than half."""
    ratios = []
    for places in (5, 20, 320, 5120):
        machines = tuple(
            replace(one, capacity=amounts(cpu=places)) for one in rising(1, [1]).machines
        )
        instance = replace(CROWD, machines=machines)
        ratios.append(PROVED.factor(instance) / PRINTED.factor(instance))
    assert all(one > next_one for one, next_one in pairwise(ratios))
    assert ratios[0] > 1 > ratios[-1] > Fraction(1, 2)


@pytest.mark.parametrize("places", [12, 20, 40])
def test_values_that_rise_stay_within_the_factor(places: int) -> None:
    """The worst order there is: prices keep places free for what may come, but not enough."""
    row, printed = verify(rising(places, [1, 2, 4, 8, 16, 32, 64]), ["oasis"])
    assert row.guarantee == PROVED
    assert row.verdict is printed.verdict is FactorVerdict.HOLDS
    assert row.ratio is not None
    assert row.ratio > 2


def test_a_factor_that_is_too_small_is_refuted() -> None:
    """All 20 places could be worth 64, and OASiS leaves less than a fifth of that.

    That is more than a third of what the theorem allows, as the page on OASiS says.
    """
    wrong: Guarantee = replace(PROVED, factor=lambda _: Fraction(5))
    (found,) = verify(CROWD, ["oasis"], theorems=[wrong])
    assert found.best == 20 * 64
    assert found.value is not None
    assert found.best / found.value > PROVED.factor(CROWD) / 3
    assert found.verdict is FactorVerdict.VIOLATED
    assert found.broken


def test_the_printed_factor_is_false_of_a_job_as_large_as_a_machine() -> None:
    """The only place goes to a job worth 1, one of 100 is refused: and 2 ln 400 is below 12."""
    proved, printed = verify(rising(1, [1, 100]), ["oasis"])
    assert printed.verdict is FactorVerdict.VIOLATED
    assert (printed.value, printed.best) == (1, 100)
    assert float(printed.factor or 0) == pytest.approx(2 * log(400), abs=1e-3)
    assert proved.factor is None
    assert proved.remark.startswith("needs first prices below optimum / chi: chi is 400,")


def test_machines_for_both_are_not_spoken_of() -> None:
    machines = (*CROWD.machines, machine("m", cpu=1))
    for theorem in (PROVED, PRINTED):
        unmet = theorem.unmet(replace(CROWD, machines=machines))
        assert (
            unmet == "needs separate machines for workers and servers: "
            "machine 'm' may host both workers and servers"
        )


def test_work_on_a_coarse_grid_is_not_spoken_of() -> None:
    """65 slots of a worker, of two at once: 64 parts are fewer. Of one at once they are no grid."""
    wide = replace(CROWD.jobs[0], name="wide", samples=65, batch_samples=2)
    instance = replace(CROWD, jobs=(*CROWD.jobs, wide), horizon_slots=80)
    unmet = PROVED.unmet(instance)
    assert unmet is not None
    assert unmet.endswith("job 'wide' needs 65 slots")
    assert (
        PROVED.unmet(replace(instance, jobs=(*CROWD.jobs, replace(wide, batch_samples=1)))) is None
    )
    assert PROVED.unmet(replace(instance, horizon_slots=32)) is None  # It cannot complete.


def test_options_of_oasis_are_not_spoken_of() -> None:
    options = find_method("oasis:scale_u=2", "online").options
    unmet = PROVED.unmet(CROWD, options)
    assert unmet is not None
    assert "usual options" in unmet
