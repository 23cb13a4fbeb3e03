"""Strengths of relaxations: engines that differ, and what is rounded from a slot."""

import numpy as np
import pytest

from ringyard.formulations.online.slot_program import SlotData
from ringyard.formulations.rental.convex import solve_convex
from ringyard.formulations.rental.widths import classes_of
from ringyard.papers.relaxations.rentals import rental_roots, rentals
from ringyard.papers.relaxations.slots import (
    ACROSS,
    EITHER,
    INSIDE,
    PAIRS,
    mixed_program,
    slot_roots,
    slot_rounded,
    slots,
)
from ringyard.papers.relaxations.strengths import Root, Timed, solved
from ringyard.papers.study import named
from ringyard.run import ContradictionError

ASKED = [("pdors-small-10x4x8", 0), ("pdors-small-04x2x5", 1)]
"""Slots that hulls close, and that a server for part of the workers leaves open."""

NO_ROOT = Root("i", 1.0, "r", None, None, {})


def test_engines_that_differ_are_an_error() -> None:
    near = {"one": Timed(1.0, 0.1), "other": Timed(1.00001, 0.1), "late": Timed(None, 0.1)}
    assert solved(NO_ROOT, 1.0, near).value == 1.0
    assert solved(NO_ROOT, 1.0, near).seconds["late"] is None
    with pytest.raises(ContradictionError, match=r"0\.001, 0\.0011"):
        solved(NO_ROOT, 1.0, {"one": Timed(0.001, 0.1), "other": Timed(0.0011, 0.1)})


def test_relaxations_of_a_slot_are_no_dearer_than_its_plans_and_hulls_no_weaker() -> None:
    found = list(slots(ASKED, 20.0))
    assert len(found) == len(ASKED)
    for slot in found:
        known = [root for root in slot_roots([slot], 20.0) if root.strength is not None]
        assert all(root.strength is not None and root.strength <= 1 + 1e-9 for root in known)
        values = {root.name: root.value or 0.0 for root in known}
        for names in (ACROSS, INSIDE, EITHER):
            own = [values[name] for name in names if name in values]
            assert own == pytest.approx(sorted(own), rel=1e-6)
    assert found[1].certified


def test_what_is_rounded_is_a_plan_no_cheaper_than_the_least() -> None:
    found = list(slots(ASKED, 20.0))
    made = slot_rounded(found)
    assert [tuple(row[1:3]) for row in made.table.rows] == list(PAIRS)
    assert all(pair.rounded.mean >= 1 - 1e-9 for pair in made.pairs)


def test_the_rounded_program_is_that_of_the_slot() -> None:
    """Two machines with two resources: two covers; four capacities and the batch."""
    data = SlotData(
        worker_cost=np.array([2.0, 3.0]),
        server_cost=np.array([1.0, 5.0]),
        capacity=np.array([[4.0, 8.0], [6.0, 2.0]]),
        worker=np.array([2.0, 1.0]),
        server=np.array([1.0, 4.0]),
        workers_per_server=3.0,
        least_workers=3.0,
        most_workers=8.0,
    )
    program = mixed_program(data)
    assert (program.demand.size, program.capacity.size) == (2, 5)
    assert not program.holds(np.array([1, 2, 0, 0]))  # no server
    assert not program.holds(np.array([2, 1, 1, 0]))  # 5 of 4 on machine 0
    assert program.excess(np.array([1, 2, 1, 0])).tolist() == [0, 0, 0, 0, 0]


def test_relaxations_of_whole_widths_come_in_order() -> None:
    (one,) = rentals(["rental-small-s2"], 20.0)
    values = [root.value or 0.0 for root in rental_roots([one], 20.0)]
    assert values == sorted(values)
    assert values[-1] == pytest.approx(one.split)
    assert one.split < one.pure


def test_two_conic_solvers_agree() -> None:
    instance = named("rental-small-s2")
    budget = float(instance.budget_gpus)
    found = [
        solve_convex(classes_of(instance), budget, solver=name) for name in ("CLARABEL", "SCS")
    ]
    assert found[0] is not None
    assert found[1] is not None
    assert found[0].mean_jct == pytest.approx(found[1].mean_jct, rel=1e-6)
