"""The two events, a job starts or a job ends, and the contention that follows.

Each model is a kernel called after a ring took its links or left them. `recompute` picks it. A new
model adds its record to `instances/cluster.py`, its kernel here, and its exact equivalent to the
judge.

Max-min fair sharing of links by progressive filling, with a bound on its rounding errors.

The remaining width of a link is known up to its `error`. Links that may give their rings the least,
as far as that shows, are filled together. docs/project/engine.md proves the bound.
"""

import numpy as np

from .heaps import put
from .jit import kernel
from .model import FLUID, MAX_WORKERS, PAPER, UNEQUAL, Ints, Model
from .progress import ROUNDING, SAME, in_doubt, set_factor
from .state import State, cross, uncross

LOST = 2 * 2.0**-53
"""Bound on the error of one operation on a link's remaining width as a part of the width."""

MORE = 1.0 + 1e-6
"""Error bounds are made this much larger, since they are rounded themselves."""


@kernel
def share_links(model: Model, state: State, job: int, now: float) -> None:
    """Give max-min fair rates to the part of the network that `job` can influence."""
    links, parts = _connect(model, state, job), model.width_parts
    while True:
        links, full, level = _tightest(state, links)
        if links == 0:
            return
        error, most, least = 0.0, 1, state.loads[state.links[0]].unfilled
        for i in range(full):
            load = state.loads[state.links[i]]
            error = max(error, load.error / load.unfilled * MORE)
            most, least = max(most, load.unfilled), min(least, load.unfilled)
        if full == 1 or 4.0 * error * parts * most * most < 1.0:
            parts *= least
        else:
            error, parts = 4.0 * most * error * MORE, np.inf
        level = max(level, error)
        for i in range(full):
            _fill(model, state, state.links[i], level, error, now)


@kernel
def _fill(model: Model, state: State, link: int, level: float, error: float, now: float) -> None:
    """Give all rings of a link that are not filled yet the same share, known up to `error`."""
    k, stamp = state.loads[link].head, state.counters[0].stamp
    while k >= 0:
        ring = state.crossings[k].owner
        k = state.crossings[k].after
        run = state.runs[ring]
        if run.mark != stamp:
            continue
        run.mark = 0
        for c in range(run.first, run.first + run.crossings):
            load = state.loads[state.crossings[c].link]
            load.width = max(0.0, load.width - level)
            load.error += error
            load.unfilled -= 1
        run.shared = max(run.shared, 4.0 * (SAME + error / level))
        if in_doubt(run) or abs(run.factor * level - 1.0) > SAME:
            set_factor(model, state, ring, 1.0 / level, now)


@kernel
def _tightest(state: State, links: int) -> tuple[int, int, float]:
    """Put the links that may be tightest in front, and drop those without unfilled rings.

    Returns how many are left, how many may be tightest, and the share that one of these gives.
    """
    most, level, left = np.inf, 0.0, 0
    for i in range(links):
        link = state.links[i]
        load = state.loads[link]
        if load.unfilled > 0:
            state.links[left] = link
            left += 1
            if load.width + load.error < most * load.unfilled:
                most = (load.width + load.error) / load.unfilled
                level = load.width / load.unfilled
    full = 0
    for i in range(left):
        link = state.links[i]
        load = state.loads[link]
        if load.width - load.error <= most * load.unfilled:
            state.links[i], state.links[full] = state.links[full], link
            full += 1
    return left, full, level


@kernel
def _connect(model: Model, state: State, job: int) -> int:
    """Put the links joined to those of `job` through rings in `links`, and return their number."""
    state.counters[0].stamp += 1
    stamp, seen, links = state.counters[0].stamp, 0, _add_links(model, state, job, 0)
    while seen < links:
        k = state.loads[state.links[seen]].head
        seen += 1
        while k >= 0:
            ring = state.crossings[k].owner
            k = state.crossings[k].after
            if state.runs[ring].mark != stamp:
                state.runs[ring].mark = stamp
                links = _add_links(model, state, ring, links)
    return links


@kernel
def _add_links(model: Model, state: State, ring: int, links: int) -> int:
    """Put the links of a ring behind the first `links`, unless they are there or empty."""
    first = state.runs[ring].first
    for c in range(first, first + state.runs[ring].crossings):
        link = state.crossings[c].link
        load = state.loads[link]
        if load.unfilled <= 0 and load.rings > 0:
            load.width, load.unfilled = model.links[link].width, load.rings
            load.error = LOST * (load.rings + 2) * load.width
            state.links[links] = link
            links += 1
    return links


@kernel
def recompute(model: Model, state: State, job: int, now: float, joined: bool) -> None:
    """Update every running ring that shares a link with the ring of `job`."""
    if model.contention == FLUID:
        share_links(model, state, job, now)
    elif model.contention == UNEQUAL:
        _slowest_uplink(model, state, job, now)
    else:
        _busiest_uplink(model, state, job, now, joined)


@kernel
def _busiest_uplink(model: Model, state: State, job: int, now: float, joined: bool) -> None:
    """Equations (6) and (7): the server with the most spread rings sets the pace."""
    state.counters[0].stamp += 1
    stamp = state.counters[0].stamp
    first = state.runs[job].first
    for c in range(first, first + state.runs[job].crossings):
        load = state.loads[state.crossings[c].link]
        k = load.head
        while k >= 0:
            ring = state.crossings[k].owner
            k = state.crossings[k].after
            run = state.runs[ring]
            if run.mark == stamp or (
                run.most >= load.rings if joined else run.most != load.rings + 1
            ):
                continue
            run.mark = stamp
            most = _busiest(state, ring)
            if most == run.most:
                continue
            run.most = most
            factor = model.slowdowns[most]
            if in_doubt(run) or factor != run.factor:
                set_factor(model, state, ring, factor, now)


@kernel
def _busiest(state: State, ring: int) -> int:
    first, most = state.runs[ring].first, 1
    for d in range(first, first + state.runs[ring].crossings):
        most = max(most, state.loads[state.crossings[d].link].rings)
    return most


@kernel
def _slowest_uplink(model: Model, state: State, job: int, now: float) -> None:
    """Equations (6) and (7) for unequal uplinks: the server with the largest slowdown counts."""
    state.counters[0].stamp += 1
    stamp, first = state.counters[0].stamp, state.runs[job].first
    for c in range(first, first + state.runs[job].crossings):
        k = state.loads[state.crossings[c].link].head
        while k >= 0:
            ring = state.crossings[k].owner
            k = state.crossings[k].after
            run = state.runs[ring]
            if run.mark == stamp:
                continue
            run.mark, factor = stamp, 0.0
            for d in range(run.first, run.first + run.crossings):
                link = state.crossings[d].link
                rings = model.links[link].row + state.loads[link].rings
                factor = max(factor, model.slowdowns[rings])
            if in_doubt(run) or factor != run.factor:
                set_factor(model, state, ring, factor, now)


@kernel
def start_job(
    model: Model, state: State, job: int, servers: Ints, pieces: Ints, a: int, b: int, now: float
) -> None:
    """Start `job` at `now` with ``pieces[i]`` GPUs on ``servers[i]`` for i from a to b - 1."""
    touched, most = b - a, 0
    for i in range(a, b):
        state.loads[servers[i]].free -= pieces[i]
        most = max(most, pieces[i])
    run, fixed = state.runs[job], model.jobs[job]
    run.start = now
    run.since = now
    run.first = state.counters[0].used
    alone, spread_s = fixed.alone, fixed.spread_s
    if model.kinds.size > 0:
        own = model.kinds[fixed.number, model.links[servers[a]].kind]
        alone, spread_s = own.alone, own.spread_s
    if touched == 1:
        put(state, job, now + alone)
        return
    run.units = 1
    if model.overhead == PAPER:
        run.units = touched
    elif model.overhead == MAX_WORKERS:
        run.units = most
    run.fixed_s = spread_s + run.units * model.overhead_s
    run.error, run.shared, run.margin, run.denominator = ROUNDING, 0.0, np.inf, 1.0
    run.factor, run.most = 0.0, 0
    take_links(model, state, job, servers, a, b)
    recompute(model, state, job, now, True)


@kernel
def take_links(model: Model, state: State, job: int, servers: Ints, a: int, b: int) -> None:
    """Let the ring of `job` cross the links between the servers ``a .. b - 1`` of a list."""
    for i in range(a, b):
        cross(state, job, servers[i])
    if model.contention == FLUID:
        leaves, spines = False, False
        first = model.links[servers[a]]
        for i in range(a, b):
            leaves = leaves or model.links[servers[i]].leaf != first.leaf
            spines = spines or model.links[servers[i]].spine != first.spine
        for i in range(a, b):
            if leaves:
                _cross_once(state, job, model.links[servers[i]].leaf)
            if spines:
                _cross_once(state, job, model.links[servers[i]].spine)


@kernel
def _cross_once(state: State, job: int, link: int) -> None:
    for c in range(state.runs[job].first, state.counters[0].used):
        if state.crossings[c].link == link:
            return
    cross(state, job, link)


@kernel
def end_job(
    model: Model, state: State, job: int, servers: Ints, pieces: Ints, a: int, b: int
) -> None:
    """Let `job` end when it is due, giving back its GPUs, given as in `start_job`."""
    now = state.runs[job].due
    state.runs[job].end = now
    for i in range(a, b):
        state.loads[servers[i]].free += pieces[i]
    if state.runs[job].crossings > 0:
        uncross(state, job)
        recompute(model, state, job, now, False)
