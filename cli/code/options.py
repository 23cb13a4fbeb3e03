"""The options of `ringyard code`, and what is wrong with them."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from ...analysis.figures.canvas import figure_format
from ...instances.arguments import seed_problems
from ...instances.errors import Problem, Words, raise_any
from ..shared.options import Flag, Whole, out_problems, place_problems

MOST_TRIALS = 10**9
MOST_ENTRIES = 10**8
"""A matrix of more is not drawn."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tests:
    """What is tried out.

    Parameters
    ----------
    simulate
        Draw the workers' times, and measure when the product is known.
    trials
        How many times; 100000 if it is left out.
    decode
        Encode a random matrix, and decode what the first workers give, with several codes.
    rows
        Rows of the matrix; the instance's own if it is left out, or 1000.
    columns
        Columns of the matrix; 100 if it is left out.
    seed
        Seed of times and matrix; 0 if it is left out.
    """

    simulate: Flag = False
    trials: Whole | None = None
    decode: Flag = False
    rows: Whole | None = None
    columns: Whole | None = None
    seed: Whole | None = None

    def problems(self) -> Iterator[Problem]:
        """Yield what is wrong."""
        beside = (
            ("--trials", self.trials, self.simulate, "--simulate"),
            ("--rows", self.rows, self.decode, "--decode"),
            ("--columns", self.columns, self.decode, "--decode"),
            ("--seed", self.seed, self.simulate or self.decode, "--simulate"),
        )
        for option, value, meant, other in beside:
            if value is not None and not meant:
                found, expected = Words(f"no {other}"), f"{other} beside it"
                yield Problem(option, found, expected, f"add {other}")
        if self.trials is not None and not 2 <= self.trials <= MOST_TRIALS:
            expected = f"an integer from 2 to {MOST_TRIALS}"
            yield Problem("--trials", self.trials, expected, "give for example 100000")
        for option, value in (("--rows", self.rows), ("--columns", self.columns)):
            if value is not None and value < 1:
                yield Problem(option, value, "an integer at least 1", "give 1 or more")
        yield from seed_problems(self.seed or 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class PartsCurve:
    """The times by the number of parts.

    Parameters
    ----------
    curve
        Also show the expected time for other numbers of parts.
    points
        How many of them, evenly spread, beside the best.
    """

    curve: Flag = False
    points: Whole | None = None

    def problems(self) -> Iterator[Problem]:
        """Yield what is wrong."""
        if self.points is not None and not self.curve:
            yield Problem("--points", Words("no --curve"), "--curve beside it", "add --curve")
        if self.points is not None and self.points < 2:
            yield Problem("--points", self.points, "an integer at least 2", "give for example 20")


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeFiles:
    """What is written.

    Parameters
    ----------
    plot
        Draw the expected time against the number of parts to this file: .svg, .pdf or .png.
    latex
        Write the table of schemes, with --curve that of the curve, as LaTeX.
    csv
        The same as CSV.
    out
        Write the plan of the best code to this file (.json or .json.gz).
    """

    plot: Path | None = None
    latex: Path | None = None
    csv: Path | None = None
    out: Path | None = None

    def problems(self, instance: str) -> list[Problem]:
        """Return what is wrong."""
        found = out_problems(instance, self.out)
        for option, path in (("--plot", self.plot), ("--latex", self.latex), ("--csv", self.csv)):
            found += place_problems(option, instance, path)
        return found


CURVE, TESTS, FILES = PartsCurve(), Tests(), CodeFiles()

Along = Annotated[PartsCurve, Parameter(name="*")]
Tried = Annotated[Tests, Parameter(name="*")]
Written = Annotated[CodeFiles, Parameter(name="*")]


def refuse(instance: str, along: PartsCurve, tests: Tests, files: CodeFiles) -> None:
    """Refuse options that cannot be meant."""
    raise_any("ringyard code", [*along.problems(), *tests.problems(), *files.problems(instance)])
    if files.plot is not None:
        figure_format(files.plot)
