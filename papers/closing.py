"""Distances of the default method and of schedulers to a proved bound."""

from collections.abc import Iterable, Iterator
from itertools import groupby
from statistics import fmean

from ..analysis.tables import Cell, Table
from ..campaigns.reproductions import Answers, Known, Results, Run, Settings
from ..instances.catalogue import Entry, entries
from .study import BEST, POLICIES, Compared, named, ours, sound, table_of

FAMILIES = ("mobihoc", "tight", "knot", "large")

MANY, TIMES = 1000, 12
"""With more jobs than the first, an instance has the seconds times the second."""

NEAR = {"proved": None, "within a slot": None, "worst, slots": 0, "mean, %": 2, "worst, %": 2}
"""Columns of the result of `near`, with their digits."""

Group = tuple[str, Compared]
"""A setting, and the results of its seeds."""


def runs(settings: Settings, _: Known | None = None) -> Iterator[Run]:
    """Yield every run that the report needs."""
    for entry in _chosen(settings):
        yield _best(entry, settings)
        yield from _others(entry).values()


def report(settings: Settings, answers: Answers) -> Results:
    """Make a table of settings and one of instances."""
    groups = groupby(_chosen(settings), key=lambda entry: entry.name.rpartition("-")[0])
    found = [(group, _compared(some, settings, sound(answers))) for group, some in groups]
    return Results(tables={"settings": _settings(found), "instances": _instances(found)})


def _chosen(settings: Settings) -> list[Entry]:
    known = [entry for entry in entries().values() if entry.family in FAMILIES]
    known.sort(key=lambda entry: (FAMILIES.index(entry.family), entry.jobs, entry.name))
    return settings.some(known)


def _best(entry: Entry, settings: Settings) -> Run:
    limit = settings.time_limit * (TIMES if entry.jobs > MANY else 1)
    return Run(instance=named(entry.name), method=ours(), threads=2, time_limit=limit)


def _others(entry: Entry) -> dict[str, Run]:
    instance = named(entry.name)
    return {name: Run(instance=instance, method=method) for name, method in POLICIES.items()}


def _compared(members: Iterable[Entry], settings: Settings, answers: Answers) -> Compared:
    """Compare all methods on the seeds of a setting. Bounds come from Ringyard's best alone."""
    runs = [{BEST: _best(entry, settings), **_others(entry)} for entry in members]
    rows = {name: [answers(some[name]) for some in runs] for name in (BEST, *POLICIES)}
    return Compared(rows=rows, bounds=[float(row["bound"]) for row in rows[BEST]])


def _settings(found: list[Group]) -> Table:
    """Return a line for all seeds of a setting. Distances in percent of the bound."""
    lines: list[tuple[Cell, ...]] = []
    for group, one in found:
        far = (fmean(one.above_bound(name)) for name in POLICIES)
        lines.append((group, *near(one), *far))
    heads = {"instances": None, **NEAR} | {f"{name}, %": 0 for name in POLICIES}
    caption = "Distance to the proved bound"
    return table_of(caption, heads, lines)


def near(one: Compared) -> tuple[Cell, ...]:
    """Return the entries for the distance of Ringyard's best schedules to their bounds."""
    slots = [best - bound for best, bound in zip(one.values(BEST), one.bounds, strict=True)]
    counts = (f"{sum(far <= most for far in slots)} of {len(slots)}" for most in (0, 1))
    gaps = one.above_bound(BEST)
    return *counts, max(slots), fmean(gaps), max(gaps)


def _instances(found: list[Group]) -> Table:
    """Return a line for each instance."""
    heads = {"instance": None, "bound": 0, "makespan": 0, "kind of bound": None, "gap, %": 2}
    heads |= {"found after, s": 1} | dict.fromkeys(POLICIES, 0)
    lines = [line for _, one in found for line in _lines(one)]
    return table_of("Makespans", heads, lines)


def _lines(one: Compared) -> Iterator[tuple[Cell, ...]]:
    columns = (one.rows[BEST], one.bounds, one.values(BEST), one.above_bound(BEST))
    others = zip(*map(one.values, POLICIES), strict=True)
    for (row, bound, best, gap), makespans in zip(zip(*columns, strict=True), others, strict=True):
        found_s = next(seconds for seconds, value, _ in row["trajectory"] if value == best)
        yield row["instance"], bound, best, row["bound_kind"], gap, found_s, *makespans
