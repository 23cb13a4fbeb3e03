"""The pool of leases: GPUs are requested, become usable, and are given back.

Where leases are billed by the tick, the newest are given back as soon as nobody needs them: those
still on their way first. Otherwise a lease is paid for until its period ends, so it stays until
then; leases wait for that in a ring, in order of it.
"""

from typing import NamedTuple

import numpy as np

from ..jit import entry, kernel
from ..model import Ints
from .stream import Terms

NEVER = 2**62
"""No tick; and what was paid for where it is more than can be counted."""

(HEAD, SIZE, BOOT_HEAD, BOOTING, GONE, RENTED, READY, PAID, SINCE, AREA, KEEP) = range(11)
"""Where `Pool.counts` has: the rings, how many leases are over, GPUs rented and usable, what was
paid for, and the integral of what is rented until a tick; whether the log is kept."""

AMOUNT, FROM, DUE = 0, 1, 2


class LeasePool(NamedTuple):
    """Leases: those open as (amount, start, end of period), on their way, and over."""

    open: Ints
    boot: Ints
    gone: Ints
    counts: Ints
    terms: Terms


def new_pool(terms: Terms, *, keep: bool) -> LeasePool:
    """Return an empty pool; with `keep`, leases that are over are remembered."""
    counts = np.zeros(11, np.int64)
    counts[KEEP] = keep
    shape = (64, 3)
    ints = np.int64
    return LeasePool(
        np.zeros(shape, ints), np.zeros(shape, ints), np.zeros(shape, ints), counts, terms
    )


def enlarged(pool: LeasePool) -> LeasePool:
    """Return the same with twice the room."""
    counts = pool.counts

    def twice(ring: Ints, head: int, size: int) -> Ints:
        rows = ring[(head + np.arange(size)) % len(ring)]
        return np.concatenate([rows, np.zeros((2 * len(ring) - size, 3), np.int64)])

    larger = pool._replace(
        open=twice(pool.open, counts[HEAD], counts[SIZE]),
        boot=twice(pool.boot, counts[BOOT_HEAD], counts[BOOTING]),
        gone=twice(pool.gone, 0, counts[GONE]),
    )
    counts[HEAD] = counts[BOOT_HEAD] = 0
    return larger


@entry
def full(pool: LeasePool) -> bool:
    """Say whether the next step could need more room."""
    return tight(pool)


@kernel
def tight(pool: LeasePool) -> bool:
    """Say whether the next step could need more room."""
    counts, room = pool.counts, len(pool.open)
    most = max(counts[SIZE], counts[BOOTING])
    return bool(most + 4 > room or (counts[KEEP] and counts[GONE] + counts[SIZE] + 4 > room))


@entry
def ripe(pool: LeasePool, now: int) -> int:
    """Let leases become usable that are by a tick; return the GPUs that then are."""
    _ripen(pool, now)
    return int(pool.counts[READY])


@entry
def turn(pool: LeasePool, now: int, need: int, held: int) -> None:
    """Let the pool follow the need at a tick, once; what is held of it stays usable."""
    follow(pool, now, need, held)


@entry
def next_turn(pool: LeasePool, need: int) -> int:
    """Return the next tick at which leases become usable or may be given back."""
    return next_change(pool, need)


@kernel
def rounded(terms: Terms, need: int) -> int:
    """Return the least that can be leased for a need."""
    return (need + terms.unit - 1) // terms.unit * terms.unit


@kernel
def next_change(pool: LeasePool, need: int) -> int:
    """Return the next tick at which leases become usable or may be given back."""
    counts, tick = pool.counts, NEVER
    if counts[BOOTING] > 0:
        tick = pool.boot[counts[BOOT_HEAD], FROM]
    if pool.terms.billing > 1 and counts[RENTED] > rounded(pool.terms, need):
        tick = min(tick, pool.open[counts[HEAD], DUE])
    return int(tick)


@kernel
def follow(pool: LeasePool, now: int, need: int, held: int) -> None:
    """Let the pool follow the need at a tick, once; what is held of it stays usable."""
    counts = pool.counts
    counts[AREA] += counts[RENTED] * (now - counts[SINCE])
    counts[SINCE] = now
    _ripen(pool, now)
    want = rounded(pool.terms, need)
    if pool.terms.billing > 1:
        _end_periods(pool, now, want, held)
    elif want < counts[RENTED]:
        _give_back(pool, now, counts[RENTED] - want)
    if want > counts[RENTED]:
        _request(pool, now, want - counts[RENTED])


@kernel
def _ripen(pool: LeasePool, now: int) -> None:
    """Let leases become usable that were on their way until now."""
    counts, boot = pool.counts, pool.boot
    while counts[BOOTING] > 0 and boot[counts[BOOT_HEAD], FROM] <= now:
        counts[READY] += boot[counts[BOOT_HEAD], AMOUNT]
        counts[BOOT_HEAD] = (counts[BOOT_HEAD] + 1) % len(boot)
        counts[BOOTING] -= 1


@kernel
def _request(pool: LeasePool, now: int, amount: int) -> None:
    counts, terms = pool.counts, pool.terms
    _append(pool, amount, now, now + terms.billing)
    counts[RENTED] += amount
    if terms.provision == 0:
        counts[READY] += amount
        return
    slot = (counts[BOOT_HEAD] + counts[BOOTING]) % len(pool.boot)
    pool.boot[slot, AMOUNT] = amount
    pool.boot[slot, FROM] = now + terms.provision
    counts[BOOTING] += 1


@kernel
def _append(pool: LeasePool, amount: int, start: int, due: int) -> None:
    counts = pool.counts
    slot = (counts[HEAD] + counts[SIZE]) % len(pool.open)
    pool.open[slot, AMOUNT] = amount
    pool.open[slot, FROM] = start
    pool.open[slot, DUE] = due
    counts[SIZE] += 1


@kernel
def _close(pool: LeasePool, amount: int, start: int, now: int) -> None:
    """End a lease, or a part of one."""
    counts, billing = pool.counts, pool.terms.billing
    counts[RENTED] -= amount
    long = (now - start + billing - 1) // billing * billing
    beyond = float(amount) * long > NEVER - counts[PAID]
    counts[PAID] = NEVER if beyond else counts[PAID] + amount * long
    if counts[KEEP] and amount > 0 and now > start:
        gone = pool.gone
        gone[counts[GONE], AMOUNT] = amount
        gone[counts[GONE], FROM] = start
        gone[counts[GONE], DUE] = now
        counts[GONE] += 1


@kernel
def _give_back(pool: LeasePool, now: int, amount: int) -> None:
    """Give back the newest leases."""
    counts, boot = pool.counts, pool.boot
    left = amount
    while left > 0:
        slot = (counts[HEAD] + counts[SIZE] - 1) % len(pool.open)
        part = min(left, pool.open[slot, AMOUNT])
        _close(pool, part, pool.open[slot, FROM], now)
        pool.open[slot, AMOUNT] -= part
        counts[SIZE] -= pool.open[slot, AMOUNT] == 0
        left -= part
    left = amount
    while left > 0 and counts[BOOTING] > 0:
        slot = (counts[BOOT_HEAD] + counts[BOOTING] - 1) % len(boot)
        part = min(left, boot[slot, AMOUNT])
        boot[slot, AMOUNT] -= part
        counts[BOOTING] -= boot[slot, AMOUNT] == 0
        left -= part
    counts[READY] -= left


@kernel
def _end_periods(pool: LeasePool, now: int, want: int, held: int) -> None:
    """Go through the leases whose period ends by now; give back what is too much at this tick.

    Those whose period ended before were needed then, or the pool would have been asked.
    """
    counts, terms = pool.counts, pool.terms
    laps = (now - pool.open[counts[HEAD], DUE]) // terms.billing if counts[SIZE] > 0 else 0
    for k in range(counts[SIZE] if laps > 1 else 0):
        # Whole rounds in which nobody asked are one step, so that long ones take no time.
        pool.open[(counts[HEAD] + k) % len(pool.open), DUE] += (laps - 1) * terms.billing
    while counts[SIZE] > 0 and pool.open[counts[HEAD], DUE] <= now:
        slot = counts[HEAD]
        amount, start, due = pool.open[slot, AMOUNT], pool.open[slot, FROM], pool.open[slot, DUE]
        counts[HEAD] = (slot + 1) % len(pool.open)
        counts[SIZE] -= 1
        if due == now and counts[RENTED] > want:
            part = min(amount, counts[RENTED] - want)
            if start + terms.provision > now:
                _cancel(pool, part, start + terms.provision)
            else:
                part = min(part, (counts[READY] - held) // terms.unit * terms.unit)
                counts[READY] -= part
            _close(pool, part, start, now)
            amount -= part
        if amount > 0:
            _append(pool, amount, start, due + terms.billing)


@kernel
def _cancel(pool: LeasePool, amount: int, usable: int) -> None:
    """Take GPUs off what is on its way until a tick."""
    slot = pool.counts[BOOT_HEAD]
    while pool.boot[slot, FROM] != usable:
        slot = (slot + 1) % len(pool.boot)
    pool.boot[slot, AMOUNT] -= amount
