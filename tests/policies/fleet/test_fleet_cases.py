"""Files on which schedulers paid too much, or found nothing where there was something."""

from fractions import Fraction
from pathlib import Path

import pytest

import ringyard
from ringyard.analysis.check import check
from ringyard.instances.reading.files import load_schedule

CASES = Path(__file__).parents[2] / "cases"


@pytest.mark.parametrize("name", ["static-fifo", "static-fair", "static-las"])
def test_nothing_is_renewed_when_the_need_falls_with_the_end_of_a_period(name: str) -> None:
    """One linear job of two hours on four GPUs: half an hour, and one hour is paid for."""
    fleet = ringyard.load(str(CASES / "fleet-rent-falls-at-a-period-end.json"))
    by_hand = load_schedule(CASES / "fleet-rent-falls-at-a-period-end-by-hand.json")
    best, answer = check(fleet, by_hand), ringyard.solve(fleet, name)
    assert (best.valid, best.mean_jct, best.spend) == (True, Fraction(1, 2), 4)
    assert answer.valid
    assert (answer.objective, answer.verdict.spend) == (best.mean_jct, best.spend)
    assert answer.schedule.leases == by_hand.leases


def test_leases_on_their_way_count_at_the_end_of_a_period() -> None:
    """At 11, three GPUs from 1, whose period ends, and three from 10 serve a job of three."""
    fleet = ringyard.load(str(CASES / "fleet-on-their-way-at-a-period-end.json"))
    answer = ringyard.solve(fleet, "as-asked")
    assert answer.valid
    assert answer.verdict.spend == Fraction(1, 10)
    leased = [(one.gpus, one.start_s, one.stop_s) for one in answer.schedule.leases]
    assert leased == [(3, 0, 20), (3, 1, 11), (3, 10, 20)]


@pytest.mark.parametrize("which", ["tables", "amdahl"])
@pytest.mark.parametrize("name", ["boa", "boa-integer", "equal-width", "boa-online"])
def test_a_budget_that_is_enough_for_one_gpu_each_is_enough(which: str, name: str) -> None:
    """What fits lies between two steps: the lower one is too small for any plan."""
    fleet = ringyard.load(str(CASES / f"fleet-budget-just-above-the-least-{which}.json"))
    answer = ringyard.solve(fleet, name)
    assert answer.valid
    assert answer.outcome.note.startswith("made for")


@pytest.mark.parametrize("name", ["boa", "boa-integer", "equal-width", "pollux"])
def test_where_no_target_fits_simple_widths_do(name: str) -> None:
    """The speed-up is linear, so any budget at all asks for as many GPUs as a job may have."""
    fleet = ringyard.load(str(CASES / "fleet-rent-falls-at-a-period-end.json"))
    answer = ringyard.solve(fleet, name)
    assert (answer.valid, answer.objective) == (True, Fraction(1, 2))
    assert answer.outcome.note.startswith("no target fits; ")
