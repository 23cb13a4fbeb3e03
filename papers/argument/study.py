"""`ringyard reproduce sjf-bco-argument`: SJF-BCO's example, reformulation and proof, measured.

Nothing is written down on the way: it takes a minute or two, and hardly depends on the machine.
"""

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from statistics import geometric_mean, median
from typing import NamedTuple

from ...analysis.tables import Cell, Table, columns_of
from ...campaigns.results import Results
from ...campaigns.runs import Run
from ...instances.catalogue import entries
from ..study import Answers, Known, Settings
from .example import example_said, example_table
from .links import Links, links_of
from .wholes import TINY, wholes_table

GROUPS = ("hand", "small", "mobihoc-10", "mobihoc-15", "mobihoc-20", "tight-full", "knot-full")
"""How names of instances begin."""


class ArgumentStep(NamedTuple):
    """A step of the proof: what is at most so many times what."""

    name: str
    says: str
    short: str
    """What is lost, as a ratio."""
    seen: Callable[[Links], Fraction]
    stated: Callable[[Links], Fraction]
    exact: bool = False
    """Whether it is looked at only where the least load of any assignment is known."""

    def of(self, every: Sequence[Links]) -> list[Links]:
        """Return the instances on which it is looked at."""
        return [one for one in every if one.proved or not self.exact]

    def broken(self, every: Sequence[Links]) -> list[str]:
        """Return the instances on which more is lost than it states."""
        return [one.instance for one in self.of(every) if self.seen(one) > self.stated(one)]


STEPS = (
    ArgumentStep(
        "Lemma 2",
        "the largest load is the least feasible limit",
        "W / limit",
        lambda one: one.run.again / one.run.limit,
        lambda _: Fraction(1),
    ),
    ArgumentStep(
        "Lemma 3, as printed",
        "the makespan is at most n_g times the largest load by estimates",
        "T / W",
        lambda one: one.run.makespan / one.run.limit,
        lambda one: Fraction(one.widest),
    ),
    ArgumentStep(
        "Lemma 3, of busy GPUs",
        "the makespan is at most n_g times the most that a GPU is busy",
        "T / busy",
        lambda one: one.run.makespan / one.run.busy,
        lambda one: Fraction(one.widest),
    ),
    ArgumentStep(
        "what it leaves out",
        "a GPU is busy for at most u/l times its load",
        "busy / W",
        lambda one: one.run.busy / one.run.limit,
        lambda one: one.phi,
    ),
    ArgumentStep(
        "Lemma 4",
        "the least feasible limit is at most phi u/l times the least of any assignment",
        "limit / least",
        lambda one: one.run.limit / one.least,
        lambda one: one.phi**2,
    ),
    ArgumentStep(
        "(14)-(16)",
        "the least limit of any assignment is at most the best makespan",
        "least / T*",
        lambda one: one.least / one.best,
        lambda _: Fraction(1),
        exact=True,
    ),
    ArgumentStep(
        "Theorem 5",
        "SJF-BCO ends by n_g phi u/l times the best makespan",
        "kept / T*",
        lambda one: one.kept / one.best,
        lambda one: one.widest * one.phi**2,
    ),
)


def runs(_: Settings, __: Known | None = None) -> Iterator[Run]:
    """Yield nothing: what is measured of a run is not in its row."""
    return iter(())


def report(settings: Settings, _: Answers | None = None) -> Results:
    """Measure the example, the program over whole schedules, and every step of the proof."""
    found = {group: list(_group(group, settings)) for group in settings.some(GROUPS)}
    every = [one for some in found.values() for one in some]
    example = example_table()
    return Results(
        tables={
            "example": example,
            "whole-schedules": wholes_table(tuple(settings.some(TINY))),
            "steps": _steps(every),
            "lost": _lost(found),
        },
        statements=(*example_said(example), *_said(every)),
    )


def _group(group: str, settings: Settings) -> Iterator[Links]:
    """Measure the instances of a group: all that are by hand or small, so many seeds of others."""
    names = [name for name, entry in entries().items() if entry.kind == "makespan"]
    own = [name for name in names if name.startswith(f"{group}-")]
    if group not in ("hand", "small"):
        own = own[: settings.seeds]
    for name in own if settings.points is None else own[: settings.points]:
        found = links_of(entries()[name])
        if found is not None:
            yield found


def _steps(every: Sequence[Links]) -> Table:
    heads: dict[str, int | None] = {"step": None, "says": None, "stated, median": 2}
    heads |= {"seen, mean": 3, "seen, most": 3, "most of stated": 2, "broken": 0, "of": 0}
    return Table(
        caption="What the steps of SJF-BCO's proof state, and what is seen",
        columns=columns_of(heads),
        rows=tuple(_step_line(step, every) for step in STEPS),
        notes=(
            "Seen: the left side over the right without its factor; means are geometric. Most of "
            "stated: the largest part of its factor that is seen, 1 is all of it. Broken: on how "
            "many instances it is more. Least feasible limits are the least that were found, best "
            "makespans those on record, and least loads of many jobs the least that are known.",
        ),
    )


def _step_line(step: ArgumentStep, every: Sequence[Links]) -> tuple[Cell, ...]:
    own = step.of(every)
    seen = [float(step.seen(one)) for one in own]
    stated = [float(step.stated(one)) for one in own]
    most = float(max(step.seen(one) / step.stated(one) for one in own))
    means = (median(stated), geometric_mean(seen), max(seen))
    return step.name, step.says, *means, most, len(step.broken(every)), len(own)


def _lost(found: dict[str, list[Links]]) -> Table:
    shown = [step for step in STEPS if step.name != "Lemma 3, as printed"]
    heads: dict[str, int | None] = {"instances": None, "count": 0}
    heads |= dict.fromkeys((step.short for step in shown), 3)
    return Table(
        caption="What each step loses, by instances",
        columns=columns_of(heads),
        rows=tuple(
            (group, len(some), *(_mean(step, some) for step in shown))
            for group, some in found.items()
            if some
        ),
        notes=(
            "Geometric means. W: the largest load by estimates; busy: the longest that a GPU is; "
            "T: the end of the run with the least feasible limit, T* the best on record. The first "
            "five multiply to T / T*; SJF-BCO keeps the best run of all its limits.",
        ),
    )


def _mean(step: ArgumentStep, some: Sequence[Links]) -> float:
    return geometric_mean(float(step.seen(one)) for one in some)


def _said(every: Sequence[Links]) -> Iterator[str]:
    """Say where a step is broken, and how far the rest is from what it states."""
    for step in STEPS:
        if broken := step.broken(every):
            yield f"{step.name}: broken on {len(broken)} of {len(every)}: {', '.join(broken)}"
    yield f"broken nowhere: {'; '.join(step.name for step in STEPS if not step.broken(every))}"
