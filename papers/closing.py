"""How near the default method comes to a certified bound, and how far schedulers are from it."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from statistics import fmean

from ..analysis.tables import Cell, Column, Table
from ..campaigns.runs import Run
from ..instances.catalogue import Entry, entries
from .study import POLICIES, Answers, Known, Report, Settings, named, ours, sound

FAMILIES = ("mobihoc", "tight", "knot", "large")

MANY, TIMES = 1000, 12
"""With more jobs than so many, an instance has so many times the seconds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """An instance: its bound, the best makespan and when it was found, and the schedulers'."""

    name: str
    bound: float
    kind: str
    best: float
    found_s: float
    others: tuple[float, ...]

    @property
    def group(self) -> str:
        """The setting of which this is one seed."""
        return self.name.rpartition("-")[0]

    @property
    def slots(self) -> float:
        """How many slots the makespan is above the bound."""
        return self.best - self.bound

    def over(self, makespan: float) -> float:
        """Return by how many per cent a makespan exceeds the bound."""
        return 100 * (makespan / self.bound - 1)


def runs(settings: Settings, _: Known | None = None) -> Iterator[Run]:
    """Yield every run that the report asks for."""
    for entry in _chosen(settings):
        yield _best(entry, settings)
        yield from _others(entry)


def report(settings: Settings, answers: Answers) -> Report:
    """Make a table of settings and one of instances."""
    seen = [_seen(entry, settings, sound(answers)) for entry in _chosen(settings)]
    return Report(tables={"settings": _settings(seen), "instances": _instances(seen)})


def _chosen(settings: Settings) -> list[Entry]:
    known = [entry for entry in entries().values() if entry.family in FAMILIES]
    known.sort(key=lambda entry: (FAMILIES.index(entry.family), entry.jobs, entry.name))
    return settings.some(known)


def _best(entry: Entry, settings: Settings) -> Run:
    limit = settings.time_limit * (TIMES if entry.jobs > MANY else 1)
    return Run(instance=named(entry.name), method=ours(), threads=2, time_limit=limit)


def _others(entry: Entry) -> list[Run]:
    return [Run(instance=named(entry.name), method=method) for method in POLICIES.values()]


def _seen(entry: Entry, settings: Settings, answers: Answers) -> Seen:
    row = answers(_best(entry, settings))
    best = float(row["objective"])
    return Seen(
        name=entry.name,
        bound=float(row["bound"]),
        kind=row["bound_kind"],
        best=best,
        found_s=next(seconds for seconds, value, _ in row["trajectory"] if value == best),
        others=tuple(float(answers(run)["objective"]) for run in _others(entry)),
    )


def _settings(seen: list[Seen]) -> Table:
    """Return a line for all seeds of a setting; distances in percent of the bound."""
    lines: list[tuple[Cell, ...]] = []
    for group, members in groupby(seen, key=lambda one: one.group):
        few = list(members)
        proved, near = (f"{sum(one.slots <= most for one in few)} of {len(few)}" for most in (0, 1))
        gaps = [one.over(one.best) for one in few]
        far = (fmean(one.over(one.others[i]) for one in few) for i in range(len(POLICIES)))
        worst = max(one.slots for one in few)
        lines.append((group, proved, near, worst, fmean(gaps), max(gaps), *far))
    heads = {"instances": None, "proved": None, "within a slot": None, "worst, slots": 0}
    heads |= {"mean, %": 2, "worst, %": 2} | {f"{name}, %": 0 for name in POLICIES}
    return _table("Distance to the certified bound", heads, lines)


def _instances(seen: list[Seen]) -> Table:
    """Return a line for each instance."""
    heads = {"instance": None, "bound": 0, "makespan": 0, "kind of bound": None, "gap, %": 2}
    heads |= {"found after, s": 1} | dict.fromkeys(POLICIES, 0)
    lines: list[tuple[Cell, ...]] = [
        (one.name, one.bound, one.best, one.kind, one.over(one.best), one.found_s, *one.others)
        for one in seen
    ]
    return _table("Makespans", heads, lines)


def _table(caption: str, heads: dict[str, int | None], rows: list[tuple[Cell, ...]]) -> Table:
    columns = tuple(Column(head=head, digits=digits) for head, digits in heads.items())
    return Table(caption=caption, columns=columns, rows=tuple(rows))
