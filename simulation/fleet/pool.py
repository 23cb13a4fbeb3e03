"""The pool of leases: GPUs are requested, become usable, and are given back.

If leases are billed by the tick, surplus leases are returned at once, newest first, starting with
the pending ones. Otherwise a lease is paid for until its period ends, so it stays. A ring holds the
leases in order of that end.
"""

from typing import NamedTuple

import numpy as np

from ..jit import entry, kernel, record
from ..model import Records
from .stream import Terms

NEVER = 2**62
"""No tick, or a payment too large to be counted."""

COUNTS = record("head size boot_head booting gone rented ready paid since area keep")
"""The rings, the number of ended leases, GPUs rented and usable, the payment, the integral of
rented GPUs until a tick, and whether the log is kept."""

LEASE = record("amount start due")
"""A lease: its GPUs, the ticks at which it begins and at which its period ends."""


class LeasePool(NamedTuple):
    """Leases: open, on their way (`start` is when they are usable), and ended."""

    open: Records
    boot: Records
    gone: Records
    counts: Records
    terms: Terms


def new_pool(terms: Terms, *, keep: bool) -> LeasePool:
    """Return an empty pool. With `keep`, it remembers ended leases."""
    counts = np.zeros(1, COUNTS)
    counts["keep"] = keep
    leases = np.zeros((3, 64), LEASE)
    return LeasePool(leases[0], leases[1], leases[2], counts, terms)


def enlarged(pool: LeasePool) -> LeasePool:
    """Return the same with twice the room."""
    counts = pool.counts[0]

    def twice(ring: Records, head: int, size: int) -> Records:
        rows = ring[(head + np.arange(size)) % len(ring)]
        return np.concatenate([rows, np.zeros(2 * len(ring) - size, LEASE)])

    larger = pool._replace(
        open=twice(pool.open, counts["head"], counts["size"]),
        boot=twice(pool.boot, counts["boot_head"], counts["booting"]),
        gone=twice(pool.gone, 0, counts["gone"]),
    )
    counts["head"] = counts["boot_head"] = 0
    return larger


@kernel
def tight(pool: LeasePool) -> bool:
    """Return True if the next step could need more room."""
    counts, room = pool.counts[0], len(pool.open)
    most = max(counts.size, counts.booting)
    return bool(most + 4 > room or (counts.keep and counts.gone + counts.size + 4 > room))


@entry
def ripe(pool: LeasePool, now: int) -> int:
    """Let leases become usable that are by a tick, and return the usable GPUs."""
    _ripen(pool, now)
    return int(pool.counts[0].ready)


@kernel
def rounded(terms: Terms, need: int) -> int:
    """Return the least that can be leased for a need."""
    return (need + terms.unit - 1) // terms.unit * terms.unit


@kernel
def next_change(pool: LeasePool, need: int) -> int:
    """Return the next tick at which leases become usable or may be given back."""
    counts, tick = pool.counts[0], NEVER
    if counts.booting > 0:
        tick = pool.boot[counts.boot_head].start
    if pool.terms.billing > 1 and counts.rented > rounded(pool.terms, need):
        tick = min(tick, pool.open[counts.head].due)
    return int(tick)


@kernel
def follow(pool: LeasePool, now: int, need: int, held: int) -> None:
    """Let the pool follow the need at a tick, once. Held GPUs stay usable."""
    counts = pool.counts[0]
    counts.area += counts.rented * (now - counts.since)
    counts.since = now
    _ripen(pool, now)
    want = rounded(pool.terms, need)
    if pool.terms.billing > 1:
        _end_periods(pool, now, want, held)
    elif want < counts.rented:
        _give_back(pool, now, counts.rented - want)
    if want > counts.rented:
        _request(pool, now, want - counts.rented)


@kernel
def _ripen(pool: LeasePool, now: int) -> None:
    """Make leases usable that arrive now."""
    counts, boot = pool.counts[0], pool.boot
    while counts.booting > 0 and boot[counts.boot_head].start <= now:
        counts.ready += boot[counts.boot_head].amount
        counts.boot_head = (counts.boot_head + 1) % len(boot)
        counts.booting -= 1


@kernel
def _request(pool: LeasePool, now: int, amount: int) -> None:
    counts, terms = pool.counts[0], pool.terms
    _append(pool, amount, now, now + terms.billing)
    counts.rented += amount
    if terms.provision == 0:
        counts.ready += amount
        return
    slot = (counts.boot_head + counts.booting) % len(pool.boot)
    pool.boot[slot].amount = amount
    pool.boot[slot].start = now + terms.provision
    counts.booting += 1


@kernel
def _append(pool: LeasePool, amount: int, start: int, due: int) -> None:
    counts = pool.counts[0]
    slot = (counts.head + counts.size) % len(pool.open)
    lease = pool.open[slot]
    lease.amount, lease.start, lease.due = amount, start, due
    counts.size += 1


@kernel
def _close(pool: LeasePool, amount: int, start: int, now: int) -> None:
    """End a lease, or a part of one."""
    counts, billing = pool.counts[0], pool.terms.billing
    counts.rented -= amount
    long = (now - start + billing - 1) // billing * billing
    beyond = float(amount) * long > NEVER - counts.paid
    counts.paid = NEVER if beyond else counts.paid + amount * long
    if counts.keep and amount > 0 and now > start:
        lease = pool.gone[counts.gone]
        lease.amount, lease.start, lease.due = amount, start, now
        counts.gone += 1


@kernel
def _give_back(pool: LeasePool, now: int, amount: int) -> None:
    """Give back the newest leases."""
    counts, boot = pool.counts[0], pool.boot
    left = amount
    while left > 0:
        slot = (counts.head + counts.size - 1) % len(pool.open)
        part = min(left, pool.open[slot].amount)
        _close(pool, part, pool.open[slot].start, now)
        pool.open[slot].amount -= part
        counts.size -= pool.open[slot].amount == 0
        left -= part
    left = amount
    while left > 0 and counts.booting > 0:
        slot = (counts.boot_head + counts.booting - 1) % len(boot)
        part = min(left, boot[slot].amount)
        boot[slot].amount -= part
        counts.booting -= boot[slot].amount == 0
        left -= part
    counts.ready -= left


@kernel
def _end_periods(pool: LeasePool, now: int, want: int, held: int) -> None:
    """Go through the leases whose period ends by now, and return surplus leases at this tick.

    Leases whose period ended before were needed then, or the pool would have run before.
    """
    counts, terms = pool.counts[0], pool.terms
    laps = (now - pool.open[counts.head].due) // terms.billing if counts.size > 0 else 0
    for k in range(counts.size if laps > 1 else 0):
        # Whole rounds without a request are one step, so that long ones take no time.
        pool.open[(counts.head + k) % len(pool.open)].due += (laps - 1) * terms.billing
    while counts.size > 0 and pool.open[counts.head].due <= now:
        slot = counts.head
        amount, start, due = pool.open[slot].amount, pool.open[slot].start, pool.open[slot].due
        counts.head = (slot + 1) % len(pool.open)
        counts.size -= 1
        if due == now and counts.rented > want:
            part = min(amount, counts.rented - want)
            if start + terms.provision > now:
                _cancel(pool, part, start + terms.provision)
            else:
                part = min(part, (counts.ready - held) // terms.unit * terms.unit)
                counts.ready -= part
            _close(pool, part, start, now)
            amount -= part
        if amount > 0:
            _append(pool, amount, start, due + terms.billing)


@kernel
def _cancel(pool: LeasePool, amount: int, usable: int) -> None:
    """Cancel GPUs that would arrive by a tick."""
    slot = pool.counts[0].boot_head
    while pool.boot[slot].start != usable:
        slot = (slot + 1) % len(pool.boot)
    pool.boot[slot].amount -= amount


full, turn, next_turn = entry(tight), entry(follow), entry(next_change)
"""Kernels as Python calls them."""
