"""Gaps between best values and bounds in other families, and rules that the bounds ignore.

A bound ignores a rule of the problem if removing the rule does not change the bound. Each instance
is solved again without the rule: the gap that is left shows how much of it the rule causes.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from decimal import Decimal
from typing import Any, NamedTuple

from ..analysis.tables import Cell, columns_of, texts
from ..campaigns.reproductions import Answers, Known, Results, Settings
from ..campaigns.runs import BOUND, Run
from ..families import FAMILIES
from ..instances import RackServer, TraceInstance, TransfersInstance
from ..instances.catalogue import Entry, entries
from .study import certified, named, sound, table_of

SEARCHES = {"online": "order-search", "trace": "weight-search", "transfers": "plan-search"}
"""The families, and the method that searches in each."""


def free_stops(instance: TraceInstance) -> TraceInstance:
    """Return the instance in which stopping a job costs nothing."""
    return replace(instance, restart_s=Decimal(0), resume_s=None)


def one_server(instance: TraceInstance) -> TraceInstance:
    """Return the instance with all GPUs in one server."""
    return replace(instance, servers=(RackServer(name="all", gpus=instance.gpus),))


def never_stale(instance: TransfersInstance) -> TransfersInstance:
    """Return the instance in which updates may be as stale as they like."""
    return replace(instance, staleness=None)


def never_due(instance: TransfersInstance) -> TransfersInstance:
    """Return the instance in which no update is due."""
    return replace(instance, updates=tuple(replace(one, due_s=None) for one in instance.updates))


def no_copies(instance: TransfersInstance) -> TransfersInstance:
    """Return the instance whose replica may be as far behind as it likes."""
    return replace(instance, divergence=None)


def no_groups(instance: TransfersInstance) -> TransfersInstance:
    """Return the instance without aggregators."""
    return replace(instance, aggregators=())


class GoneRule(NamedTuple):
    """An instance without something, or as it is."""

    name: str
    without: str
    change: Callable[[Any], Any]

    @property
    def instance(self) -> Any:
        """Make it; what it is called says what is gone."""
        changed = self.change(named(self.name))
        return replace(changed, name=f"{self.name}, {self.without}") if self.without else changed


def _same(instance: Any) -> Any:
    return instance


GONE = (
    GoneRule("elastic-100-s0", "", _same),
    GoneRule("elastic-100-s0", "free stops", free_stops),
    GoneRule("elastic-100-s0", "one server", one_server),
    GoneRule("elastic-100-s0", "both", lambda one: free_stops(one_server(one))),
    GoneRule("tiresias-testbed", "", _same),
    GoneRule("tiresias-testbed", "free stops", free_stops),
    GoneRule("tiresias-testbed", "one server", one_server),
    GoneRule("tiresias-testbed", "both", lambda one: free_stops(one_server(one))),
    GoneRule("transfers-stale-s0", "", _same),
    GoneRule("transfers-stale-s0", "never stale", never_stale),
    GoneRule("transfers-stale-s0", "never due", never_due),
    GoneRule("transfers-stale-s0", "both", lambda one: never_stale(never_due(one))),
    GoneRule("transfers-replica-s0", "", _same),
    GoneRule("transfers-replica-s0", "no copies", no_copies),
    GoneRule("transfers-replica-s0", "both", lambda one: no_copies(no_groups(one))),
    GoneRule("transfers-racks-s0", "", _same),
    GoneRule("transfers-racks-s0", "no groups", no_groups),
)
"""What is taken from the instances with wide gaps; no groups is a rule more, and not one less."""


def runs(settings: Settings, _: Known | None = None) -> Iterator[Run]:
    """Yield a search and a bound for every open instance, and for those without something."""
    for entry in _chosen(settings):
        if not entry.closed:
            yield from _pair(named(entry.name), settings)
    for gone in settings.some(GONE):
        yield from _pair(gone.instance, settings)


def report(settings: Settings, answers: Answers) -> Results:
    """Make the table of gaps, and the table of rules that bounds ignore."""
    lines = [_line(entry, settings, answers) for entry in _chosen(settings)]
    left = [(gone, *_found(gone.instance, settings, answers)) for gone in settings.some(GONE)]
    numbers = columns_of({"best": 4, "bound": 4, "gap, %": 1})
    heads = texts("instance", "family", "best by") + numbers
    gaps = table_of("Best values and bounds", heads, lines)
    unseen = table_of(
        "What is left of gaps without something",
        texts("instance", "gone") + numbers,
        ((one.name, one.without or "nothing", *ends, _apart(*ends)) for one, *ends in left),
    )
    return Results(tables={"gaps": gaps, "unseen": unseen})


def _chosen(settings: Settings) -> list[Entry]:
    known = [one for one in entries().values() if one.kind in SEARCHES and one.upper and one.lower]
    known.sort(key=lambda one: list(SEARCHES).index(one.kind))
    return settings.some(known)


def _pair(instance: Any, settings: Settings) -> list[Run]:
    methods, limit = (SEARCHES[instance.kind], BOUND), settings.time_limit
    return [Run(instance=instance, method=method, time_limit=limit) for method in methods]


def _line(entry: Entry, settings: Settings, answers: Answers) -> tuple[Cell, ...]:
    """Return the best of what is on record and of the runs."""
    best, bound, by = (
        float(entry.upper[0].value),
        float(entry.lower[0].value),
        entry.upper[0].method,
    )
    if not entry.closed:
        most = FAMILIES[entry.kind].maximize
        (value, price), better = _found(named(entry.name), settings, answers), max if most else min
        if better(value, best) != best:
            best, by = value, SEARCHES[entry.kind]
        bound = (min if most else max)(price, bound)
    return entry.name, entry.kind, by, best, bound, _apart(best, bound)


def _found(instance: Any, settings: Settings, answers: Answers) -> tuple[float, float]:
    """Return the value of the search, and the bound; neither crosses the other."""
    rows = [sound(answers)(run) for run in _pair(instance, settings)]
    return float(rows[0]["objective"]), certified(rows, maximize=FAMILIES[instance.kind].maximize)


def _apart(value: float, bound: float) -> float:
    """Return by how many percent the larger is above the smaller."""
    return 100 * (max(value, bound) / min(value, bound) - 1)
