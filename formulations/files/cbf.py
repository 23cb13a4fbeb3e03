"""Conic programs in the Conic Benchmark Format, version 3, as CBLIB has it.

The format has no names. Comments identify each column and each cone.
"""

from collections.abc import Iterator

from ..conic import Cone, ConicProgram
from .names import number

VERSION = 3
WORDS = {"zero": "L=", "positive": "L+", "quadratic": "Q", "exponential": "EXP"}


def cbf_lines(program: ConicProgram) -> Iterator[str]:
    """Yield the lines of a CBF file."""
    yield f"# {len(program.columns)} columns, called:"
    yield from (f"# {j} {name}" for j, name in enumerate(program.columns))
    yield from ("VER", f"{VERSION}", "")
    powers = [cone.exponent for cone in program.cones if cone.exponent is not None]
    if powers:
        yield from ("POWCONES", f"{len(powers)} {2 * len(powers)}")
        for exponent in powers:
            rest = exponent.denominator - exponent.numerator
            yield from ("2", f"{exponent.numerator}", f"{rest}")
        yield ""
    yield from ("OBJSENSE", "MIN", "")
    yield from ("VAR", f"{len(program.columns)} 1", f"F {len(program.columns)}", "")
    yield from ("CON", f"{len(program.rows)} {len(program.cones)}")
    yield from _cones(program.cones)
    yield ""
    costs = [(j, cost) for j, cost in enumerate(program.cost.tolist()) if cost]
    yield from ("OBJACOORD", f"{len(costs)}")
    yield from (f"{j} {number(cost)}" for j, cost in costs)
    yield ""
    if program.offset:
        yield from ("OBJBCOORD", number(program.offset), "")
    a = program.a.tocoo()
    entries = sorted(zip(a.row.tolist(), a.col.tolist(), a.data.tolist(), strict=True))
    yield from ("ACOORD", f"{len(entries)}")
    yield from (f"{i} {j} {number(value)}" for i, j, value in entries)
    yield ""
    constants = [(i, value) for i, value in enumerate(program.b.tolist()) if value]
    yield from ("BCOORD", f"{len(constants)}")
    yield from (f"{i} {number(value)}" for i, value in constants)


def _cones(cones: tuple[Cone, ...]) -> Iterator[str]:
    powers = 0
    for cone in cones:
        if cone.sort == "power":
            yield f"@{powers}:POW {cone.size}"
            powers += 1
        else:
            yield f"{WORDS[cone.sort]} {cone.size}"
