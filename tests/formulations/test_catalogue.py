"""The catalogue names every program, finds them by name, and loads none before its use."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from programs_cases import make_instance
from rental_small import two_types
from shuffle_small import CYCLE, exchange
from transfers_small import for_programs

from ringyard.formulations.catalogue import Formulation, all_formulations, find_formulation
from ringyard.instances import InputError
from ringyard.instances.catalogue import load

FAMILIES = {
    "makespan": "theory/programs.md",
    "online": "theory/offline-optimum.md",
    "trace": "theory/trace-bounds.md",
    "rental": "theory/rental.md",
    "transfers": "theory/transfers-bounds.md",
    "shuffle": "theory/reserved-coded-shuffle.md",
}
"""The page on the programs of each family."""


def test_names_are_unique() -> None:
    names = [program.name for program in all_formulations()]
    assert len(set(names)) == len(names)


def test_an_unknown_name_gets_the_nearest_one() -> None:
    with pytest.raises(InputError, match="Did you mean 'linearised'"):
        find_formulation("linearized")


@pytest.mark.parametrize("program", all_formulations(), ids=lambda program: program.name)
def test_every_program_has_its_functions(program: Formulation) -> None:
    assert callable(program.build)
    assert callable(program.write)
    assert callable(program.read)
    assert program.twin is None or callable(program.twin)
    usual = {
        "makespan": make_instance(),
        "online": load("hand-online-turn"),
        "trace": load("tiresias-example"),
        "rental": two_types(2.5, whole=True),
        "transfers": for_programs(),
        "shuffle": exchange(*CYCLE),
    }
    for family, instance in usual.items():
        assert (program.refuses(instance) is None) == (family == program.family)


def test_an_instance_with_a_horizon_of_its_own_takes_no_other() -> None:
    with pytest.raises(InputError, match="the horizon is part of the instance"):
        find_formulation("offline").build(load("hand-online-turn"), 8)


def test_the_catalogue_loads_no_solver_and_no_modelling_language() -> None:
    code = (
        "import sys, ringyard.formulations.catalogue; "
        "print([m for m in ('pyomo', 'highspy', 'pyscipopt', 'ortools') if m in sys.modules])"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert said.stdout.strip() == "[]"


@pytest.mark.parametrize("family", FAMILIES)
def test_the_page_lists_every_program_and_says_whether_it_is_exact(family: str) -> None:
    page = (Path(__file__).parents[2] / "docs" / FAMILIES[family]).read_text(encoding="utf-8")
    rows = re.findall(r"^\| `([a-z-]+)` \|.*\| (yes|no)\b[^|]*\|$", page, re.MULTILINE)
    mine = [program for program in all_formulations() if program.family == family]
    assert rows == [(program.name, "yes" if program.exact else "no") for program in mine]


def test_every_family_has_a_page() -> None:
    assert {program.family for program in all_formulations()} == set(FAMILIES)
