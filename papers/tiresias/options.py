"""Gains of more queues, other thresholds and the index: over loads, laws and idle GPUs.

The paper has 1 % less with three queues than with two, thresholds from an hour on that make no
difference, and a lower 95th percentile with the Gittins index. Each is one ratio of two versions of
Tiresias on the same jobs, here under the conditions of `tiresias-region`.
"""

from collections.abc import Iterator, Mapping
from functools import cache, partial
from itertools import chain, product
from typing import Any, NamedTuple

from ...analysis.tables import Cell, Table, numbers, texts
from ...campaigns.reproductions import Answers, Known, Results, Run, Settings
from ...instances import TraceInstance
from ...instances.generate import generate
from ..study import Compared, RunsByName, compared, flat, seeded, sound, table_of
from .experiments import BASE, MEAN, METHODS, MIXES, SMALL, TAIL, TRACE
from .region import CONFIRMED, JOBS, OWN

TAIL_SEEDS = 8
"""Seeds of the question about the index, over the seeds of the other questions."""

TAIL_THRESHOLDS = (CONFIRMED.version.threshold, 57_600)
"""Thresholds for this question: the latter leaves more of a job to the index."""

IDLE = ("kept", "offered")
FIRST = (3200, 14_400)
"""Start of a second queue in GPU-seconds. A third starts at four times this value, and so on."""
HOURS = (1, 2, 4, 8)
"""Thresholds of two queues, in hours of a GPU."""


class Question(NamedTuple):
    """A ratio of mean completion times that the paper has at some number."""

    name: str
    paper: float
    other: tuple[int, ...]
    base: tuple[int, ...]
    """Thresholds, in GPU-seconds."""


QUEUES = [
    Question(f"{count} queues / 2 queues, from {first} GPU-s", 0.99, ladder, (first,))
    for first in FIRST
    for count, ladder in ((3, (first, 4 * first)), (4, (first, 4 * first, 16 * first)))
]
LONGER = [
    Question(f"threshold {hours} h / {HOURS[0]} h", 1.0, (3600 * hours,), (3600 * HOURS[0],))
    for hours in HOURS[1:]
]


class OptionPlace(NamedTuple):
    """The place of a question."""

    idle: str
    mix: str
    own: str


def runs(settings: Settings, _: Known | None = None) -> Iterator[Run]:
    """Yield every run once."""
    asked = product(_places(settings), [*QUEUES, *LONGER])
    tails = (_tail_runs(one, settings) for one in TAIL_THRESHOLDS)
    yield from flat(chain((_runs(*one, settings) for one in asked), tails))


def report(settings: Settings, answers: Answers) -> Results:
    """Compare every pair."""
    answers = sound(answers)
    tail = {one: compared(_tail_runs(one, settings), answers) for one in TAIL_THRESHOLDS}
    return Results(
        tables={
            "queues": _table(QUEUES, settings, answers),
            "thresholds": _table(LONGER, settings, answers),
            "tail": _tail_table(tail, settings),
        }
    )


def _places(settings: Settings) -> list[OptionPlace]:
    pairs = product(IDLE, OWN)
    return [OptionPlace(idle, mix, own) for idle, mix in pairs for own in settings.some(OWN[mix])]


def _runs(place: OptionPlace, question: Question, settings: Settings) -> RunsByName:
    versions = {
        name: f"tiresias-l:idle={place.idle}:thresholds={list(thresholds)}"
        for name, thresholds in (("other", question.other), ("base", question.base))
    }
    draw = partial(_drawn, place.mix, place.own, jobs=_jobs(place.mix, JOBS, settings))
    return seeded(versions, draw, range(settings.seeds))


def _jobs(mix: str, most: int, settings: Settings) -> int:
    usual = most if mix == TRACE else int(MIXES[mix][1]["jobs"])
    return usual if settings.points is None else SMALL


def _tail_runs(threshold: int, settings: Settings) -> RunsByName:
    """Return both at the point that `tiresias-region` rechecks, with more seeds."""
    options = f":idle={CONFIRMED.version.idle}:thresholds=[{threshold}]"
    methods = {name: METHODS[name] + options for name in ("Tiresias-G", BASE)}
    jobs = _jobs(TRACE, int(MIXES[TRACE][1]["jobs"]), settings)
    draw = partial(_drawn, TRACE, CONFIRMED.own[TRACE], jobs=jobs)
    return seeded(methods, draw, range(TAIL_SEEDS * settings.seeds))


@cache
def _drawn(mix: str, own: str, seed: int, jobs: int) -> TraceInstance:
    family, usual = MIXES[mix]
    options: dict[str, Any] = {**usual, **OWN[mix][own], "jobs": jobs}
    made: TraceInstance = generate(family, seed=seed, name=f"{mix}-{jobs}-s{seed} {own}", **options)
    return made


def _table(questions: list[Question], settings: Settings, answers: Answers) -> Table:
    """Return the ratios at each place."""
    rows: list[tuple[Cell, ...]] = []
    for place in _places(settings):
        found = [compared(_runs(place, one, settings), answers) for one in questions]
        rows.append((*place, *(one.ratio("other", "base") for one in found)))
    return table_of(
        "Mean completion time under Tiresias-L / mean completion time with the usual queues",
        (
            *texts("idle GPUs", "jobs", "conditions"),
            *numbers(*(q.name for q in questions), digits=3),
        ),
        rows,
        f"Geometric means over {settings.seeds} seeds with 95 % intervals (Student's t on "
        f"logarithms). Heads: ratio of the two, first thresholds in GPU-seconds. The trace has "
        f"{JOBS} jobs. The paper's values are {questions[0].paper:g}.",
        shared=2,
    )


def _tail_table(found: Mapping[int, Compared], settings: Settings) -> Table:
    rows = (
        (str(threshold), name, one.ratio("Tiresias-G", BASE, column))
        for threshold, one in found.items()
        for name, column in (("mean", MEAN), ("95th percentile", TAIL))
    )
    return table_of(
        "Tiresias-G / Tiresias-L on the trace, with more seeds",
        {"threshold": None, "measure": None, "ratio": 3},
        rows,
        f"Geometric means over {TAIL_SEEDS * settings.seeds} seeds, 95 % intervals (Student's "
        f"t on logarithms): idle GPUs {CONFIRMED.version.idle}, {CONFIRMED.own[TRACE]}.",
        shared=1,
    )
