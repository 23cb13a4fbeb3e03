"""What can run in a server beside the rings placed there? Kernels of branch and bound.

An *item* is a job inside one server: it contends with nobody, so its slots are known. A
*profile* is what a server has left for items, GPUs slot by slot. A *batch* is a set of items
as bits of a number; all batches that one empty server can do in time are listed beforehand.

Moving an item to an earlier slot where its GPUs are idle changes nothing else, so an item
starts at its release or when GPUs that it needs become free.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...simulation.jit import entry, kernel
from ...simulation.model import Ints

UNKNOWN, YES, NO = 0, 1, 2

PROFILES, NODES, LIMIT = 0, 1, 2
"""Places in `Packing.tally`: profiles stored, nodes visited, and how many may be."""

Bytes = NDArray[np.int8]


class BatchPacking(NamedTuple):
    """Items, the batches they can form, and what is known about batches under profiles.

    Batches are sorted by their lowest item, those of item i being ``first[i] .. first[i+1]``,
    then by work, most first. `equal` is an equal item before, or -1. ``status[p, f]`` says
    whether batch f fits under profile p, `waste` the least that p leaves idle (-1 if that is not
    known yet). Item i may only be in servers of the places in ``places[i]``, as bits; a profile
    belongs to the place ``site[p]``. A row of `failed` is a set of
    items that could not be packed, the profiles that it could not be packed into, and -1; or it
    begins with 0. The rest is scratch.
    """

    gpus: Ints
    slots: Ints
    release: Ints
    work: Ints
    equal: Ints
    places: Ints
    batch: Ints
    total: Ints
    first: Ints
    profile: Ints
    site: Ints
    area: Ints
    waste: Ints
    status: Bytes
    place: Ints
    failed: Ints
    idle: Ints
    item: Ints
    start: Ints
    left: Ints
    used: Ints
    slack: Ints
    server: Ints
    chosen: Ints
    tally: Ints


@kernel
def fits(pack: BatchPacking, p: int, batch: int) -> bool:
    """Say whether a batch can run under profile p; if so, `item` and `start` say how.

    A no means nothing once the limit on nodes is passed.
    """
    room, need = 0, 0
    for t in range(pack.idle.size):
        pack.idle[t] = pack.profile[p, t]
        room += pack.idle[t]
    for i in range(pack.gpus.size):
        if batch >> i & 1:
            need += pack.work[i]
    todo, depth, t, i = batch, 0, 0, 0
    while todo and need <= room:
        pack.tally[NODES] += 1
        if pack.tally[NODES] > pack.tally[LIMIT]:
            return False
        i = _next_item(pack, todo, t, i)
        if i < pack.gpus.size:
            _change(pack, i, t, -1)
            pack.item[depth], pack.start[depth] = i, t
            depth += 1
            todo ^= 1 << i
            room, need, i = room - pack.work[i], need - pack.work[i], i + 1
        elif room - pack.idle[t] >= need and _in_time(pack, todo, t + 1):
            room, t, i = room - pack.idle[t], t + 1, 0
        elif depth == 0:
            return False
        else:
            depth -= 1
            i = pack.item[depth]
            while t > pack.start[depth]:
                t -= 1
                room += pack.idle[t]
            _change(pack, i, t, 1)
            todo ^= 1 << i
            room, need, i = room + pack.work[i], need + pack.work[i], i + 1
    return bool(todo == 0)


@kernel
def _next_item(pack: BatchPacking, todo: int, t: int, i: int) -> int:
    """Return the first item from i on that may start in slot t, or the number of items."""
    while i < pack.gpus.size:
        twin = pack.equal[i]
        if todo >> i & 1 and not (twin >= 0 and todo >> twin & 1) and _may_start(pack, i, t):
            break
        i += 1
    return i


@kernel
def _may_start(pack: BatchPacking, i: int, t: int) -> bool:
    release, gpus = pack.release[i], pack.gpus[i]
    if t < release or t + pack.slots[i] > pack.idle.size:
        return False
    if t > release and pack.idle[t - 1] >= gpus:
        return False
    u = t
    while u < t + pack.slots[i] and pack.idle[u] >= gpus:
        u += 1
    return bool(u == t + pack.slots[i])


@kernel
def _change(pack: BatchPacking, i: int, t: int, sign: int) -> None:
    for u in range(t, t + pack.slots[i]):
        pack.idle[u] += sign * pack.gpus[i]


@kernel
def _in_time(pack: BatchPacking, todo: int, t: int) -> bool:
    """Say whether all items could still end in time if they started in slot t or later."""
    for i in range(pack.gpus.size):
        if todo >> i & 1 and max(t, pack.release[i]) + pack.slots[i] > pack.idle.size:
            return False
    return True


@kernel
def find_profile(pack: BatchPacking, row: Ints, site: int) -> int:
    """Return the number of the profile in `row` at a place, storing it if it is new."""
    mark = np.uint64(len(row) + site)
    for t in range(row.size):
        mark = mix(mark, row[t])
    k = mark % np.uint64(pack.place.size)
    while pack.place[k] >= 0:
        p = pack.place[k]
        t = 0 if pack.site[p] == site else row.size + 1
        while t < row.size and pack.profile[p, t] == row[t]:
            t += 1
        if t == row.size:
            if pack.waste[p] < 0:
                pack.waste[p] = _least_waste(pack, p)
            return int(p)
        k = (k + np.uint64(1)) % np.uint64(pack.place.size)
    p = pack.tally[PROFILES]
    pack.tally[PROFILES] += 1
    pack.place[k], pack.site[p] = p, site
    pack.area[p] = 0
    for t in range(row.size):
        pack.profile[p, t] = row[t]
        pack.area[p] += row[t]
    pack.status[p, :] = UNKNOWN
    pack.waste[p] = _least_waste(pack, p)
    return int(p)


@kernel
def forget(pack: BatchPacking, needed: int) -> None:
    """Make room for so many profiles, if need be by forgetting all."""
    if pack.tally[PROFILES] + needed > pack.area.size:
        pack.tally[PROFILES] = 0
        pack.place[:] = -1
        pack.failed[:, 0] = 0


@kernel
def _least_waste(pack: BatchPacking, p: int) -> int:
    best = 0
    for i in range(pack.gpus.size):
        for f in range(pack.first[i], pack.first[i + 1]):
            if pack.total[f] <= best:
                break
            if pack.total[f] <= pack.area[p] and fits_known(pack, p, f):
                best = pack.total[f]
                break
    if pack.tally[NODES] > pack.tally[LIMIT]:
        return -1
    return int(pack.area[p] - best)


@kernel
def fits_known(pack: BatchPacking, p: int, f: int) -> bool:
    """Say whether batch number f fits under profile p, and remember it."""
    if pack.status[p, f] == UNKNOWN:
        here = 1 << pack.site[p] & places_of(pack, pack.batch[f]) != 0
        found = here and fits(pack, p, pack.batch[f])
        if found or pack.tally[NODES] <= pack.tally[LIMIT]:
            pack.status[p, f] = YES if found else NO
    return bool(pack.status[p, f] == YES)


@kernel
def places_of(pack: BatchPacking, batch: int) -> int:
    """Return the places, as bits, where every item of a batch may be."""
    places = -1
    for i in range(pack.gpus.size):
        if batch >> i & 1:
            places &= pack.places[i]
    return places


@kernel
def mix(mark: Any, value: Any) -> Any:
    """Stir a number into a fingerprint of 64 bits."""
    mark = (mark ^ np.uint64(value)) * np.uint64(0x9E3779B97F4A7C15)
    mark ^= mark >> np.uint64(29)
    mark *= np.uint64(0xBF58476D1CE4E5B9)
    return mark ^ mark >> np.uint64(32)


@entry
def find_batches(pack: BatchPacking, most: int) -> Ints:
    """Return the batches that fit under profile 0, or the first of more than `most`.

    They are not all if the limit on nodes is passed.
    """
    found = np.zeros(1 << 10, np.int64)
    count, k = 1, 0
    while k < count and count <= most:
        highest = pack.gpus.size - 1
        while highest >= 0 and not found[k] >> highest & 1:
            highest -= 1
        for i in range(highest + 1, pack.gpus.size):
            batch = found[k] | 1 << i
            if places_of(pack, batch) and fits(pack, 0, batch):
                if count == found.size:
                    found = np.concatenate((found, np.zeros_like(found)))
                found[count] = batch
                count += 1
        k += 1
    return found[1:count]


@entry
def arrange(pack: BatchPacking, p: int, batch: int) -> int:
    """Let `item` and `start` say how a batch runs under profile p; return how many items."""
    pack.tally[NODES], pack.tally[LIMIT] = 0, 1 << 62
    fits(pack, p, batch)
    count = 0
    while batch:
        batch &= batch - 1
        count += 1
    return count
