"""`ringyard reproduce pd-ors-pairs`: differences of utility between methods on the same jobs.

The tables of `pd-ors` have an interval for each method. The intervals overlap because instances
differ more than methods do. Here utilities are subtracted on the same jobs, over more seeds.
"""

from collections.abc import Iterator
from functools import partial

from ..analysis.intervals import student
from ..analysis.tables import Cell
from ..campaigns.reproductions import Answers, Known, Results, Run, Settings
from .pdors import CROWDS, METHODS, drawn
from .study import Compared, RunsByName, compared, flat, seeded, sound, table_of

BEHIND = ("OASiS", "FIFO", "DRF", "Dorm")
"""Methods that PD-ORS should exceed. OASiS should exceed the methods after it, and RRH."""

RRH = "RRH"

PRINTED = "PD-ORS as printed"
"""It throws plans away that do not fit. `pd-ors` repairs them."""

PAIRS = (
    *((name, other) for name in (PRINTED, "PD-ORS") for other in BEHIND),
    *(("OASiS", other) for other in (*BEHIND[1:], RRH)),
)
OTHERS = {PRINTED: "pd-ors:repair=none", RRH: "rrh"}
NAMES = ("PD-ORS", *BEHIND, *OTHERS)


def runs(settings: Settings, _: Known | None = None) -> Iterator[Run]:
    """Yield every run once."""
    yield from flat(_runs(jobs, settings) for jobs in settings.some(CROWDS))


def report(settings: Settings, answers: Answers) -> Results:
    """Subtract utilities seed by seed."""
    answers = sound(answers)
    crowds = {
        jobs: compared(_runs(jobs, settings), answers, maximize=True)
        for jobs in settings.some(CROWDS)
    }
    table = table_of(
        "Utility gain of one method over another, on the same jobs",
        {"jobs": 0, "method": None, "than": None, "utility more": 1, "more on, %": 0},
        (_row(jobs, one, *pair) for jobs, one in crowds.items() for pair in PAIRS),
        f"Means over {settings.seeds} seeds of the difference of utilities, with 95 % "
        "intervals (Student's t). More on: part of the seeds on which it is positive.",
        shared=2,
    )
    return Results(tables={"pairs": table})


def _runs(jobs: int, settings: Settings) -> RunsByName:
    methods = {name: OTHERS.get(name) or METHODS[name] for name in NAMES}
    return seeded(methods, partial(drawn, jobs), range(settings.seeds))


def _row(jobs: int, one: Compared, name: str, other: str) -> tuple[Cell, ...]:
    pairs = zip(one.values(name), one.values(other), strict=True)
    more = [mine - theirs for mine, theirs in pairs]
    ahead = round(100 * sum(value > 0 for value in more) / len(more))
    return float(jobs), name, other, student(more), float(ahead)
