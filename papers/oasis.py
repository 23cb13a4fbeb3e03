"""`ringyard reproduce oasis`: the offline optimum over the utility of OASiS.

The paper shows a ratio of 1.1 to 1.5 for ten jobs over ten slots. The machines and the work of the
jobs are unknown, so both are varied.
"""

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import product
from typing import NamedTuple

from ..analysis.intervals import Interval, ratio_of_sums
from ..analysis.rows import Row
from ..analysis.tables import Cell
from ..campaigns.reproductions import Answers, Known, Results, Run, Settings
from ..instances import OnlineInstance
from ..instances.generate import generate
from ..instances.online.mix import parted
from .study import sound, table_of

PAPER = (1.1, 1.5)
"""Least and largest ratio in the paper's plot."""

JOBS, SLOTS = 10, 10

METHOD, OPTIMUM = "oasis", "offline"


class LoadCase(NamedTuple):
    """The machines for ten jobs, and the work of the jobs."""

    machines: int
    """Half of them for workers, half for parameter servers."""
    epochs: int
    """The most of a job."""


LOAD_CASES = tuple(LoadCase(*pair) for pair in product((2, 4, 8, 16), (1, 2, 4)))


def runs(settings: Settings, _: Known | None = None) -> Iterator[Run]:
    """Yield OASiS and the search for the optimum on every instance."""
    for case, seed in product(settings.some(LOAD_CASES), range(settings.seeds)):
        yield from _pair(case, seed, settings)


def report(settings: Settings, answers: Answers) -> Results:
    """Make the table, and the statement on the places where the ratio equals the paper's."""
    lines = {
        case: _line(case, _rows(case, settings, answers)) for case in settings.some(LOAD_CASES)
    }
    heads = {"machines": 0, "epochs at most": 0, "optimum / OASiS": 2}
    heads |= {"largest": 2, "worth nothing": 0, "proved": 0}
    table = table_of(
        f"Optimal utility / utility of OASiS, {JOBS} jobs over {SLOTS} slots",
        heads,
        lines.values(),
        f"Ratios of sums over {settings.seeds} seeds of the family pdors-small, with 95 % "
        "intervals (Student's t on logarithms), half of the machines for workers and half for "
        "servers. Largest: the largest ratio of an instance on which "
        "OASiS has a positive value. Proved: optima that a solver proved in "
        f"{settings.time_limit:g} s. Otherwise the best schedule found is used.",
        shared=1,
    )
    near = [case for case, line in lines.items() if _is_near(line[2])]
    return Results(tables={"ratio": table}, statements=(_statement(near, len(lines)),))


@cache
def _instance(case: LoadCase, seed: int) -> OnlineInstance:
    made: OnlineInstance = generate(
        "pdors-small",
        seed=seed,
        name=f"oasis-{case.machines}-{case.epochs}-s{seed}",
        jobs=JOBS,
        slots=SLOTS,
        machines=case.machines,
        most_epochs=case.epochs,
    )
    return parted(made)


def _pair(case: LoadCase, seed: int, settings: Settings) -> tuple[Run, Run]:
    one = _instance(case, seed)
    best = Run(instance=one, method=OPTIMUM, time_limit=settings.time_limit)
    return Run(instance=one, method=METHOD), best


def _rows(case: LoadCase, settings: Settings, answers: Answers) -> list[tuple[Row, Row]]:
    """Return the rows of OASiS and of the search, seed by seed."""
    pairs = (_pair(case, seed, settings) for seed in range(settings.seeds))
    return [(sound(answers)(one), sound(answers)(best)) for one, best in pairs]


def _line(case: LoadCase, rows: Sequence[tuple[Row, Row]]) -> tuple[Cell, ...]:
    worth = [(float(best["objective"]), float(one["objective"])) for one, best in rows]
    most, made = zip(*worth, strict=True)
    return (
        float(case.machines),
        float(case.epochs),
        ratio_of_sums(most, made) if sum(made) else None,
        max((best / one for best, one in worth if one), default=None),
        float(sum(one == 0 < best for best, one in worth)),
        float(sum(best["status"] == "optimal" for _, best in rows)),
    )


def _is_near(ratio: Cell) -> bool:
    """Return True if the interval of a ratio is within the paper's range."""
    return isinstance(ratio, Interval) and PAPER[0] <= ratio.low and ratio.high <= PAPER[1]


def _statement(near: Sequence[LoadCase], points: int) -> str:
    low, high = PAPER
    text = (
        f"in the paper's range, {low:g} to {high:g}, with its interval at {len(near)} of {points} "
        "settings"
    )
    where = ", ".join(f"{one.machines} machines and {one.epochs} epochs" for one in near)
    return f"optimum / utility of OASiS: {text}" + (f": {where}" if near else "")
