"""Runs of online methods, and random rounding, held against what is stated of them."""

import pytest

from ringyard.analysis.guarantees import Verdict
from ringyard.campaigns.random_runs import claimed_policies, random_runs
from ringyard.campaigns.tally import Findings
from ringyard.campaigns.verify import verify
from ringyard.campaigns.verify_rounding import verify_rounding
from ringyard.campaigns.yards import random_market
from ringyard.instances.catalogue import load


def test_ratios_are_optimum_over_utility() -> None:
    (row,) = verify(load("hand-online-turn"), ["pd-ors-corrected"])
    assert row.ratio is not None
    assert (row.value, row.bound.value, row.ratio * 3) == (3, 10, 10)
    assert row.verdict is Verdict.INCONCLUSIVE
    assert row.remark.startswith("needs jobs that take a small part of a machine")


def test_the_proved_factor_holds_on_random_markets() -> None:
    """A bounded sample of `ringyard verify --method pd-ors-corrected --runs N`."""
    found = Findings()
    for part in random_runs(range(25), ["pd-ors-corrected"], "online", time_limit=5.0):
        found.join(part)
    tally = found.tallies["competitive"]
    assert tally.verdicts[Verdict.VIOLATED] == 0
    assert tally.verdicts[Verdict.HOLDS] >= 5
    assert not found.broken


def test_both_forms_of_pd_ors_are_claimed() -> None:
    assert claimed_policies("online") == ["pd-ors-corrected", "pd-ors"]


def test_random_markets_are_drawn_again() -> None:
    assert random_market(1, 2) == random_market(1, 2)
    assert random_market(1, 2) != random_market(1, 3)


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
