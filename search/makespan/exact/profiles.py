"""Kernels of branch and bound that pack jobs into servers around the rings placed there.

An *item* is a job inside one server: it does not contend, so its slots are known. A *profile* is
the GPUs that a server has left for items, slot by slot. A *batch* is a set of items as bits of a
number. All batches that one empty server can finish in time are listed first. Moving an item to an
earlier slot where its GPUs are idle changes nothing else, so an item starts at its release or when
GPUs that it needs become free.

Packing is an exact search over batches with a memory of failures. The GPU-slots that servers have
left, minus those that items need, are the most that may be wasted, and every profile wastes some
GPU-slots under any items. Whether a set of items fits into a set of profiles is independent of the
path to it, so each failure is kept.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ....simulation.jit import entry, kernel, record
from ....simulation.model import Ints, Records

UNKNOWN, YES, NO = 0, 1, 2

PACKING_TALLY = record("profiles nodes limit")
"""Profiles stored, nodes visited, and how many may be: another thread stops a search by this."""

Bytes = NDArray[np.int8]


class ItemBatches(NamedTuple):
    """Items, and the batches they can form.

    Batches are sorted by their lowest item, those of item i being ``first[i] .. first[i+1]``, then
    by work, most first. `equal` is an equal item before, or -1. Item i may only be in servers of
    the places in ``places[i]``, as bits.
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


class PackingScratch(NamedTuple):
    """Known facts about batches under profiles, and room to pack them.

    A profile belongs to the place ``site[p]``. ``status[p, f]`` is YES if batch f fits under
    profile p, `waste` the least that p leaves idle (-1 if unknown). A row of `failed` is a set of
    items that could not be packed, the profiles of the failure, and -1; or it begins with 0. The
    other arrays are scratch for a search.
    """

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
    tally: Records


@kernel
def fits(data: ItemBatches, scratch: PackingScratch, p: int, batch: int) -> bool:
    """Return True if a batch can run under profile p; then `item` and `start` hold a plan.

    A no is inconclusive once the limit on nodes is passed.
    """
    tally = scratch.tally[0]
    room, need = 0, 0
    for t in range(scratch.idle.size):
        scratch.idle[t] = scratch.profile[p, t]
        room += scratch.idle[t]
    for i in range(data.gpus.size):
        if batch >> i & 1:
            need += data.work[i]
    todo, depth, t, i = batch, 0, 0, 0
    while todo and need <= room:
        tally.nodes += 1
        if tally.nodes > tally.limit:
            return False
        i = _next_item(data, scratch, todo, t, i)
        if i < data.gpus.size:
            _change(data, scratch, i, t, -1)
            scratch.item[depth], scratch.start[depth] = i, t
            depth += 1
            todo ^= 1 << i
            room, need, i = room - data.work[i], need - data.work[i], i + 1
        elif room - scratch.idle[t] >= need and _in_time(data, scratch, todo, t + 1):
            room, t, i = room - scratch.idle[t], t + 1, 0
        elif depth == 0:
            return False
        else:
            depth -= 1
            i = scratch.item[depth]
            while t > scratch.start[depth]:
                t -= 1
                room += scratch.idle[t]
            _change(data, scratch, i, t, 1)
            todo ^= 1 << i
            room, need, i = room + data.work[i], need + data.work[i], i + 1
    return bool(todo == 0)


@kernel
def _next_item(data: ItemBatches, scratch: PackingScratch, todo: int, t: int, i: int) -> int:
    """Return the first item from i on that may start in slot t, or the number of items."""
    while i < data.gpus.size:
        twin = data.equal[i]
        free = todo >> i & 1 and not (twin >= 0 and todo >> twin & 1)
        if free and _may_start(data, scratch, i, t):
            break
        i += 1
    return i


@kernel
def _may_start(data: ItemBatches, scratch: PackingScratch, i: int, t: int) -> bool:
    release, gpus = data.release[i], data.gpus[i]
    if t < release or t + data.slots[i] > scratch.idle.size:
        return False
    if t > release and scratch.idle[t - 1] >= gpus:
        return False
    u = t
    while u < t + data.slots[i] and scratch.idle[u] >= gpus:
        u += 1
    return bool(u == t + data.slots[i])


@kernel
def _change(data: ItemBatches, scratch: PackingScratch, i: int, t: int, sign: int) -> None:
    for u in range(t, t + data.slots[i]):
        scratch.idle[u] += sign * data.gpus[i]


@kernel
def _in_time(data: ItemBatches, scratch: PackingScratch, todo: int, t: int) -> bool:
    """Return True if all items could still end in time if they started in slot t or later."""
    for i in range(data.gpus.size):
        if todo >> i & 1 and max(t, data.release[i]) + data.slots[i] > scratch.idle.size:
            return False
    return True


@kernel
def find_profile(data: ItemBatches, scratch: PackingScratch, row: Ints, site: int) -> int:
    """Return the number of the profile in `row` at a place, storing it if it is new."""
    mark = np.uint64(len(row) + site)
    for t in range(row.size):
        mark = mix(mark, row[t])
    k = mark % np.uint64(scratch.place.size)
    while scratch.place[k] >= 0:
        p = scratch.place[k]
        t = 0 if scratch.site[p] == site else row.size + 1
        while t < row.size and scratch.profile[p, t] == row[t]:
            t += 1
        if t == row.size:
            if scratch.waste[p] < 0:
                scratch.waste[p] = _least_waste(data, scratch, p)
            return int(p)
        k = (k + np.uint64(1)) % np.uint64(scratch.place.size)
    p = scratch.tally[0].profiles
    scratch.tally[0].profiles += 1
    scratch.place[k], scratch.site[p] = p, site
    scratch.area[p] = 0
    for t in range(row.size):
        scratch.profile[p, t] = row[t]
        scratch.area[p] += row[t]
    scratch.status[p, :] = UNKNOWN
    scratch.waste[p] = _least_waste(data, scratch, p)
    return int(p)


@kernel
def forget(scratch: PackingScratch, needed: int) -> None:
    """Make room for so many profiles, if need be by forgetting all."""
    if scratch.tally[0].profiles + needed > scratch.area.size:
        scratch.tally[0].profiles = 0
        scratch.place[:] = -1
        scratch.failed[:, 0] = 0


@kernel
def _least_waste(data: ItemBatches, scratch: PackingScratch, p: int) -> int:
    best = 0
    for i in range(data.gpus.size):
        for f in range(data.first[i], data.first[i + 1]):
            if data.total[f] <= best:
                break
            if data.total[f] <= scratch.area[p] and fits_known(data, scratch, p, f):
                best = data.total[f]
                break
    if scratch.tally[0].nodes > scratch.tally[0].limit:
        return -1
    return int(scratch.area[p] - best)


@kernel
def fits_known(data: ItemBatches, scratch: PackingScratch, p: int, f: int) -> bool:
    """Return True if batch number f fits under profile p, and remember it."""
    if scratch.status[p, f] == UNKNOWN:
        here = 1 << scratch.site[p] & places_of(data, data.batch[f]) != 0
        found = here and fits(data, scratch, p, data.batch[f])
        if found or scratch.tally[0].nodes <= scratch.tally[0].limit:
            scratch.status[p, f] = YES if found else NO
    return bool(scratch.status[p, f] == YES)


@kernel
def places_of(data: ItemBatches, batch: int) -> int:
    """Return the places, as bits, where every item of a batch may be."""
    places = -1
    for i in range(data.gpus.size):
        if batch >> i & 1:
            places &= data.places[i]
    return places


@kernel
def mix(mark: Any, value: Any) -> Any:
    """Mix a number into a hash of 64 bits."""
    mark = (mark ^ np.uint64(value)) * np.uint64(0x9E3779B97F4A7C15)
    mark ^= mark >> np.uint64(29)
    mark *= np.uint64(0xBF58476D1CE4E5B9)
    return mark ^ mark >> np.uint64(32)


@entry
def find_batches(data: ItemBatches, scratch: PackingScratch, most: int) -> Ints:
    """Return the batches that fit under profile 0, or more than `most` if these are not all.

    Nor are they all if the limit on nodes is passed.
    """
    found = np.zeros(1 << 10, np.int64)
    count, k = 1, 0
    while k < count and count <= most + 1:
        highest = data.gpus.size - 1
        while highest >= 0 and not found[k] >> highest & 1:
            highest -= 1
        for i in range(highest + 1, data.gpus.size):
            batch = found[k] | 1 << i
            if places_of(data, batch) and fits(data, scratch, 0, batch):
                if count == found.size:
                    found = np.concatenate((found, np.zeros_like(found)))
                found[count] = batch
                count += 1
        k += 1
    return found[1:count]


@entry
def arrange(data: ItemBatches, scratch: PackingScratch, p: int, batch: int) -> int:
    """Write a plan of a batch under profile p into `item` and `start`, and return its length."""
    tally = scratch.tally[0]
    tally.nodes, tally.limit = 0, 1 << 62
    fits(data, scratch, p, batch)
    count = 0
    while batch:
        batch &= batch - 1
        count += 1
    return count


PROBES = 8
"""Places probed in the table of failures. If all are occupied one is overwritten."""


@kernel
def pack_items(data: ItemBatches, scratch: PackingScratch, ids: Ints, items: int) -> int:
    """Return YES if all `items` can be packed into servers of the sorted profiles `ids`.

    If so, level l put ``batch[chosen[l]]`` on ``server[l]``. The lowest item left goes into
    one of the servers left, in each batch that it leads and that wastes no more than allowed.
    """
    tally = scratch.tally[0]
    slack = 0
    for s in range(ids.size):
        slack += scratch.area[ids[s]] - scratch.waste[ids[s]]
    for i in range(data.gpus.size):
        if items >> i & 1:
            slack -= data.work[i]
    if slack < 0:
        return NO
    if items == 0:
        scratch.server[0] = -1
        return YES
    if _has_failed(scratch, ids, items, 0):
        return NO
    level = 0
    scratch.left[0], scratch.used[0], scratch.slack[0] = items, 0, slack
    scratch.server[0], scratch.chosen[0] = -1, data.batch.size
    while level >= 0:
        tally.nodes += 1
        if tally.nodes > tally.limit:
            return UNKNOWN
        if not _next_batch(data, scratch, ids, level):
            if tally.nodes > tally.limit:
                return UNKNOWN
            _note_failure(scratch, ids, scratch.left[level], scratch.used[level])
            level -= 1
            continue
        p, f = ids[scratch.server[level]], scratch.chosen[level]
        left = scratch.left[level] ^ data.batch[f]
        used = scratch.used[level] | 1 << scratch.server[level]
        slack = scratch.slack[level] - (scratch.area[p] - data.total[f] - scratch.waste[p])
        if left == 0:
            scratch.server[level + 1] = -1
            return YES
        if level + 1 < ids.size and not _has_failed(scratch, ids, left, used):
            level += 1
            scratch.left[level], scratch.used[level], scratch.slack[level] = left, used, slack
            scratch.server[level], scratch.chosen[level] = -1, data.batch.size
    return NO


@kernel
def _next_batch(data: ItemBatches, scratch: PackingScratch, ids: Ints, level: int) -> bool:
    """Advance to the next server and batch for the lowest item left, or False if there is none."""
    left, used = scratch.left[level], scratch.used[level]
    i = 0
    while not left >> i & 1:
        i += 1
    s, f = scratch.server[level], scratch.chosen[level] + 1
    while True:
        if s >= 0:
            p = ids[s]
            least = scratch.area[p] - scratch.waste[p] - scratch.slack[level]
            while f < data.first[i + 1] and data.total[f] >= least:
                batch = data.batch[f]
                possible = batch & ~left == 0 and _in_order(data, batch, left)
                if possible and fits_known(data, scratch, p, f):
                    scratch.server[level], scratch.chosen[level] = s, f
                    return True
                f += 1
        s += 1
        while s < ids.size and (used >> s & 1 or _same_before(ids, used, s)):
            s += 1
        if s == ids.size:
            return False
        f = data.first[i]


@kernel
def _same_before(ids: Ints, used: int, s: int) -> bool:
    return bool(s > 0 and ids[s - 1] == ids[s] and not used >> (s - 1) & 1)


@kernel
def _in_order(data: ItemBatches, batch: int, left: int) -> bool:
    """Return True if the batch takes of equal items the first ones left."""
    for i in range(data.gpus.size):
        twin = data.equal[i]
        if batch >> i & 1 and twin >= 0 and left >> twin & 1 and not batch >> twin & 1:
            return False
    return True


@kernel
def _place(scratch: PackingScratch, ids: Ints, left: int, used: int) -> Any:
    """Return where to look first for the items and the profiles left."""
    mark = mix(np.uint64(17), left)
    for s in range(ids.size):
        if not used >> s & 1:
            mark = mix(mark, ids[s])
    return mark % np.uint64(scratch.failed.shape[0])


@kernel
def _has_failed(scratch: PackingScratch, ids: Ints, left: int, used: int) -> bool:
    k = _place(scratch, ids, left, used)
    for _ in range(PROBES):
        if scratch.failed[k, 0] == left and _same_profiles(scratch, k, ids, used):
            return True
        k = (k + np.uint64(1)) % np.uint64(scratch.failed.shape[0])
    return False


@kernel
def _same_profiles(scratch: PackingScratch, k: Any, ids: Ints, used: int) -> bool:
    """Return True if the servers not used have the profiles of failure k."""
    j = 1
    for s in range(ids.size):
        if not used >> s & 1:
            if scratch.failed[k, j] != ids[s]:
                return False
            j += 1
    return bool(scratch.failed[k, j] < 0)


@kernel
def _note_failure(scratch: PackingScratch, ids: Ints, left: int, used: int) -> None:
    k = _place(scratch, ids, left, used)
    for _ in range(PROBES):
        if scratch.failed[k, 0] == 0:
            break
        k = (k + np.uint64(1)) % np.uint64(scratch.failed.shape[0])
    scratch.failed[k, 0], j = left, 1
    for s in range(ids.size):
        if not used >> s & 1:
            scratch.failed[k, j] = ids[s]
            j += 1
    scratch.failed[k, j] = -1
