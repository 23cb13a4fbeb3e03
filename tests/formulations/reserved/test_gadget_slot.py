"""GADGET's program of a slot: its names, the judge's verdicts on its points, its optimum."""

from collections import Counter
from collections.abc import Mapping
from random import Random
from typing import Any

import pyomo.environ as pyo
import pytest
from little import few
from programs_breaches import breached
from reserved_small import placements, rules_broken, slot_data, slot_optimum, tiny
from test_names import KINDS, components, sections

from ringyard.formulations.matrix import matrix_of
from ringyard.formulations.reserved import gadget_slot
from ringyard.formulations.solver_interface.solve import solve
from ringyard.instances import ReservedInstance, SolutionStatus
from ringyard.policies.reserved import Placement

SEEDS = range(20)
LIMITS = {"capacity", "uplinks", "rack_uplinks"}
"""Rules of the judge that are rows by the same name."""


def drawn(instance: ReservedInstance, rng: Random) -> dict[int, Placement]:
    """Return placements of all rings, right by luck only."""
    ways = (rng.choice(list(placements(instance, rng.randint(0, 3)))) for _ in instance.jobs)
    return {i: way for i, way in enumerate(ways) if way}


def write(model: Any, placements: Mapping[int, Mapping[int, int]]) -> None:
    """Put workers of rings on machines into the variables, beyond their bounds if needed."""
    for variable in model.component_data_objects(pyo.Var):
        variable.set_value(0)
    for i, placement in placements.items():
        racks = {model.rack_of[s] for s in placement}
        for s, count in placement.items():
            model.workers[i, s].set_value(count, skip_validation=True)
            held = model.inside if len(placement) == 1 else model.linked
            held[i, s].set_value(1, skip_validation=True)
        if len(racks) > 1:
            model.across[i].set_value(1)
            for k in racks:
                model.rack_linked[i, k].set_value(1, skip_validation=True)
        elif len(placement) > 1:
            model.in_rack[i, racks.pop()].set_value(1)
        for n in range(min(sum(placement.values()), len(model.gains[i]))):
            model.step[i, n].set_value(1)


def test_names_in_the_docstring_are_those_of_the_model() -> None:
    said = sections(str(gadget_slot.__doc__))
    models = [gadget_slot.build(slot_data(tiny(seed))) for seed in range(6)]
    for head, kind in KINDS.items():
        built: dict[str, int] = {}
        for model in models:
            built |= components(model, kind)
        assert built == said[head], head


def test_program_and_judge_agree_on_random_slots() -> None:
    rng, counts = Random(0), Counter[bool]()
    for seed in SEEDS:
        instance = tiny(seed, slots=1)
        data = slot_data(instance)
        asked = {ask.job for ask in data.asks}
        for _ in range(20):
            held = {i: way for i, way in drawn(instance, rng).items() if i in asked}
            model = gadget_slot.build(data)
            write(model, held)
            rows, rules = breached(model), rules_broken(instance, held)
            assert (rows == set()) == (rules == set()), (seed, held)
            assert rules & LIMITS <= rows
            counts[not rules] += 1
    assert min(counts.values()) > 50


@pytest.mark.parametrize("seed", few(8, SEEDS))
def test_its_optimum_is_that_of_trying_everything(seed: int) -> None:
    instance = tiny(seed, slots=1)
    data = slot_data(instance)
    if data.asks:
        program = matrix_of(gadget_slot.build(data))
        found = solve(program)
        assert found.status is SolutionStatus.OPTIMAL
        assert found.value == pytest.approx(-float(slot_optimum(instance)), abs=1e-7)


def test_what_is_written_is_read_again() -> None:
    model = gadget_slot.build(slot_data(tiny(3, slots=1)))
    held = {0: {0: 1, 2: 1}, 1: {1: 1}}
    write(model, held)
    assert gadget_slot.read(model) == held
