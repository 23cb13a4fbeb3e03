"""Reads programs in NL files. The program is the text, and is checked to be whole."""

from pathlib import Path

from ...instances.errors import InputError
from ..program import Nonlinear
from .names import name_of, program_text
from .nl import NlError, NlLines, parse_nl

ADVICE = "write it as text (`g`) with an AMPL writer, such as Pyomo's"


def read_nl_file(path: Path) -> Nonlinear:
    """Return the program in a file, and unpack a .gz file. A maximised objective is turned.

    The names of columns are those in a file that ends in .col next to it, if there is one, as
    AMPL and Pyomo write it. Else they are ``x0``, ``x1``, ...

    Raises:
        InputError: With the first line that cannot be read.
    """
    text, count = parse_nl_text(program_text(path), str(path))
    beside = path.with_name(path.name.removesuffix(".gz")).with_suffix(".col")
    columns = tuple(f"x{j}" for j in range(count))
    if beside.is_file():
        columns = tuple(name_of(line.strip()) for line in program_text(beside).splitlines())
    if len({*columns}) != count or len(columns) != count:
        found = f"{len({*columns})} different names"
        raise InputError.of(str(beside), "file", found, f"{count}, one a line", "write it again")
    return Nonlinear(columns=columns, nl=text.encode())


def parse_nl_text(text: str, source: str) -> tuple[str, int]:
    """Return an NL text whose objective is minimised, and how many columns it has."""
    # A maximised objective adds no line before its own.
    lines = NlLines(text := _minimised(text))
    try:
        if not text.startswith("g"):
            lines = NlLines(text[:40])
            next(lines)
            raise NlError("not a text", "g, the first letter of an NL text")
        segments = parse_nl(lines)
        missing = len(segments.bounds) < len(segments.integer)
        if missing or len(segments.row_bounds) < len(segments.rows):
            raise NlError("no bounds", f"a segment {'b' if missing else 'r'} with all bounds")
    except NlError as error:
        expected = error.expected
    except (ArithmeticError, IndexError, StopIteration, ValueError):
        expected = "a complete NL text"
    else:
        return text, len(segments.integer)
    found = lines.last or "the end of the file"
    raise InputError.of(source, f"line {lines.number}", found, expected, ADVICE)


def _minimised(text: str) -> str:
    """Return the text with a maximised objective turned."""
    lines = text.splitlines(keepends=True)
    heads = [line.split("#")[0].split() for line in lines]
    if ["O0", "1"] not in heads:
        return text
    at = heads.index(["O0", "1"])
    begin = next((n + 1 for n, words in enumerate(heads) if words[:1] == ["G0"]), None)
    if begin is not None and len(heads[begin - 1]) == 2 and heads[begin - 1][1].isdecimal():
        for n in range(begin, min(begin + int(heads[begin - 1][1]), len(lines))):
            if len(heads[n]) == 2:
                column, factor = heads[n]
                lines[n] = f"{column} {factor[1:] if factor[0] == '-' else f'-{factor}'}\n"
    lines[at] = "O0 0\no16\n"
    return "".join(lines)
