"""Can these items share those servers? An exact search over batches, with a memory of failures.

What the servers have left, minus what the items need, is all that may be wasted, and every
profile wastes something whatever runs there. Whether a set of items fits into a set of
profiles does not depend on how it was met, so each failure is kept.
"""

from typing import Any

import numpy as np

from ...simulation.jit import kernel
from ...simulation.model import Ints
from .profiles import LIMIT, NO, NODES, UNKNOWN, YES, BatchPacking, fits_known, mix

PROBES = 8
"""Places looked at in the table of failures; when all are taken one is overwritten."""


@kernel
def pack_items(pack: BatchPacking, ids: Ints, items: int) -> int:
    """Say whether all `items` can be packed into servers of the sorted profiles `ids`.

    If so, level l put ``batch[chosen[l]]`` on ``server[l]``. The lowest item left goes into
    one of the servers left, in each batch that it leads and that wastes no more than allowed.
    """
    slack = 0
    for s in range(ids.size):
        slack += pack.area[ids[s]] - pack.waste[ids[s]]
    for i in range(pack.gpus.size):
        if items >> i & 1:
            slack -= pack.work[i]
    if slack < 0:
        return NO
    if items == 0:
        pack.server[0] = -1
        return YES
    if _has_failed(pack, ids, items, 0):
        return NO
    level = 0
    pack.left[0], pack.used[0], pack.slack[0] = items, 0, slack
    pack.server[0], pack.chosen[0] = -1, pack.batch.size
    while level >= 0:
        pack.tally[NODES] += 1
        if pack.tally[NODES] > pack.tally[LIMIT]:
            return UNKNOWN
        if not _next_batch(pack, ids, level):
            if pack.tally[NODES] > pack.tally[LIMIT]:
                return UNKNOWN
            _note_failure(pack, ids, pack.left[level], pack.used[level])
            level -= 1
            continue
        p, f = ids[pack.server[level]], pack.chosen[level]
        left = pack.left[level] ^ pack.batch[f]
        used = pack.used[level] | 1 << pack.server[level]
        slack = pack.slack[level] - (pack.area[p] - pack.total[f] - pack.waste[p])
        if left == 0:
            pack.server[level + 1] = -1
            return YES
        if level + 1 < ids.size and not _has_failed(pack, ids, left, used):
            level += 1
            pack.left[level], pack.used[level], pack.slack[level] = left, used, slack
            pack.server[level], pack.chosen[level] = -1, pack.batch.size
    return NO


@kernel
def _next_batch(pack: BatchPacking, ids: Ints, level: int) -> bool:
    """Move on to the next server and batch for the lowest item left; say if there is one."""
    left, used = pack.left[level], pack.used[level]
    i = 0
    while not left >> i & 1:
        i += 1
    s, f = pack.server[level], pack.chosen[level] + 1
    while True:
        if s >= 0:
            p = ids[s]
            least = pack.area[p] - pack.waste[p] - pack.slack[level]
            while f < pack.first[i + 1] and pack.total[f] >= least:
                batch = pack.batch[f]
                possible = batch & ~left == 0 and _in_order(pack, batch, left)
                if possible and fits_known(pack, p, f):
                    pack.server[level], pack.chosen[level] = s, f
                    return True
                f += 1
        s += 1
        while s < ids.size and (used >> s & 1 or _same_before(ids, used, s)):
            s += 1
        if s == ids.size:
            return False
        f = pack.first[i]


@kernel
def _same_before(ids: Ints, used: int, s: int) -> bool:
    return bool(s > 0 and ids[s - 1] == ids[s] and not used >> (s - 1) & 1)


@kernel
def _in_order(pack: BatchPacking, batch: int, left: int) -> bool:
    """Say whether the batch takes of equal items the first ones left."""
    for i in range(pack.gpus.size):
        twin = pack.equal[i]
        if batch >> i & 1 and twin >= 0 and left >> twin & 1 and not batch >> twin & 1:
            return False
    return True


@kernel
def _place(pack: BatchPacking, ids: Ints, left: int, used: int) -> Any:
    """Return where to look first for the items and the profiles left."""
    mark = mix(np.uint64(17), left)
    for s in range(ids.size):
        if not used >> s & 1:
            mark = mix(mark, ids[s])
    return mark % np.uint64(pack.failed.shape[0])


@kernel
def _has_failed(pack: BatchPacking, ids: Ints, left: int, used: int) -> bool:
    k = _place(pack, ids, left, used)
    for _ in range(PROBES):
        if pack.failed[k, 0] == left and _same_profiles(pack, k, ids, used):
            return True
        k = (k + np.uint64(1)) % np.uint64(pack.failed.shape[0])
    return False


@kernel
def _same_profiles(pack: BatchPacking, k: Any, ids: Ints, used: int) -> bool:
    """Say whether the servers not used have the profiles of failure k."""
    j = 1
    for s in range(ids.size):
        if not used >> s & 1:
            if pack.failed[k, j] != ids[s]:
                return False
            j += 1
    return bool(pack.failed[k, j] < 0)


@kernel
def _note_failure(pack: BatchPacking, ids: Ints, left: int, used: int) -> None:
    k = _place(pack, ids, left, used)
    for _ in range(PROBES):
        if pack.failed[k, 0] == 0:
            break
        k = (k + np.uint64(1)) % np.uint64(pack.failed.shape[0])
    pack.failed[k, 0], j = left, 1
    for s in range(ids.size):
        if not used >> s & 1:
            pack.failed[k, j] = ids[s]
            j += 1
    pack.failed[k, j] = -1
