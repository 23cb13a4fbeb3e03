"""`ringyard code`: into how many parts a product is cut, and what a code gains."""

from contextlib import suppress
from typing import Any

from ...analysis.coded.limits import limit_of
from ...analysis.coded.tables import Scheme, curve_table, scheme_table
from ...campaigns.coded import Decodings, answers, curve, decodings, scheme, some_of
from ...instances import CodedInstance
from ...instances.catalogue import load_as
from ...instances.errors import Problem, raise_any
from ...interrupts import keeping
from ...run import Answer
from ..shared.options import AsJson
from ..shared.output import emit, note, show_table
from ..shared.progress import counting
from .options import CURVE, FILES, MOST_ENTRIES, TESTS, Along, Tests, Tried, Written, refuse
from .results import plain_decodings, tell, tell_decodings, write

TRIALS, ROWS, COLUMNS, POINTS = 100_000, 1000, 100, 20
"""Where nothing else is said."""

MOST_DECODED = 1000
"""With more workers the equations take too long."""


def code_command(
    instance: str,
    /,
    *,
    along: Along = CURVE,
    tests: Tried = TESTS,
    files: Written = FILES,
    json: AsJson = False,
) -> int:
    """Say what a code gains where workers straggle, and into how many parts it cuts the matrix.

    Shows the exact expected times of uncoded parts, of repeated ones and of the best code, the
    certified bound, and what is left for very many workers. Ends with exit code 1 if the judge
    rejects a plan, 130 after an interrupt of the simulation, with what was done by then.

    Parameters
    ----------
    instance
        A `coded` instance: a name of the catalogue, or a file.
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
                "schemes": [_plain(*pair) for pair in zip(schemes, found, strict=True)],
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
        note("interrupted: what was not done by then is left out")
    return 130 if stopped else 0


def _schemes(answers: list[Answer], tests: Tests) -> list[Scheme]:
    """Return what the answers are worth; those not done when interrupted are left out."""
    found: list[Scheme] = []
    with suppress(KeyboardInterrupt), keeping():
        for answer in answers:
            found.append(_scheme(answer, tests))
    return found


def _scheme(answer: Answer, tests: Tests) -> Scheme:

    if not tests.simulate:
        return scheme(answer)
    count = tests.trials or TRIALS
    with counting(f"trials of {answer.method.name}", count) as told:
        return scheme(answer, trials=count, seed=tests.seed or 0, told=told)


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


def _plain(scheme: Scheme, answer: Answer) -> dict[str, Any]:
    measured = scheme.simulated
    row = {"method": scheme.name, "parts": scheme.parts, "expected_s": scheme.expected_s}
    if measured is not None:
        row |= {"mean_s": measured.mean, "low_s": measured.low, "high_s": measured.high}
        row |= {"trials": measured.count}
    return {**row, "valid": answer.valid, "note": answer.outcome.note}
