"""Programs of other packages and of files as methods, by their names."""

from dataclasses import replace

from ..families.method import Method, Program, by_program
from ..families.registry import FAMILIES, extension_program
from ..instances.errors import InputError, Words, unknown
from .entry_points import Brought, FromFile, hold, named

PROGRAMS = "ringyard.formulations"
"""Entry point group of other packages' programs. Each is a method of its name, too."""

CHANGES = ("bigm", "hull")
"""Transformations of a program with disjunctions. They follow its name and a dash."""


def program_point(name: str) -> Brought | None:
    """Return the program of another package that a name means, perhaps with a transformation."""
    known = named(PROGRAMS)
    found = known.get(name) or known.get(name.rpartition("-")[0])
    own = (one.name for home in FAMILIES.values() for one in home.programs)
    return None if found is None or found.name in own else found


def held_program(program: Program) -> Brought:
    """Return a program that a caller passes. It is found by its name from now on."""
    own = {one.name for home in FAMILIES.values() for one in home.programs}
    if program.name in own or ":" in program.name:
        wanted, advice = "a name that Ringyard does not use, without colons", "rename the program"
        raise InputError.of("program", "name", program.name, wanted, advice)
    return hold(PROGRAMS, program.name, program)


def program_method(one: Brought, change: str = "") -> Method:
    """Return the method that solves a program of another package or of a file."""
    program = extension_program(one)
    if program.form != "disjunctive" and change:
        found, advice = Words("no disjunctions"), f"leave out -{change}, or set form='disjunctive'"
        raise InputError.of("method", one.name, found, "a program with disjunctions", advice)
    if program.form == "disjunctive" and change not in (*CHANGES, ""):
        raise InputError("method", [unknown(one.name, change, CHANGES, "leave it out")])
    ending = f"-{change or CHANGES[0]}" if program.form == "disjunctive" else ""
    label, spelled = one.name + ending, ""
    if isinstance(one, FromFile):
        spelled = one.spelled + ending
    own = next((own for own in FAMILIES[program.family].methods if own.formulation), None)
    made = by_program(
        label,
        about=program.about,
        source=one.source,
        formulation=spelled or label,
        solver="scip" if program.form == "nonlinear" else "highs",
        starts=own.starts if own else False,
        module=own.module if own else ".search.programs",
        family=program.family,
    )
    return replace(made, spelled=spelled, digest=one.digest)
