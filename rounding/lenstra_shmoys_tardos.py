"""Rounding of an assignment such that no machine gets more than one job in addition.

Sources: J. K. Lenstra, D. B. Shmoys and E. Tardos, Approximation algorithms for scheduling
unrelated parallel machines, Mathematical Programming 46, 1990, for basic points; D. B. Shmoys and
E. Tardos, An approximation algorithm for the generalized assignment problem, Mathematical
Programming 62, 1993, for any point, by the slots used here. Rings over several machines are ours.

Job j puts ``shares[j, m]`` units on machine m, each of which loads it by ``work[j, m]``. Whole
units stay. The parts left on a machine are put into slots of one unit, the largest work first, a
part over two slots where need be. Then every unit left of a job goes into a slot in which it has
a part, on different machines, and no slot takes two: a flow, which exists because the parts are
one in fractions.

Theorem. The load of machine m becomes at most that of the shares plus the largest ``work[j, m]``
among their parts. If the shares keep a limit T, and no job with a part on a machine takes longer
than T there, loads are at most 2 T; with the least such T, that is twice the least largest load.
Proof: docs/makespan/lp-rounding.md.
"""

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_flow

from .shares import PARTS, Floats, Ints, whole_and_parts


def round_by_slots(shares: Floats, work: Floats) -> Ints:
    """Return whole units for each job and machine."""
    whole, parts = whole_and_parts(shares)
    jobs, machines = np.nonzero(parts)
    if jobs.size:
        taken = _matched(jobs, parts.sum(axis=1) // PARTS, *_slots(parts, work))
        whole[jobs[taken], machines[taken]] += 1
    return whole


def load_bounds(shares: Floats, work: Floats) -> Floats:
    """Return for each machine what its load is at most."""
    whole, parts = whole_and_parts(shares)
    largest = np.where(parts > 0, work, 0.0).max(axis=0)
    return np.asarray(((whole + parts / PARTS) * work).sum(axis=0) + largest, dtype=np.float64)


def _slots(parts: Ints, work: Floats) -> tuple[Ints, Ints]:
    """Return parts, by number along the rows, and the slots that each of them reaches into."""
    number = np.cumsum(parts > 0).reshape(parts.shape) - 1
    held, slots, count = [], [], 0
    for machine in range(parts.shape[1]):
        jobs = np.flatnonzero(parts[:, machine])
        jobs = jobs[np.argsort(-work[jobs, machine], kind="stable")]
        amounts = parts[jobs, machine]
        upto = np.cumsum(amounts)
        first, last = (upto - amounts) // PARTS, (upto - 1) // PARTS
        two = last > first
        held += [number[jobs, machine], number[jobs[two], machine]]
        slots += [first + count, last[two] + count]
        count += int(last.max(initial=-1)) + 1
    return np.concatenate(held), np.concatenate(slots)


def _matched(jobs: Ints, units: Ints, held: Ints, slots: Ints) -> Ints:
    """Return the parts that become units: those of the flow from jobs over parts into slots."""
    first_part, first_slot = 1 + units.size, 1 + units.size + jobs.size
    sink = first_slot + int(slots.max()) + 1
    parts, filled = first_part + np.arange(jobs.size), first_slot + np.unique(slots)
    tails = [np.zeros_like(units), 1 + jobs, first_part + held, filled]
    heads = [1 + np.arange(units.size), parts, first_slot + slots, np.full_like(filled, sink)]
    most = np.concatenate([units, np.ones(jobs.size + held.size + filled.size, dtype=np.int64)])
    places = (np.concatenate(tails), np.concatenate(heads))
    network = csr_array((most.astype(np.int32), places), shape=(sink + 1, sink + 1))
    flow = csr_array(maximum_flow(network, 0, sink).flow)
    return np.flatnonzero(np.asarray(flow[1 + jobs, parts]) > 0)
