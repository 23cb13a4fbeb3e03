"""Gaps between best values and bounds in other families, and rules that the bounds ignore.

A bound ignores a rule of the problem if removing the rule does not change the bound. Each instance
is also solved without the rule: the remaining gap shows the part that the rule causes.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from decimal import Decimal
from typing import Any, NamedTuple

from ..analysis.tables import Cell, columns_of, texts
from ..campaigns.reproductions import Answers, Known, Results, Settings
from ..campaigns.runs import BOUND, Run
from ..campaigns.whatif import on_servers
from ..families import FAMILIES
from ..instances import RackServer, TraceInstance, TransfersInstance
from ..instances.catalogue import Entry, entries
from .study import certified, named, sound, table_of

SEARCHES = {"online": "order-search", "trace": "weight-search", "transfers": "plan-search"}
"""The families, and the method that searches in each."""


def free_stops(instance: TraceInstance) -> TraceInstance:
    """Return the instance in which stopping a job is free."""
    return replace(instance, restart_s=Decimal(0), resume_s=None)


def one_server(instance: TraceInstance) -> TraceInstance:
    """Return the instance with all GPUs in one server, which has no outage."""
    return on_servers(instance, (RackServer(name="all", gpus=instance.gpus),))


def never_due(instance: TransfersInstance) -> TransfersInstance:
    """Return the instance in which no update is due."""
    return replace(instance, updates=tuple(replace(one, due_s=None) for one in instance.updates))


RULES: dict[str, Callable[[Any], Any]] = {
    "free stops": free_stops,
    "one server": one_server,
    "never stale": lambda instance: replace(instance, staleness=None),
    "never due": never_due,
    "no copies": lambda instance: replace(instance, divergence=None),
    "no groups": lambda instance: replace(instance, aggregators=()),
}
"""Rules that are removed from instances. No groups, that is no aggregators, is another rule."""


class GoneRule(NamedTuple):
    """An instance without some rules, or as it is."""

    name: str
    rules: tuple[str, ...]

    @property
    def without(self) -> str:
        """The rules that are gone, in words."""
        return "both" if len(self.rules) > 1 else "".join(self.rules)

    @property
    def instance(self) -> Any:
        """The instance. Its name shows the removed rules."""
        changed = named(self.name)
        for rule in self.rules:
            changed = RULES[rule](changed)
        return replace(changed, name=f"{self.name}, {self.without}") if self.rules else changed


GONE = tuple(
    GoneRule(name, rules)
    for name, several in {
        "elastic-100-s0": ((), ("free stops",), ("one server",), ("one server", "free stops")),
        "tiresias-testbed": ((), ("free stops",), ("one server",), ("one server", "free stops")),
        "transfers-stale-s0": ((), ("never stale",), ("never due",), ("never due", "never stale")),
        "transfers-replica-s0": ((), ("no copies",), ("no groups", "no copies")),
        "transfers-racks-s0": ((), ("no groups",)),
    }.items()
    for rules in several
)
"""The instances with wide gaps, without some of their rules."""


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
        "Remaining gaps without a rule",
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
    """Return the best of the records and the runs."""
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
    """Return the value of the search, and the bound. Neither crosses the other."""
    rows = [sound(answers)(run) for run in _pair(instance, settings)]
    return float(rows[0]["objective"]), certified(rows, maximize=FAMILIES[instance.kind].maximize)


def _apart(value: float, bound: float) -> float:
    """Return by how many percent the larger is above the smaller."""
    return 100 * (max(value, bound) / min(value, bound) - 1)
