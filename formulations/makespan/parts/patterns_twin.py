"""The matrix of `patterns` from arrays alone, equal to the Pyomo model's row by row."""

from collections.abc import Iterable

import numpy as np

from ....instances import MakespanInstance
from ...files.names import label
from ...grown import GrownRows
from ...program import Matrix
from .pattern_index import PatternIndex, index_of
from .placements import layout_of


class _PatternColumns:
    """The numbers of the columns, family after family."""

    def __init__(self, index: PatternIndex) -> None:
        slots = range(index.layout.data.horizon)
        families: dict[str, Iterable[Iterable[object]]] = {
            "place": index.layout.windows,
            "used": [(slot,) for slot in slots],
            "makespan_slots": [()],
            "spread": index.spread,
            "rings": index.rings,
            "free": index.free,
            "delayed": index.delayed,
        }
        pairs = [(name, tuple(key)) for name, keys in families.items() for key in keys]
        self.number = {(name, *key): number for number, (name, key) in enumerate(pairs)}

    def names(self) -> tuple[str, ...]:
        """Return them as Pyomo writes them."""
        return tuple(_named(str(name), key) for name, *key in self.number)

    def at(self, name: str, *key: object) -> int:
        """Return the number of one."""
        return self.number[name, *key]


def twin(instance: MakespanInstance, horizon: int | None = None) -> Matrix:
    """Return the matrix of the program with all jobs ended by `horizon`."""
    index = index_of(layout_of(instance, horizon))
    columns, rows = _PatternColumns(index), GrownRows()
    _time_rows(index, columns, rows)
    _ring_rows(index, columns, rows)
    _progress_rows(index, columns, rows)
    count, latest = len(columns.number), columns.at("makespan_slots")
    upper = np.ones(count)
    upper[latest] = index.layout.last
    whole = np.array([name in ("place", "rings") for name, *_ in columns.number], dtype=np.bool_)
    return Matrix(
        columns=columns.names(),
        cost=np.eye(1, count, latest)[0],
        lower=np.zeros(count),
        upper=upper,
        integer=whole,
        **rows.parts(count),
    )


def _time_rows(index: PatternIndex, columns: _PatternColumns, rows: GrownRows) -> None:
    data, at = index.layout.data, columns.at
    slots, never = range(data.horizon), -np.inf
    for job, windows in index.of_job.items():
        rows.add(_named("every_job_once", [job]), 1, 1, ((at("place", *w), 1) for w in windows))
        for t in slots:
            late = [(at("place", *w), 1.0) for w in windows if w.end > t]
            rows.add(_named("makespan", [job, t]), never, 0, [*late, (at("used", t), -1)])
    for (server, t), held in index.held.items():
        entries = [(at("place", *w), float(count)) for count, w in held]
        room = (at("used", t), -float(data.sizes[server]))
        rows.add(_named("capacity", [server, t]), never, 0, [*entries, room])
    used = [(at("used", t), -1.0) for t in slots]
    rows.add("slots_used", 0, 0, [(at("makespan_slots"), 1), *used])
    for t in slots[:-1]:
        rows.add(f"without_gap[{t}]", never, 0, [(at("used", t + 1), 1), (at("used", t), -1)])


def _ring_rows(index: PatternIndex, columns: _PatternColumns, rows: GrownRows) -> None:
    at, never = columns.at, -np.inf
    for spot, windows in index.spread.items():
        entries = [(at("place", *w), -1.0) for w in windows]
        rows.add(_named("spreads", spot), 0, 0, [(at("spread", *spot), 1), *entries])
    for (server, t), jobs in index.together.items():
        there = [(at("spread", *job, server, t), 1.0) for job in jobs]
        levels = [(at("rings", server, t, p), -1.0) for p in index.levels(server, t)]
        rows.add(_named("counted", [server, t]), 0, 0, [*there, *levels])
    for server, t, p in index.rings:
        if p > 1:
            ring = at("rings", server, t, p)
            below = at("rings", server, t, p - 1)
            rows.add(_named("ordered", [server, t, p]), never, 0, [(ring, 1), (below, -1)])
            free = [(at("free", *job, server, t, p), 1.0) for job in index.together[server, t]]
            rows.add(_named("shared", [server, t, p]), never, p - 1, [*free, (ring, p - 1.0)])
    for job, units, server, t, p in index.free:
        key = (job, units, server, t, p)
        parts = (at("delayed", job, units, t, p), at("spread", *key[:-1]), at("free", *key))
        rows.add(_named("busiest", key), never, 0, zip(parts, (-1, 1, -1), strict=True))


def _progress_rows(index: PatternIndex, columns: _PatternColumns, rows: GrownRows) -> None:
    at = columns.at
    for job in index.ring_jobs:
        ahead = [(at("place", *w), -index.ahead(w)) for w in index.spread_of[job]]
        lost = [(at("delayed", *key), index.loss(*key)) for key in index.delayed_of[job]]
        rows.add(_named("completes", [job]), -np.inf, 0, [*ahead, *lost])
    for job, p in index.job_levels:
        slow = [(at("delayed", *key), 1.0) for key in index.delayed_of[job] if key[3] == p]
        bears = [(at("place", *w), -float(index.bears(w, p))) for w in index.spread_of[job]]
        rows.add(_named("patient", [job, p]), -np.inf, 0, [*slow, *bears])


def _named(name: str, key: Iterable[object]) -> str:
    """Return the name of a component with an index, as Pyomo writes it."""
    parts = [label(part) if isinstance(part, str) else str(part) for part in key]
    return f"{name}[{','.join(parts)}]" if parts else name
