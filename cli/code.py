"""`ringyard code`: the best number of parts of a coded matrix product, and its gain."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from ..analysis.coded import Limit, limit_of
from ..analysis.coded.simulated import (
    Decoded,
    PartsPoint,
    Scheme,
    curve_table,
    decoding_table,
    draw_curve,
    scheme_table,
)
from ..analysis.figures.canvas import figure_format
from ..analysis.tables.model import Table
from ..campaigns.coded import Decodings, answers, curve, decodings, scheme, some_of
from ..instances import CodedInstance, CodedPlan
from ..instances.arguments import seed_problems
from ..instances.catalogue import load_as
from ..instances.errors import Problem, Words, raise_any
from ..interrupts import keeping
from ..run import Answer
from .shared.options import (
    AsJson,
    Flag,
    Whole,
    draw_to,
    out_problems,
    place_problems,
    write_entity,
    write_table,
)
from .shared.output import emit, note, say, show_table
from .shared.progress import counting

MOST_TRIALS = 10**9
MOST_ENTRIES = 10**8
"""Most entries of a matrix that is drawn."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tests:
    """Simulation and decoding.

    Parameters
    ----------
    simulate
        Draw the workers' times and measure the time to the product.
    trials
        Number of draws (default: 100000).
    decode
        Encode a random matrix with several codes, and decode the first workers' results.
    rows
        Rows of the matrix (default: those of the instance, or 1000).
    columns
        Columns of the matrix (default: 100).
    seed
        Seed of the times and the matrix (default: 0).
    """

    simulate: Flag = False
    trials: Whole | None = None
    decode: Flag = False
    rows: Whole | None = None
    columns: Whole | None = None
    seed: Whole | None = None

    def problems(self) -> Iterator[Problem]:
        """Yield invalid options."""
        beside = (
            ("--trials", self.trials, self.simulate, "--simulate"),
            ("--rows", self.rows, self.decode, "--decode"),
            ("--columns", self.columns, self.decode, "--decode"),
            ("--seed", self.seed, self.simulate or self.decode, "--simulate"),
        )
        for option, value, meant, other in beside:
            if value is not None and not meant:
                found, expected = Words(f"no {other}"), f"{other} as well"
                yield Problem(option, found, expected, f"add {other}")
        if self.trials is not None and not 2 <= self.trials <= MOST_TRIALS:
            expected = f"an integer from 2 to {MOST_TRIALS}"
            yield Problem("--trials", self.trials, expected, "give 100000, for example")
        for option, value in (("--rows", self.rows), ("--columns", self.columns)):
            if value is not None and value < 1:
                yield Problem(option, value, "an integer at least 1", "give 1 or more")
        yield from seed_problems(self.seed or 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class PartsCurve:
    """The curve of expected time against the number of parts.

    Parameters
    ----------
    curve
        Also print the expected time for other numbers of parts.
    points
        Evenly spaced numbers of parts, in addition to the best.
    """

    curve: Flag = False
    points: Whole | None = None

    def problems(self) -> Iterator[Problem]:
        """Yield invalid options."""
        if self.points is not None and not self.curve:
            yield Problem("--points", Words("no --curve"), "--curve as well", "add --curve")
        if self.points is not None and self.points < 2:
            yield Problem("--points", self.points, "an integer at least 2", "give 20, for example")


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeFiles:
    """Output files.

    Parameters
    ----------
    plot
        Draw the expected time against the number of parts to this file: .svg, .pdf or .png.
    latex
        Write the table of schemes (with --curve: of the curve) as LaTeX.
    csv
        Write the same table as CSV.
    out
        Write the plan of the best code to this file (.json or .json.gz).
    """

    plot: Path | None = None
    latex: Path | None = None
    csv: Path | None = None
    out: Path | None = None

    def problems(self, instance: str) -> list[Problem]:
        """Return invalid options."""
        found = out_problems(instance, self.out)
        for option, path in (("--plot", self.plot), ("--latex", self.latex), ("--csv", self.csv)):
            found += place_problems(option, instance, path)
        return found


CURVE, TESTS, FILES = PartsCurve(), Tests(), CodeFiles()

Along = Annotated[PartsCurve, Parameter(name="*")]
Tried = Annotated[Tests, Parameter(name="*")]
Written = Annotated[CodeFiles, Parameter(name="*")]


def refuse(instance: str, along: PartsCurve, tests: Tests, files: CodeFiles) -> None:
    """Raise an error for invalid or conflicting options."""
    raise_any("ringyard code", [*along.problems(), *tests.problems(), *files.problems(instance)])
    if files.plot is not None:
        figure_format(files.plot)


TRIALS, ROWS, COLUMNS, POINTS = 100_000, 1000, 100, 20
"""Default number of simulated products."""

MOST_DECODED = 1000
"""Most workers for decoding, because its equations take too long beyond."""


def code_command(
    instance: str,
    /,
    *,
    along: Along = CURVE,
    tests: Tried = TESTS,
    files: Written = FILES,
    json: AsJson = False,
) -> int:
    """Choose a code, and its number of parts, for a matrix product on workers that may straggle.

    Prints the exact expected times of uncoded, replicated and coded parts, the certified bound,
    and the limit for many workers. The exit code is 1 if the judge rejects a plan, and 130 after
    an interrupted simulation, whose completed trials are printed.

    Parameters
    ----------
    instance
        A `coded` instance: a catalogue name, or a file.
    """
    refuse(instance, along, tests, files)

    problem = load_as(CodedInstance, instance)
    found = answers(problem)
    schemes = _schemes(found, tests)
    stopped = len(schemes) < len(found)
    schemes += [scheme(answer) for answer in found[len(schemes) :]]
    every = curve(problem) if along.curve or files.plot is not None else []
    points = some_of(every, along.points or POINTS) if along.curve else []
    table = scheme_table(schemes, f"Times to a product: {problem.name}")
    shown = table
    if along.curve:
        shown = curve_table(points, f"Times by the number of parts: {problem.name}")
    decoded = None
    if tests.decode and not stopped:
        try:
            with keeping():
                decoded = _decoded(problem, found, tests)
        except KeyboardInterrupt:
            stopped = True
    limit = limit_of(problem.time)
    write(problem.name, found[-1].schedule, shown, every, files)
    if json:
        emit(
            {
                "instance": problem.name,
                "schemes": [_plain_scheme(*pair) for pair in zip(schemes, found, strict=True)],
                "bound": float(found[-1].bound.value),
                "limit": {"parts": limit.parts, "scaled_s": limit.scaled_s, "gain": limit.gain},
                "curve": [one.plain() for one in points],
                "decoded": plain_decodings(decoded) if decoded else None,
            }
        )
    else:
        tell(table, found[-1], limit, schemes)
        if along.curve:
            show_table(shown)
        if decoded is not None:
            tell_decodings(decoded, problem.name)
    if not all(one.schedule is None or one.valid for one in found):
        return 1
    if stopped:
        note("interrupted: unfinished results are left out")
    return 130 if stopped else 0


def _schemes(answers: list[Answer], tests: Tests) -> list[Scheme]:
    """Return the verdicts of the plans, without those unfinished at an interrupt."""
    found: list[Scheme] = []
    with suppress(KeyboardInterrupt), keeping():
        for answer in answers:
            found.append(_scheme(answer, tests))
    return found


def _scheme(answer: Answer, tests: Tests) -> Scheme:

    if not tests.simulate:
        return scheme(answer)
    count = tests.trials or TRIALS
    with counting(f"trials of {answer.method.name}", count) as progress:
        return scheme(answer, trials=count, seed=tests.seed or 0, report=progress)


def _decoded(problem: CodedInstance, answers: list[Answer], tests: Tests) -> Decodings:

    rows, columns = tests.rows or problem.rows or ROWS, tests.columns or COLUMNS
    problems = []
    if problem.workers > MOST_DECODED:
        expected = f"an instance of at most {MOST_DECODED} workers"
        problems.append(Problem("--decode", problem.workers, expected, "name a smaller one"))
    if rows * columns > MOST_ENTRIES:
        expected = f"a matrix of at most {MOST_ENTRIES:,} numbers"
        problems.append(Problem("--decode", rows * columns, expected, "give --rows and --columns"))
    raise_any("ringyard code", problems)
    return decodings(answers, rows=rows, columns=columns, seed=tests.seed or 0)


def _plain_scheme(scheme: Scheme, answer: Answer) -> dict[str, Any]:
    measured = scheme.simulated
    row = {"method": scheme.name, "parts": scheme.parts, "expected_s": scheme.expected_s}
    if measured is not None:
        row |= {"mean_s": measured.mean, "low_s": measured.low, "high_s": measured.high}
        row |= {"trials": measured.count}
    return {**row, "valid": answer.valid, "note": answer.outcome.note}


def tell(table: Table, best: Answer, limit: Limit, schemes: Sequence[Scheme]) -> None:
    """Print the schemes, the bound of the best, and the limit for many workers."""
    show_table(table)
    bound = best.bound
    say(f"  bound     {float(bound.value):.6g} s ({bound.kind}: {bound.argument})")
    say(
        f"  limit     {limit.parts:.4g} n parts of n workers, "
        f"and {limit.scaled_s:.6g}/n s, if n is large"
    )
    say(f"  gain      {limit.gain}")
    lacking = [one.name for one in schemes if one.parts is None]
    if lacking:
        say(f"  infinite  expected time of {', '.join(lacking)}")
    doubtful = [one.name for one in schemes if one.doubt and one.simulated]
    if doubtful:
        say(f"  warning   {', '.join(doubtful)}: the variance is infinite, the interval too narrow")


def tell_decodings(found: Decodings, name: str) -> None:
    """Print the results of the decoded products."""
    show_table(decoding_table(found.codes, f"Decoding: {name}"))
    for method, one in found.plans.items():
        exact = ", each part bitwise equal" if one.same else f", condition {one.condition:.0e}"
        say(f"  {method:<11}  error {one.error:.0e}{exact}")


def plain_decodings(found: Decodings) -> dict[str, Any]:
    """Return the decoded products for JSON, with null for an overflow."""
    return {
        "plans": {name: _plain_errors(one) for name, one in found.plans.items()},
        "codes": [
            {"parts": parts, "code": kind, **_plain_errors(one)}
            for parts, row in found.codes.items()
            for kind, one in row.items()
        ],
    }


def _plain_errors(one: Decoded) -> dict[str, Any]:
    numbers = {"error": one.error, "condition": one.condition}
    finite = {name: value if isfinite(value) else None for name, value in numbers.items()}
    return {**finite, "same": one.same}


def write(
    name: str,
    plan: CodedPlan | None,
    table: Table,
    points: Sequence[PartsPoint],
    files: CodeFiles,
) -> None:
    """Write the requested files."""
    write_table(table, "tab:code", files.latex, files.csv)
    if files.plot is not None:
        draw_to(files.plot, draw_curve, name, points)
    if files.out is not None and plan is None:
        note(f"note: {files.out} is not written, because no code has a finite expected time")
    elif files.out is not None:
        write_entity(plan, files.out)
