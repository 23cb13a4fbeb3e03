"""Reads .solu files, in which MIPLIB, MINLPLib and SCIP keep what is known of many programs."""

from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Literal, NamedTuple

from ...instances.errors import InputError
from .names import program_text
from .sol import exact_number

Kind = Literal["opt", "best", "bestdual", "inf", "feas", "unkn"]
VALUED: tuple[Kind, ...] = ("opt", "best", "bestdual")
PLAIN: tuple[Kind, ...] = ("inf", "feas", "unkn")


class Stated(NamedTuple):
    """What a .solu file states of a program, by the word between the signs of equality.

    `opt` is the optimum, `best` the best known value, `bestdual` the best known bound. They are in
    the sense of the program's file, which may maximise. `inf` says that there is no point, `feas`
    that there is one, and `unkn` that nothing is known.
    """

    kind: Kind
    value: Fraction | None = None


def read_solu(path: Path) -> dict[str, tuple[Stated, ...]]:
    """Return the statements in a file, by the name of the program.

    Raises:
        InputError: With the first line that cannot be read.
    """
    return parse_solu(program_text(path), str(path))


def parse_solu(text: str, source: str) -> dict[str, tuple[Stated, ...]]:
    """Return the statements in a text. Errors name the source and the line."""
    known: dict[str, tuple[Stated, ...]] = {}
    for name, stated in _lines(text, source):
        known[name] = (*known.get(name, ()), stated)
    return known


def _lines(text: str, source: str) -> Iterator[tuple[str, Stated]]:
    seen: set[tuple[str, str]] = set()
    for number, line in enumerate(text.split("\n"), start=1):
        words = line.split()
        if not words or words[0][0] in "#*":
            continue
        kind: Kind | None = next((k for k in (*VALUED, *PLAIN) if words[0] == f"={k}="), None)
        value = exact_number(words[2]) if len(words) == 3 else None
        fault = None
        if kind is None:
            fault = f"one of {', '.join(f'={one}=' for one in (*VALUED, *PLAIN))}"
        elif kind in VALUED and value is None:
            fault = f"={kind}=, a name and a finite number"
        elif kind in PLAIN and len(words) != 2:
            fault = f"={kind}= and a name"
        elif (words[1], kind) in seen:
            fault = "each statement on a program once"
        if fault is not None or kind is None:
            advice = "write it as MIPLIB's .solu files"
            raise InputError.of(source, f"line {number}", line.strip(), str(fault), advice)
        seen.add((words[1], kind))
        yield words[1], Stated(kind, value)
