"""The programs against all plans: exact where they say so, never above the best elsewhere."""

from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import pyomo.environ as pyo
import pytest
from numpy.random import default_rng
from transfers_small import by_lot, for_programs, link, number, pending, plan_by_lot, star, update

from ringyard.analysis.check import check
from ringyard.formulations.catalogue import find_formulation
from ringyard.formulations.matrix import set_point
from ringyard.formulations.solver_interface.solve import program_of, solve
from ringyard.formulations.transfers.order import inexact
from ringyard.instances import Limits, Outcome, TerminationReason, TransfersInstance, load_instance
from ringyard.methods import find_method
from ringyard.policies.request import Request
from ringyard.search.transfers.enumeration import run as best_plan

CASES = Path(__file__).parents[2] / "cases"


def solved(name: str, instance: TransfersInstance) -> Outcome:
    """Return what a method gives; its plan is checked."""
    found = find_method(name, "transfers").run(instance, Limits(), default_rng(0))
    verdict = check(instance, found.schedule)
    assert verdict.valid, verdict.violations
    assert verdict.value == found.value
    return found


def optimum(instance: TransfersInstance) -> Fraction:
    value = best_plan(instance, Request()).value
    assert value is not None
    return value


def one_link(seed: int) -> TransfersInstance:
    """Return updates for one link, with places, due times and moments of dropping by lot."""
    rng = default_rng(seed)
    updates = [
        update(
            f"u{k}",
            int(rng.integers(1, 6)),
            ready_s=seed % 3,
            behind=int(rng.integers(3)),
            due_s=(None, None, 6, 12)[int(rng.integers(4))],
        )
        for k in range(int(rng.integers(1, 6)))
    ]
    staleness = (None, 2, 3, 5)[int(rng.integers(4))]
    return star(updates, 1 + seed % 2, staleness=staleness, drop_s=int(rng.integers(5, 40)))


@pytest.mark.parametrize("seed", range(15))
def test_the_order_is_best_on_one_link(seed: int) -> None:
    instance = one_link(seed)
    assert inexact(instance) is None
    found, best = solved("order", instance), optimum(instance)
    assert found.value == best
    assert found.bound is not None
    assert float(best) * (1 - 1e-5) <= float(found.bound.value) <= float(best)


def test_programs_never_claim_more_than_the_best() -> None:
    claimed = {"order": 0, "groups": 0}
    for seed in range(16):
        instance = by_lot(seed, 4, aggregators=seed % 2, replica=False)
        for name in claimed:
            if find_method(name, "transfers").refuses(instance) is None:
                found = solved(name, instance)
                if found.bound is not None:
                    claimed[name] += 1
                    assert found.bound.value <= optimum(instance), (seed, name)
    assert min(claimed.values()) > 1


@pytest.mark.parametrize("seed", range(20))
def test_a_plan_fits_into_the_rows_by_its_last_arrival(seed: int) -> None:
    instance = by_lot(seed, 6, replica=False)
    made = plan_by_lot(seed + 7, instance)
    updates = [replace(one, due_s=None, behind=0) for one in instance.updates]
    kept = {name for send in made.sends for name in send.updates}
    sent = tuple(one for one in updates if one.name in kept)
    if not sent:
        return
    open_to_all = replace(instance, updates=sent, staleness=None, goal="last")
    program = find_formulation("groups")
    model = program.build(open_to_all)
    program.write(model, made)
    last = check(open_to_all, made).value
    assert pyo.value(model.last_arrival) <= float(last) + 1e-9
    again = program.read(model)
    program.write(model, again)
    assert pyo.value(model.last_arrival) <= float(check(open_to_all, again).value) + 1e-9


def test_a_written_order_is_worth_what_the_judge_says() -> None:
    instance = replace(for_programs(), divergence=None, updates=for_programs().updates[1:])
    program = find_formulation("order")
    model = program.build(instance)
    made = best_plan(instance, Request()).schedule
    program.write(model, made)
    assert pyo.value(model.mean_applied) == pytest.approx(float(check(instance, made).value))
    assert [send.updates for send in program.read(model).sends] == [
        send.updates for send in made.sends
    ]


@pytest.mark.parametrize("seed", range(6))
def test_copies_are_the_fewest_gigabytes(seed: int) -> None:
    rng = default_rng(seed)
    updates = [
        update(f"u{k}", int(rng.integers(1, 9)), norm=int(rng.integers(5))) for k in range(7)
    ]
    instance = star(updates, replica="replica", divergence=int(rng.integers(1, 9)))
    if find_method("copies", "transfers").refuses(instance) is not None:
        return
    least = min(
        sum(one.size_gb for one, copied in zip(updates, choice, strict=True) if copied)
        for choice in product((False, True), repeat=len(updates))
        if sum(one.norm for one, copied in zip(updates, choice, strict=True) if not copied)
        <= instance.divergence
    )
    assert _copied(instance, solved("copies", instance).schedule) == least
    model = find_formulation("copies").build(instance)
    solution = solve(model)
    assert solution.value == pytest.approx(float(least))
    assert solution.point is not None
    set_point(model, program_of(model), solution.point)
    made = find_formulation("copies").read(model)
    assert check(instance, made).valid
    assert _copied(instance, made) == least


def _copied(instance: TransfersInstance, made: Any) -> Decimal:
    """Return the gigabytes of copies of a plan without groups."""
    copied = {name for send in made.sends for name in send.updates if send.to == "both"}
    return sum((one.size_gb for one in instance.updates if one.name in copied), Decimal(0))


def test_groups_meet_where_the_link_is_narrow() -> None:
    links = [link("switch", "server", 1), *(link(f"w{k}", "switch", 4) for k in range(4))]
    updates = [update(f"u{k}", 2, f"w{k}") for k in range(4)]
    narrow = pending(links, updates, aggregators=("switch",), goal="last")
    found = solved("groups", narrow)
    assert found.value == optimum(narrow) == Fraction(5, 2)
    assert found.bound is not None
    assert float(found.bound.value) == pytest.approx(2.5, rel=1e-5)
    apart = solved("groups", replace(narrow, aggregators=()))
    assert apart.value == 8


def test_what_programs_cannot_say_is_refused() -> None:
    instance, refuses = (
        for_programs(),
        lambda name, one: find_method(name, "transfers").refuses(one),
    )
    assert "use `groups`" in str(refuses("order", replace(instance, goal="last")))
    assert "it has aggregators" in str(refuses("order", replace(instance, aggregators=("switch",))))
    two = replace(instance, links=(*instance.links, link("w-light", "server")))
    assert "several links" in str(refuses("order", two))
    assert "no update must be copied" in str(refuses("copies", replace(instance, divergence=None)))
    stale = replace(instance, staleness=1)
    assert "update 'stale' is too stale" in str(refuses("groups", stale))
    many = star([update(f"u{k}", 1) for k in range(150)], drop_s=number(500))
    assert "22,500 choices" in str(refuses("order", many))


def test_sizes_and_times_may_be_very_large_and_very_small() -> None:
    """A million gigabytes within a microsecond: the program is solved, and its bound is near."""
    instance = load_instance(CASES / "transfers-small-units.json")
    found = solved("groups", instance)
    assert found.termination is TerminationReason.DONE
    assert found.value == optimum(instance) == Fraction(2, 10**6)
    assert found.bound is not None
    assert float(found.bound.value) == pytest.approx(2e-6, rel=2e-6)


@pytest.mark.parametrize("name", ["order", "groups", "copies"])
def test_a_program_without_a_point_leaves_a_plan(name: str) -> None:
    formulation = find_formulation(name)
    instances = (by_lot(seed, 3) for seed in range(60))
    instance = next(one for one in instances if formulation.refuses(one) is None)
    found = find_method(name, "transfers").run(instance, Limits(time_s=0.0), default_rng(0))
    assert check(instance, found.schedule).valid
