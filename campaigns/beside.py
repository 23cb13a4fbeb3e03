"""Methods of one's own beside those of a reproduction, on the very same instances and seeds."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import inf
from typing import Any

from ..analysis.intervals import paired_ratio
from ..analysis.tables import Table, columns_of
from ..families import family_of
from ..instances import BoundKind, digest
from ..instances.errors import InputError, Problem
from ..methods import families_of
from .reproductions import Answers, Known, Settings
from .results import Results
from .runs import BOUND, Run, called

TABLE = "beside"
"""The name of the table."""

Place = tuple[str, int]
"""An instance by its digest, and a seed."""


class Beside:
    """A campaign with methods of one's own: more runs, and one more table."""

    def __init__(self, campaign: Any, methods: Sequence[str]) -> None:
        """Remember the campaign, and what is to stand beside its methods."""
        self._campaign, self._methods = campaign, methods

    def runs(self, settings: Settings, known: Known | None = None) -> Iterator[Run]:
        """Yield the campaign's runs, and then those of the methods beside it."""
        runs = list(self._campaign.runs(settings, known))
        yield from runs
        yield from self._own(runs)

    def report(self, settings: Settings, answers: Answers) -> Results:
        """Return what the campaign reports, with a table of the methods beside it."""
        found: Results = self._campaign.report(settings, answers)
        runs = list(self._campaign.runs(settings, answers))
        table = _table(runs, list(self._own(runs)), answers)
        return replace(found, tables={**found.tables, TABLE: table})

    def _own(self, runs: Sequence[Run]) -> Iterator[Run]:
        """Yield a run of each wherever the campaign has one, with the longest limit there."""
        places = {_place(run): run for run in runs if run.method != BOUND}
        limits = dict[Place, list[float | None]]()
        for run in runs:
            limits.setdefault(_place(run), []).append(run.time_limit)
        kinds = {run.instance.kind for run in places.values()}
        for name in self._methods:
            fitting = kinds & set(families_of(name))
            if not fitting:
                expected = f"a method for {', '.join(sorted(kinds))}"
                problem = Problem("--method", name, expected, "name another")
                raise InputError("ringyard reproduce", [problem])
            how = {kind: called(name, kind) for kind in fitting}
            for place, run in places.items():
                if run.instance.kind in fitting:
                    longest = max((one or inf for one in limits[place]), default=inf)
                    limit, own = None if longest == inf else longest, how[run.instance.kind]
                    yield Run(instance=run.instance, seed=run.seed, time_limit=limit, **own)


def _place(run: Run) -> Place:
    return digest(run.instance), run.seed


def _table(runs: Sequence[Run], own: Sequence[Run], answers: Answers) -> Table:
    """Return how many times the value of each method of the campaign one's own has."""
    values = dict[str, dict[Place, float]]()
    bounds = dict[str, float]()
    for run in [*runs, *own]:
        row = answers(run)
        if row["bound"] and row["bound_kind"] != BoundKind.SOLVER.value:
            place, family = digest(run.instance), family_of(run.instance)
            bounds[place] = family.tighter(bounds.get(place), float(row["bound"]))
        if run.method != BOUND and row["valid"] and row["objective"]:
            values.setdefault(run.method, {})[_place(run)] = float(row["objective"])
    mine = dict.fromkeys(run.method for run in own)
    rows = []
    for name in mine:
        found = values.get(name, {})
        others = {other: values[other] for other in values if other not in mine}
        certified = {place: bounds[place[0]] for place in found if place[0] in bounds}
        for other, theirs in [*others.items(), ("proved bound", certified)]:
            both = sorted(found.keys() & theirs.keys())
            if both:
                ratio = paired_ratio([found[p] for p in both], [theirs[p] for p in both])
                rows.append((name, other, len(both), ratio))
    senses = {run.method: answers(run)["sense"] for run in own}
    better = "more" if "max" in senses.values() else "less"
    return Table(
        caption=f"Methods beside: value over that of each other method; {better} than 1 is better",
        columns=columns_of({"method": None, "beside": None, "instances": 0, "value / other": 3}),
        rows=tuple(rows),
        shared=1,
        notes=("Geometric means over instances and seeds that both answered, 95 % intervals.",),
    )
