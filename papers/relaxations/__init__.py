"""The campaign: roots of small instances, bounds on large ones, lifts, and roundings."""

import time
from collections.abc import Iterator
from functools import partial

from ...analysis.tables import Cell, Table, columns_of, numbers, texts
from ...campaigns.reproductions import Answers, Known, Results, Run, Settings
from ...formulations.makespan.configurations import configuration_bound
from ...formulations.makespan.server_bound import server_bound
from ...instances import Limits
from ...instances.catalogue import entries
from ...search.makespan.bounds.counting import combinatorial_bounds
from ...search.makespan.bounds.load import load_bound
from ..study import named, table_of
from .rentals import names as rental_names
from .rentals import (
    rental_roots,
    rental_rounded,
    rental_runs,
    rental_strength,
    rental_values,
    rentals,
)
from .rings import (
    RELAXATIONS,
    best_known,
    lift_table,
    lifts,
    roots,
    rounded,
    rounded_runs,
    statement,
)
from .slots import jobs_asked, slot_roots, slot_rounded, slot_strength, slot_values, slots
from .strengths import ENGINES, Root, rounded_picture, strength_rows, strength_table

LARGE = ("mobihoc-10-s0", "mobihoc-20-s0", "tight-full-s0", "tight-cheap-s0", "knot-full-s0")
"""Instances whose programs over slots are too large to be stated."""

SEMIDEFINITE = ("small-03x2", "small-04x2")
"""Instances small enough for a semidefinite relaxation, the first of all."""


def runs(settings: Settings, _: Known | None = None) -> Iterator[Run]:
    """Yield the runs that round a relaxation."""
    for name in settings.some(small()):
        yield from rounded_runs(name, settings.time_limit)
    yield from rental_runs(settings.some(rental_names()), settings.time_limit)


def small() -> list[str]:
    """Return the named small instances in slotted time, fewest jobs first."""
    known = [one for one in entries().values() if one.family == "small" and not one.problem]
    slotted = [one for one in known if named(one.name).progress != "continuous"]
    return [one.name for one in sorted(slotted, key=lambda one: (one.jobs, one.servers))]


def report(settings: Settings, answers: Answers) -> Results:
    """Solve the relaxations, and compare them with their roundings."""
    limit, names = settings.time_limit, settings.some(small())
    found = [root for name in names for root in roots(name, settings.time_limit)]
    tried = [lift for name in settings.some(SEMIDEFINITE) for lift in lifts(name, found)]
    held = list(slots(settings.some(jobs_asked()), limit))
    slot_values_found = list(slot_roots(held, limit))
    rented = list(rentals(settings.some(rental_names()), limit))
    rented_found = list(rental_roots(rented, limit))
    parts = {
        "rings: makespan": rounded(names, limit, answers),
        "slots of PD-ORS: cost": slot_rounded(held),
        "rented GPUs: mean completion time": rental_rounded(rented, limit, answers),
    }
    ring_table, slot_table, rental_table = (part.table for part in parts.values())
    return Results(
        tables={
            "strength": _strength(found, len(names)),
            "instances": _instances(found),
            "large": _large(settings),
            "lifts": lift_table(tried),
            "rounded": ring_table,
            "slot-strength": slot_strength(held, slot_values_found),
            "slot-values": slot_values(held, slot_values_found),
            "slot-rounded": slot_table,
            "rental-strength": rental_strength(rented, rented_found),
            "rental-values": rental_values(rented, rented_found),
            "rental-rounded": rental_table,
        },
        charts={
            "rounded": partial(rounded_picture, {key: one.pairs for key, one in parts.items()})
        },
        statements=(*_stronger(found), statement(tried)),
    )


def _strength(found: list[Root], instances: int) -> Table:
    note = (
        f"{instances} small instances in slotted time, with the best known makespan as "
        "horizon. A relaxation that cannot be stated, or has too many columns, is left out. "
        "Processor seconds for the solved instances, followed by the number of unsolved ones."
    )
    caption = "Linear relaxations of the ring programs: value / best makespan known"
    rows = strength_rows(found, RELAXATIONS, ENGINES)
    return strength_table(caption, rows, ENGINES, note, over="s on average by HiGHS")


def _instances(found: list[Root]) -> Table:
    """Return a line for each instance, with the values of all its relaxations."""
    names = [name for name in RELAXATIONS if any(root.name == name for root in found)]
    lines: dict[str, dict[str, Root]] = {}
    for root in found:
        lines.setdefault(root.instance, {})[root.name] = root
    rows: list[tuple[Cell, ...]] = []
    for instance, own in lines.items():
        values = (own[name].value if name in own else None for name in names)
        rows.append((instance, best_known(instance), *values))
    return table_of(
        "Values of the relaxations, in slots",
        {"instance": None, "best": 0, **dict.fromkeys(names, 2)},
        rows,
    )


def _large(settings: Settings) -> Table:
    """Return the proved bounds of large instances, and the seconds that each takes."""
    rows: list[tuple[Cell, ...]] = []
    for name in settings.some(LARGE):
        instance, limits = named(name), Limits(time_s=settings.time_limit)
        quick = {one.name: one.value for one in combinatorial_bounds(instance)}
        cells: list[Cell] = [name, best_known(name), float(max(quick.values()))]
        for ask in (load_bound, server_bound, configuration_bound):
            began = time.process_time()
            bound = ask(instance, limits)
            cells += [None if bound is None else float(bound.value), time.process_time() - began]
        rows.append(tuple(cells))
    pairs = ("loads", "server configurations", "configurations of the cluster")
    return table_of(
        "Proved bounds on large instances, in slots",
        (
            *texts("instance"),
            *numbers("best", "counted"),
            *(one for over in pairs for one in columns_of({"bound": 0, "s": 1}, over=over)),
        ),
        rows,
        "Counted: the best simple bound, such as area or longest job. A dash means too many "
        "configurations to price.",
    )


def _stronger(found: list[Root]) -> Iterator[str]:
    """Yield for each relaxation the never weaker and somewhere stronger ones."""
    for name in RELAXATIONS:
        better = [other for other in RELAXATIONS if _beats(found, other, name)]
        if better:
            yield f"{name}: never above, and somewhere below, {', '.join(better)}"


def _beats(found: list[Root], one: str, other: str) -> bool:
    values = [{r.instance: r.value for r in found if r.name == n} for n in (one, other)]
    pairs = [
        (values[0][name], value)
        for name, value in values[1].items()
        if values[0].get(name) is not None and value is not None
    ]
    close = partial(_above, margin=-1e-6)
    never = all(close(a, b) for a, b in pairs)
    return never and any(_above(a, b) for a, b in pairs)


def _above(one: float | None, other: float, margin: float = 1e-6) -> bool:
    return one is not None and one > other + margin
