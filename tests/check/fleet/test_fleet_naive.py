"""The fleet judge against a calculation tick by tick, on random logs."""

from decimal import Decimal
from fractions import Fraction
from random import Random

import pytest
from check.fleet.logs import log
from check.fleet.naive import Usage, drawn_fleet, drawn_log, drawn_runs, live, spend

from ringyard.analysis.check import check


@pytest.mark.parametrize("seed", range(60))
def test_ends_use_and_cost_are_those_of_every_tick(seed: int) -> None:
    rng = Random(seed)
    instance = drawn_fleet(rng)
    made = drawn_log(rng, instance)
    verdict = check(instance, made)
    use: Usage = {}
    jobs = dict(zip((one.name for one in instance.jobs), instance.jobs, strict=True))
    found = {entry.job: live(instance, jobs[entry.job], entry, use) for entry in made.jobs}
    tick = Fraction(instance.tick_s)
    assert verdict.ends == {name: end * tick for name, end in found.items() if end is not None}
    assert verdict.held == Fraction(sum(use.values())) * tick / 3600
    assert verdict.leased * 3600 == spend(instance, made)
    assert {v.rule for v in verdict.violations} <= {"budget"}


@pytest.mark.parametrize("seed", range(40))
def test_too_few_gpus_are_found_in_every_tick(seed: int) -> None:
    rng = Random(1000 + seed)
    instance = drawn_fleet(rng, provision_s=Decimal(0))
    made = drawn_log(rng, instance)
    other = [drawn_runs(rng, instance, one) for one in instance.jobs]
    changed = log(other, made.leases)
    held: Usage = {}
    for one, entry in zip(instance.jobs, other, strict=True):
        live(instance, one, entry, held)
    ready: Usage = {}
    for each in made.leases:
        first, last = int(each.start_s / instance.tick_s), int(each.stop_s / instance.tick_s)
        ready |= dict.fromkeys(range(first, last), each.gpus)
    short = [moment for moment, gpus in held.items() if gpus > ready.get(moment, 0)]
    found = [v for v in check(instance, changed).violations if v.rule == "capacity"]
    covered = set()
    for violation in found:
        first, last = violation.where[len("seconds [") : -1].split(", ")
        start, stop = (int(Fraction(text) / Fraction(instance.tick_s)) for text in (first, last))
        covered |= set(range(start, stop))
        worst = max(held.get(t, 0) - ready.get(t, 0) for t in range(start, stop))
        assert violation.amount == Fraction(worst)
    assert covered == set(short)
