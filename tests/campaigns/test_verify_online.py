"""Runs of online methods, and random rounding, held against what is stated of them."""

from decimal import Decimal
from math import log, sqrt

import numpy as np
import pytest

from ringyard import online
from ringyard.analysis.guarantees import FactorVerdict
from ringyard.campaigns.verifying import online as module
from ringyard.campaigns.verifying.online import audit, unmet_chi, verify_rounding
from ringyard.campaigns.verifying.theorems import (
    VerifiedRuns,
    claimed_policies,
    random_runs,
    verify,
)
from ringyard.instances import OnlineInstance, validate
from ringyard.instances.catalogue import load
from ringyard.instances.online.mix import random_market
from ringyard.policies.online.pd_ors import CorrectedOptions
from ringyard.simulation.online import online_model, outlook, published


def test_ratios_are_optimum_over_utility() -> None:
    (row,) = verify(load("hand-online-turn"), ["pd-ors-corrected"])
    assert row.ratio is not None
    assert (row.value, row.bound.value, row.ratio * 3) == (3, 10, 10)
    assert row.verdict is FactorVerdict.INCONCLUSIVE
    assert row.remark.startswith("needs jobs that need a small part of a machine")


@pytest.mark.parametrize("count", [10, pytest.param(25, marks=pytest.mark.slow)])
def test_the_proved_factor_holds_on_random_markets(count: int) -> None:
    """A bounded sample of `ringyard verify --method pd-ors-corrected --runs N`."""
    found = VerifiedRuns()
    for part in random_runs(range(count), ["pd-ors-corrected"], "online"):
        found.join(part)
    tally = found.tallies["competitive"]
    assert tally.verdicts[FactorVerdict.VIOLATED] == 0
    assert tally.verdicts[FactorVerdict.HOLDS] >= count / 5
    assert not found.broken


@pytest.mark.parametrize("count", [12, pytest.param(100, marks=pytest.mark.slow)])
def test_the_factor_of_oasis_holds_on_random_markets(count: int) -> None:
    """A bounded sample of `ringyard verify --method oasis --runs N`."""
    found = VerifiedRuns()
    for part in random_runs(range(count), ["oasis"], "online"):
        found.join(part)
    tally = found.tallies["two-alpha"]
    assert not found.broken
    assert tally.verdicts[FactorVerdict.HOLDS] >= count / 6
    assert tally.verdicts[FactorVerdict.INCONCLUSIVE] == 0


def test_policies_with_theorems_are_claimed() -> None:
    assert claimed_policies("online") == [
        "pd-ors-corrected",
        "pd-ors-flat",
        "pd-ors",
        "oasis",
    ]


def test_random_markets_are_drawn_again() -> None:
    assert random_market(1, 2) == random_market(1, 2)
    assert random_market(1, 2) != random_market(1, 3)


@pytest.mark.parametrize("index", [123, 1185, 2828])
def test_every_job_of_a_random_market_finds_room(index: int) -> None:
    """Drawn once, a worker and a server had more cores than the only machine has."""
    validate(random_market(77, index))


@pytest.mark.parametrize("name", ["pdors-s0", "pdors-roomy-s0"])
def test_what_is_stated_of_rounding_holds_where_it_speaks(name: str) -> None:
    rows = list(verify_rounding(load(name), draws=10_000))
    assert not [row for row in rows if row.broken]
    spoken = [row for row in rows if row.statement.verdict == "holds"]
    assert {row.statement.what for row in spoken} == {"cost", "cover", "packing", "all"}
    assert all(row.statement.high <= row.statement.stated for row in spoken)


def test_a_narrow_machine_is_outside_the_printed_theorem() -> None:
    rows = verify_rounding(load("pdors-s0"), draws=100)
    printed = [r for r in rows if r.gain.form == "printed" and r.favours == "packing"]
    verdicts = {row.statement.what: row.statement.verdict for row in printed}
    assert verdicts["packing"].startswith("hypothesis not met: W_b >= 6 ln(3r/delta)")
    assert not verdicts["cost"].startswith("hypothesis not met")


def test_a_roomy_machine_is_inside_of_it() -> None:
    rows = verify_rounding(load("pdors-roomy-s0"), draws=100)
    assert all(row.gain.unmet is None for row in rows if row.gain.form == "printed")


def market_of(copies: int) -> OnlineInstance:
    """Return jobs worth 1 before jobs worth 10,000, as many of each as there is room for."""
    one = {"samples": 64, "batch_samples": 64, "sample_s": 1, "workers_per_server": 64}
    jobs = [
        {"name": f"{worth}-{k}", **one, "worker": {"cpu": 1}, "utility": worth}
        for worth in (1, 10_000)
        for k in range(copies)
    ]
    machines = [{"capacity": {"cpu": 65 * copies}}]
    return online(jobs=jobs, machines=machines, horizon_slots=1)


def test_the_printed_factor_is_false_of_jobs_that_each_take_a_machine() -> None:
    """The job worth 1 pays the first price and leaves no room for the one worth 10,000.

    By hand: U = 10,000 and L = 1/256. The machine has room for 64 workers, and r = 2, so that
    1/G = 1 + k + sqrt(k^2 + 2 k) with k = 3 ln(3 r / delta) / (2 * 64) and delta = 0.1.
    """
    (row,) = verify(market_of(1), ["pd-ors"])
    k = 3 * log(60) / 128
    gain = 1 / (1 + k + sqrt(k * k + 2 * k))
    factor = 60 * gain * log(10_000 * 256)
    assert factor == pytest.approx(573, abs=0.5)
    assert (row.value, row.best) == (1, 10_000)
    assert float(row.factor or 0) == pytest.approx(factor, abs=2e-3)
    assert row.verdict is FactorVerdict.VIOLATED


def test_the_printed_factor_is_kept_by_jobs_that_are_small() -> None:
    """Of 64 copies each takes a 64th, which is less than 0.4 / ln(U/L) as the proof asks.

    Prices double many times on the way from the first job to the last that fits, so cheap jobs
    leave room. The proof promises even 7.4 ln(U/L).
    """
    market = market_of(64)
    model = online_model(market)
    prices = published(model, outlook(market, model), 1.0)
    logs = float(np.log(prices.high / prices.low).max())
    assert logs < 64 * 0.4
    (row,) = verify(market, ["pd-ors"])
    assert row.verdict is FactorVerdict.HOLDS
    assert row.value is not None
    assert 1 < row.bound.value / row.value < 7.4 * logs


def test_no_gain_with_a_theorem_gives_usable_plans_on_narrow_machines() -> None:
    """A gain below 1 misses the demand, one above 1 the capacities."""
    rows = list(verify_rounding(load("pdors-s0"), draws=1_000))
    usable = {(row.gain.form, row.favours): row.usable for row in rows}
    assert usable.pop(("chernoff", "neither")) > 0
    assert set(usable.values()) == {0.0}


def test_the_same_seed_counts_the_same() -> None:
    one, other = (
        [row.statement for row in verify_rounding(load("pdors-s0"), draws=500, seed=3)]
        for _ in range(2)
    )
    assert one == other


def test_the_audit_finds_plans_that_are_the_cheapest() -> None:
    """Alone on one machine the offer is the cheapest there is, so chi = 1."""
    assert audit(load("hand-online-servers"), CorrectedOptions(), 0) == 1.0


def test_the_audit_sees_a_job_that_is_turned_away_for_want_of_room() -> None:
    """Job b finds the machine full; at chi times the prices of a full machine it does not pay.

    With the printed prices' full = 1 and a range of one it would; so share = 0.001 and U / 1e6.
    """
    cheap = CorrectedOptions(share=Decimal("0.001"), misjudged=Decimal("0.000001"))
    found = audit(load("hand-online-turn"), cheap, 0)
    assert found is not None
    assert found > 2
    reason = unmet_chi(load("hand-online-turn"), cheap, 0)
    assert reason is not None
    assert reason.startswith("needs plans within 2 times the cheapest")


def test_large_runs_are_not_audited(monkeypatch: pytest.MonkeyPatch) -> None:
    market = random_market(0, 0)
    assert unmet_chi(market, CorrectedOptions(), 0) is None
    monkeypatch.setattr(module, "MOST", 1)
    assert unmet_chi(market, CorrectedOptions(), 0) is not None
