"""A program's docstring, its Pyomo components and the judge call the same things the same."""

import re
from collections import defaultdict
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pyomo.environ as pyo
import pytest
from programs_cases import make_instance
from pyomo.gdp import Disjunct, Disjunction
from rental_small import two_types
from shuffle_small import PENTAGON, exchange
from transfers_small import for_programs

from ringyard.families import FAMILIES
from ringyard.formulations.catalogue import Formulation, all_formulations, find_formulation
from ringyard.instances.catalogue import load
from ringyard.instances.regions import with_regions

HEADS = ("Variables", "Objective", "Constraints", "Disjuncts", "By construction", "Left out")
READING = {
    "makespan": {"instance_digest", "known_names", "pieces", "whole_slots", "completion"},
    "online": {"instance_digest", "known_names", "pieces", "utility"},
    "trace": {"instance_digest", "known_names", "planned_once", "ticks", "pieces", "claims"},
    "rental": {"instance_digest", "known_names", "planned_once", "claims"},
    "transfers": {"instance_digest", "known_names", "claims"},
    "shuffle": {"instance_digest", "known_names", "claims"},
}
"""Rules that `read` keeps for every program: it makes whole numbers, true names, no claims."""

ENTRY = re.compile(r"^ {4}([A-Za-z]\w*)(?:\[([^\]]*)\])?(?=[\s:]|$)")
KINDS: dict[str, Any] = {
    "Variables": pyo.Var,
    "Objective": pyo.Objective,
    "Constraints": pyo.Constraint,
    "Disjuncts": (Disjunct, Disjunction),
}
BUILT = [program for program in all_formulations() if program.name != "columns"]
"""The columns of that one are found while it is solved."""


def models(program: Formulation) -> list[Any]:
    """Return models of a program that show all its components."""
    if program.family == "online":
        return [program.build(load("hand-online-turn"))]
    if program.family == "trace":
        free: Any = load("tiny-trace-05x2-no-restart")
        jobs = tuple(replace(job, communication=Decimal(0)) for job in free.jobs)
        regional = with_regions(replace(free, jobs=jobs), 2, Decimal(1), 0)
        return [program.build(load("tiny-trace-03x1")), program.build(regional)]
    if program.family == "rental":
        return [program.build(two_types(2.5, whole=True))]
    if program.family == "shuffle":
        return [program.build(exchange(*PENTAGON))]
    if program.family == "transfers":
        return [program.build(for_programs(*(["switch"] if program.name == "groups" else [])))]
    instances = [make_instance(form) for form in ("paper", "step", "max_workers_per_server")]
    first, *others = instances[0].jobs
    begun = replace(instances[0], jobs=(replace(first, held=(("s0", 1),)), *others))
    return [program.build(instance, 8) for instance in (*instances, begun)]


def sections(docstring: str) -> dict[str, dict[str, int]]:
    """Return the names under each head of a docstring, with their numbers of indices."""
    found: dict[str, dict[str, int]] = defaultdict(dict)
    head = ""
    for line in docstring.splitlines():
        if line and not line.startswith(" "):
            head = line if line in HEADS else ""
        entry = ENTRY.match(line)
        if head and entry:
            found[head][entry[1]] = len(entry[2].split(",")) if entry[2] else 0
    return found


def described(program: Formulation) -> dict[str, dict[str, int]]:
    return sections(program.mathematics)


def components(model: Any, kind: Any) -> dict[str, int]:
    """Return the components of a model by local name, with their numbers of indices."""
    found: dict[str, int] = {}
    for part in model.component_data_objects(kind, descend_into=(pyo.Block, Disjunct)):
        parent, index = part.parent_component(), part.index()
        if parent.local_name != "binary_indicator_var":
            width = len(index) if isinstance(index, tuple) else int(index is not None)
            found[parent.local_name] = width
    return found


@pytest.mark.parametrize("program", BUILT, ids=lambda program: program.name)
def test_names_in_the_docstring_are_those_of_the_model(program: Formulation) -> None:
    said = described(program)
    shown = models(program)
    for head, kind in KINDS.items():
        built: dict[str, int] = {}
        for model in shown:
            built |= components(model, kind)
        assert built == said[head], head


@pytest.mark.parametrize("program", BUILT, ids=lambda program: program.name)
def test_every_rule_of_the_judge_has_one_place(program: Formulation) -> None:
    said = described(program)
    rules = FAMILIES[program.family].rules
    stated = [name for name in said["Constraints"] if name in rules]
    placed = [*stated, *said["By construction"], *said["Left out"]]
    assert sorted(placed) == sorted(set(rules) - READING[program.family])


@pytest.mark.parametrize("program", BUILT, ids=lambda program: program.name)
def test_only_a_relaxation_leaves_rules_out(program: Formulation) -> None:
    assert not (program.exact and described(program)["Left out"])


def test_the_reader_of_docstrings_sees_names_and_indices() -> None:
    page = (
        "One.\n\nVariables\n    x[j, t] in {0, 1}: text\n      y[k] goes on\n    z: text\n\nSize: 1"
    )
    assert sections(page) == {"Variables": {"x": 2, "z": 0}}


def test_a_wrong_name_would_be_seen() -> None:
    model = find_formulation("nonconvex").build(make_instance(), 8)
    model.unheard_of = pyo.Var()
    assert components(model, pyo.Var) != described(find_formulation("nonconvex"))["Variables"]
