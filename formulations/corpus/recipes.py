"""Names of programs, which say how each is made.

A name is ``INSTANCE.PROGRAM``, then perhaps a letter with a number (``h12``: twelve slots as
horizon), then perhaps ``relaxed``: no variable has to be an integer.
"""

from dataclasses import dataclass

from ...families import FAMILIES, CorpusProgram
from ...instances.errors import InputError

RELAXED = "relaxed"

HORIZON = "h"


def special_programs() -> dict[str, CorpusProgram]:
    """Return the programs of all families that are no formulations, by name."""
    return {one.name: one for family in FAMILIES.values() for one in family.corpus}


def letter_of(program: str) -> str:
    """Return what stands before the number of a program; empty if it has none."""
    special = special_programs().get(program)
    return HORIZON if special is None else special.letter


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgramRecipe:
    """How a program is made: from which instance, by what, with which number, relaxed or not."""

    instance: str
    program: str
    number: int | None = None
    relaxed: bool = False

    @property
    def name(self) -> str:
        """The name of the program."""
        letter = letter_of(self.program)
        number = [] if self.number is None else [f"{letter}{self.number}"]
        return ".".join([self.instance, self.program, *number, *[RELAXED][: self.relaxed]])


def recipe_of(name: str) -> ProgramRecipe:
    """Return the recipe that a name says.

    Raises:
        InputError: If it says none.
    """
    instance, *words = name.split(".")
    program, *words = words or [""]
    letter, number = letter_of(program), None
    if words and letter and words[0][:1] == letter and words[0][1:].isdecimal():
        number = int(words.pop(0)[1:])
    relaxed = words[-1:] == [RELAXED]
    found = ProgramRecipe(instance=instance, program=program, number=number, relaxed=relaxed)
    if not program or found.name != name:
        expected = "INSTANCE.PROGRAM, with .h12 or another number, and .relaxed, where it has these"
        advice = "see `ringyard corpus`"
        raise InputError.of("corpus", "program", name, expected, advice)
    return found
