"""Kernels of branch and bound that place rings with given starts.

Each ring in turn is given GPUs on two servers or more, in every placement up to exchanging equal
servers. Only rings contend, so their ends are known then: exactly, once all rings are placed; as
lower bounds before, because a new ring slows other rings down. (Under fair sharing it can speed up
a third one. There, rings run at full rate until all are placed.) Then the other jobs are packed
around the rings.
"""

from typing import NamedTuple

import numpy as np

from ....simulation import PlacedStarts, evaluate
from ....simulation.jit import entry, kernel, record
from ....simulation.model import (
    FLOOR,
    FLUID,
    MAX_WORKERS,
    PAPER,
    Floats,
    Ints,
    Model,
    Records,
    may_use,
)
from .profiles import (
    NO,
    UNKNOWN,
    YES,
    ItemBatches,
    PackingScratch,
    find_profile,
    forget,
    pack_items,
)
from .symmetry import place_first, place_next

ROUNDING = 2.5e-16
"""Relative rounding error of a sum at each addition. Rounding never refutes a schedule. If it could
confirm one, the exact engine is called."""

CUT = 3
"""Answer of `place_rings`: yes, if the items of `cut` were rings as well."""

RING_FACTS = record("cuts final mirrored doubt")
"""Items that were cut, whether no ring will be added, whether the first ring must end no farther
from the horizon than it starts from slot 0, and whether an end depends on rounding."""

TOO_MUCH = 1 << 60
"""More work than any instance has."""


class Rings(NamedTuple):
    """Rings with their starts, servers, and pieces there.

    `least` are the slots of a ring at full rate, `need` its iterations, ``rate[r, u, p]`` its
    iterations in a slot with u overhead units and p rings on its busiest server. Servers of one
    `kind` are equal, those of one `site` open to the same jobs. ``held[r, s]`` are the GPUs of a
    ring that has begun, else 0. ``free[r, s]`` is idle, slot by slot, before ring r is placed,
    where it gets ``pieces[r, s]``. `extra` is the least additional work of an item that becomes a
    ring, or -1 if it may not. `profile` numbers the free capacity of each server, sorted, that of
    server ``server[k]`` at k. `end`, `done`, `room`, `twin` and `crowd` are scratch.
    """

    gpus: Ints
    start: Ints
    least: Ints
    need: Floats
    rate: Floats
    servers: Ints
    held: Ints
    kind: Ints
    site: Ints
    free: Ints
    pieces: Ints
    extra: Ints
    profile: Ints
    server: Ints
    end: Ints
    done: Floats
    room: Ints
    twin: Ints
    crowd: Ints
    facts: Records


@entry
def place_rings(
    model: Model, data: ItemBatches, scratch: PackingScratch, rings: Rings, items: int, spare: int
) -> int:
    """Place the rings and pack the items around them, of which some may be cut.

    A cut item must become a ring later: it needs `extra` work more than inside a server; `spare` is
    the most additional work of cut items and late rings, all together. Returns YES, CUT, NO, or
    UNKNOWN. The result is invalid once the limit on nodes is passed.
    """
    number, tally = rings.gpus.size, scratch.tally[0]
    if number == 0:
        return _pack_around(data, scratch, rings, items, spare)
    r, placed = 0, _place_first(model, rings, 0)
    while r >= 0:
        tally.nodes += 1
        if tally.nodes > tally.limit:
            return UNKNOWN
        if not placed:
            r -= 1
            placed = r >= 0 and place_next(rings.pieces[r], rings.room[r], rings.twin[r])
            continue
        if model.contention != FLUID:
            _run_rings(model, rings, r)
            if rings.facts[0].doubt and r + 1 == number:
                _ask_engine(model, rings)
        elif rings.facts[0].final and r + 1 == number:
            _ask_engine(model, rings)
        else:
            rings.end[: r + 1] = rings.start[: r + 1] + rings.least[: r + 1]
        left = spare - _late(rings, r)
        if left < 0 or not _take(rings, r):
            placed = place_next(rings.pieces[r], rings.room[r], rings.twin[r])
        elif r + 1 < number:
            r += 1
            placed = _place_first(model, rings, r)
        else:
            answer = _pack_around(data, scratch, rings, items, left)
            if answer != NO:
                return answer
            placed = place_next(rings.pieces[r], rings.room[r], rings.twin[r])
    return NO


@kernel
def _place_first(model: Model, rings: Rings, r: int) -> bool:
    """Find room and twins for ring r, and make its first placement: the only one if it is held."""
    begun = False
    for s in range(rings.servers.size):
        begun |= rings.held[r, s] > 0
    for s in range(rings.servers.size):
        if begun:
            rings.room[r, s], rings.twin[r, s] = rings.held[r, s], -1
            continue
        room = rings.gpus[r] - 1 if may_use(model, r, s) else 0
        for t in range(rings.start[r], rings.start[r] + rings.least[r]):
            room = min(room, rings.free[r, s, t])
        rings.room[r, s], rings.twin[r, s] = room, -1
        for q in range(s):
            alike = rings.kind[q] == rings.kind[s]
            for k in range(r):
                alike = alike and rings.pieces[k, q] == rings.pieces[k, s]
            if alike:
                rings.twin[r, s] = q
    return place_first(rings.pieces[r], rings.room[r], rings.twin[r], 0, rings.gpus[r])


@kernel
def _run_rings(model: Model, rings: Rings, r: int) -> None:
    """Let rings 0 to r run, slot by slot, until they end or the horizon is passed."""
    horizon = rings.free.shape[2]
    lost = 0.0 if model.progress == FLOOR else ROUNDING * (horizon + 1)
    rings.facts[0].doubt = 0
    for q in range(r + 1):
        rings.done[q], rings.end[q] = 0.0, horizon + 1
    for t in range(horizon):
        rings.crowd[:] = 0
        for q in range(r + 1):
            if rings.start[q] <= t < rings.end[q]:
                for s in range(rings.servers.size):
                    rings.crowd[s] += rings.pieces[q, s] > 0
        for q in range(r + 1):
            if rings.start[q] <= t < rings.end[q]:
                busiest = 1
                for s in range(rings.servers.size):
                    if rings.pieces[q, s] > 0:
                        busiest = max(busiest, rings.crowd[s])
                units = _units(model, rings, q)
                rings.done[q] += rings.rate[q, units, busiest]
                if rings.done[q] >= rings.need[q] * (1.0 - lost):
                    rings.end[q] = t + 1
                    if rings.done[q] < rings.need[q] * (1.0 + lost):
                        rings.facts[0].doubt = 1


@kernel
def _late(rings: Rings, r: int) -> int:
    """Return the work of rings 0 to r beyond that at full rate, or too much if one is late."""
    late = 0
    for q in range(r + 1):
        if rings.end[q] > rings.free.shape[2]:
            return TOO_MUCH
        late += rings.gpus[q] * (rings.end[q] - rings.start[q] - rings.least[q])
    if rings.facts[0].mirrored and rings.start[0] + rings.end[0] > rings.free.shape[2]:
        return TOO_MUCH
    return int(late)


@kernel
def _take(rings: Rings, r: int) -> bool:
    """Record the GPUs that rings 0 to r leave idle, and return False if a server is overbooked."""
    for s in range(rings.servers.size):
        for t in range(rings.free.shape[2]):
            rings.free[r + 1, s, t] = rings.free[0, s, t]
        for q in range(r + 1):
            if rings.pieces[q, s] > 0:
                for t in range(rings.start[q], rings.end[q]):
                    rings.free[r + 1, s, t] -= rings.pieces[q, s]
                    if rings.free[r + 1, s, t] < 0:
                        return False
    return True


@kernel
def _units(model: Model, rings: Rings, r: int) -> int:
    touched, most = 0, 0
    for s in range(rings.servers.size):
        touched += rings.pieces[r, s] > 0
        most = max(most, rings.pieces[r, s])
    if model.overhead == PAPER:
        return touched
    return most if model.overhead == MAX_WORKERS else 1


@entry
def _ask_engine(model: Model, rings: Rings) -> None:
    """Take the ends of all rings from the engine."""
    number, late = rings.gpus.size, rings.free.shape[2] + 1
    first = np.zeros(number + 1, np.int64)
    for r in range(number):
        first[r + 1] = first[r] + np.count_nonzero(rings.pieces[r])
    servers, pieces = np.zeros(first[-1], np.int64), np.zeros(first[-1], np.int64)
    for r in range(number):
        servers[first[r] : first[r + 1]] = np.flatnonzero(rings.pieces[r])
        for k in range(first[r], first[r + 1]):
            pieces[k] = rings.pieces[r, servers[k]]
    end = evaluate(model, PlacedStarts(rings.start.astype(np.float64), first, servers, pieces)).end
    for r in range(number):
        rings.end[r] = late if end[r] >= late else np.int64(end[r])


@kernel
def _pack_around(
    data: ItemBatches, scratch: PackingScratch, rings: Rings, items: int, spare: int
) -> int:
    """Pack the items into the GPUs that rings leave, cutting as few items as possible."""
    tally = scratch.tally[0]
    forget(scratch, rings.servers.size)
    for s in range(rings.servers.size):
        p = find_profile(data, scratch, rings.free[rings.gpus.size, s], rings.site[s])
        k = s
        while k > 0 and rings.profile[k - 1] > p:
            rings.profile[k], rings.server[k] = rings.profile[k - 1], rings.server[k - 1]
            k -= 1
        rings.profile[k], rings.server[k] = p, s
    cut, i = 0, 0
    while True:
        rings.facts[0].cuts = cut
        tally.nodes += 1
        if tally.nodes > tally.limit:
            return UNKNOWN
        answer = pack_items(data, scratch, rings.profile, items & ~cut)
        if answer == UNKNOWN:
            return UNKNOWN
        if answer == YES:
            return CUT if cut else YES
        i = _next_cut(data, rings, items, cut, spare, i)
        while i < 0 and cut:
            i = data.gpus.size - 1
            while not cut >> i & 1:
                i -= 1
            cut ^= 1 << i
            spare += rings.extra[i]
            i = _next_cut(data, rings, items, cut, spare, i + 1)
        if i < 0:
            return NO
        cut |= 1 << i
        spare -= rings.extra[i]
        i += 1


@kernel
def _next_cut(data: ItemBatches, rings: Rings, items: int, cut: int, spare: int, i: int) -> int:
    """Return the first item from i on that may be cut in addition, or -1."""
    for k in range(i, data.gpus.size):
        twin = data.equal[k]
        first = twin < 0 or not items >> twin & 1 or cut >> twin & 1
        if first and items >> k & 1 and 0 <= rings.extra[k] <= spare:
            return k
    return -1
