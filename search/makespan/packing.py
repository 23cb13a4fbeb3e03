"""Can these items share those servers? An exact search over batches, with a memory of failures.

What the servers have left, minus what the items need, is all that may be wasted, and every
profile wastes something whatever runs there. Whether a set of items fits into a set of
profiles does not depend on how it was met, so each failure is kept.
"""

from typing import Any

import numpy as np

from ...simulation.jit import kernel
from ...simulation.model import Ints
from .profiles import NO, UNKNOWN, YES, ItemBatches, PackingScratch, fits_known, mix

PROBES = 8
"""Places looked at in the table of failures; when all are taken one is overwritten."""


@kernel
def pack_items(data: ItemBatches, scratch: PackingScratch, ids: Ints, items: int) -> int:
    """Say whether all `items` can be packed into servers of the sorted profiles `ids`.

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
    """Move on to the next server and batch for the lowest item left; say if there is one."""
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
    """Say whether the batch takes of equal items the first ones left."""
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
    """Say whether the servers not used have the profiles of failure k."""
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
