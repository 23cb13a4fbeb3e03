"""The GPUs of a job in a list schedule: servers listed by idle GPUs, and rules that choose.

A rule is a number below `RULES`. It has three parts: whether a job that fits in one server, but in
none just now, may spread (`EAGER`); the most rings on a server that a ring joins (its *cap*); and
the shape of the ring. A cap may have two steps, such as quiet first and anywhere else.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ....instances import FluidLinks, MakespanInstance
from ....simulation import Model
from ....simulation.jit import kernel, record
from ....simulation.makespan.evaluate import HeldPieces, new_holds
from ....simulation.model import Floats, Ints, Records, is_open, largest_open
from ....simulation.state import State

EAGER = 1
ANYWHERE = 1 << 40
FIRST = np.array([1, 2, 3, ANYWHERE, 1, 1, 2])
THEN = np.array([1, 2, 3, ANYWHERE, 2, ANYWHERE, ANYWHERE])
"""A ring goes where it is at most the n-th ring on every server; n is the first value, or the
second one if there is no room."""

CAPS = FIRST.size
FEWEST, EVEN, RACK = 0, 1, 2
"""Shapes: few servers, the emptiest first; few GPUs on each; one rack."""

RULES = 2 * CAPS * 3

LEVELS = 4
"""Idle GPUs are counted by the rings on their server: 0, 1, 2, more."""


def rule_of(cap: int, shape: int = FEWEST, eager: int = 0) -> int:
    """Return the number of a rule."""
    return eager + 2 * (cap + CAPS * shape)


ANY_LEAF = -1


class RingRequest(NamedTuple):
    """GPUs that a ring is to get on servers with fewer than `cap` rings, open to its group."""

    need: int
    group: int
    cap: int
    leaf: int
    """The leaf to stay under, or ANY_LEAF."""


LIST_TALLY = record("most used")
"""The most idle GPUs on one server, and the pieces used."""


class ServerLists(NamedTuple):
    """Servers in lists by their idle GPUs, and the pieces allocated so far.

    `quiet` are the idle GPUs by the rings on their server.
    """

    head: Ints
    after: Ints
    ahead: Ints
    tally: Records
    quiet: Ints
    holds: HeldPieces


def new_lists(model: Model) -> ServerLists:
    """Return empty lists."""
    most = int(model.links["gpus"][: model.servers].max())
    room = int(np.minimum(model.jobs["gpus"], model.servers).sum())
    return ServerLists(
        np.empty(most + 1, np.int64),
        np.empty(model.servers, np.int64),
        np.empty(model.servers, np.int64),
        np.zeros(1, LIST_TALLY),
        np.zeros(LEVELS, np.int64),
        new_holds(model, room),
    )


@kernel
def fill(state: State, lists: ServerLists) -> None:
    """Rebuild the lists of all servers."""
    lists.head[:] = -1
    tally = lists.tally[0]
    tally.most, tally.used = 0, 0
    lists.quiet[:] = 0
    for s in range(lists.after.size - 1, -1, -1):
        put_back(state, lists, s)


@kernel
def put_back(state: State, lists: ServerLists, server: int) -> None:
    """List `server` after an event there."""
    load = state.loads[server]
    behind = lists.head[load.free]
    lists.after[server], lists.ahead[server] = behind, -1
    if behind >= 0:
        lists.ahead[behind] = server
    lists.head[load.free] = server
    lists.quiet[min(load.rings, LEVELS - 1)] += load.free
    lists.tally[0].most = max(lists.tally[0].most, load.free)


@kernel
def take_off(state: State, lists: ServerLists, server: int) -> None:
    """Take `server` off its list before an event there."""
    load = state.loads[server]
    behind, front = lists.after[server], lists.ahead[server]
    if behind >= 0:
        lists.ahead[behind] = front
    if front >= 0:
        lists.after[front] = behind
    else:
        lists.head[load.free] = behind
    lists.quiet[min(load.rings, LEVELS - 1)] -= load.free


@kernel
def idle(lists: ServerLists, cap: int) -> int:
    """Return the idle GPUs on servers with fewer than `cap` rings, on all servers above 3."""
    found = 0
    for level in range(min(cap, LEVELS)):
        found += lists.quiet[level]
    return int(found)


@kernel
def choose(
    model: Model, state: State, lists: ServerLists, job: int, rule: int, largest: int
) -> int:
    """Choose GPUs for a job by its rule. Return where its pieces end, or their begin on failure."""
    tally = lists.tally[0]
    used, need, group = int(tally.used), model.jobs[job].gpus, model.jobs[job].group
    while tally.most > 0 and lists.head[tally.most] < 0:
        tally.most -= 1
    if need <= tally.most and _tightest(model, lists, need, group) > used:
        return used + 1
    if need <= largest and rule % 2 != EAGER:
        return used
    cap, shape = rule // 2 % CAPS, rule // 2 // CAPS
    end = _spread(model, state, lists, RingRequest(need, group, FIRST[cap], ANY_LEAF), shape)
    if end == used and THEN[cap] != FIRST[cap]:
        end = _spread(model, state, lists, RingRequest(need, group, THEN[cap], ANY_LEAF), shape)
    return end


@kernel
def _tightest(model: Model, lists: ServerLists, need: int, group: int) -> int:
    """Choose the server with the fewest GPUs left idle. Return where the pieces end."""
    used = int(lists.tally[0].used)
    for level in range(need, lists.tally[0].most + 1):
        s = lists.head[level]
        while s >= 0:
            if is_open(model, group, s):
                lists.holds.servers[used], lists.holds.pieces[used] = s, need
                return used + 1
            s = lists.after[s]
    return used


@kernel
def _spread(model: Model, state: State, lists: ServerLists, ring: RingRequest, shape: int) -> int:
    if ring.need > _idle_for(model, state, lists, ring):
        return int(lists.tally[0].used)
    if shape == EVEN:
        return _evenly(model, state, lists, ring)
    if shape == RACK:
        return _in_rack(model, state, lists, ring)
    return _fewest(model, state, lists, ring)


@kernel
def _idle_for(model: Model, state: State, lists: ServerLists, ring: RingRequest) -> int:
    """Return the idle GPUs on the servers that a ring may cross."""
    if ring.group == 0:
        return idle(lists, ring.cap)
    found = 0
    for s in range(model.servers):
        if _admits(model, state, ring, s):
            found += state.loads[s].free
    return int(found)


@kernel
def _admits(model: Model, state: State, ring: RingRequest, server: int) -> bool:
    quiet = state.loads[server].rings < ring.cap
    near = ring.leaf == ANY_LEAF or model.links[server].leaf == ring.leaf
    return bool(quiet and near and is_open(model, ring.group, server))


@kernel
def _fewest(model: Model, state: State, lists: ServerLists, ring: RingRequest) -> int:
    """Choose the emptiest servers, and for the last GPUs the tightest that holds them."""
    holds, a, need = lists.holds, int(lists.tally[0].used), ring.need
    used, level = a, lists.tally[0].most
    s = lists.head[level]
    while level > 0:
        if s < 0:
            level -= 1
            s = lists.head[level]
        elif not _admits(model, state, ring, s):
            s = lists.after[s]
        elif need > level:
            holds.servers[used], holds.pieces[used] = s, level
            need -= level
            used += 1
            s = lists.after[s]
        else:
            holds.servers[used] = _tighter(model, state, lists, ring, need, level, s)
            holds.pieces[used] = need
            return used + 1
    return a


@kernel
def _tighter(
    model: Model,
    state: State,
    lists: ServerLists,
    ring: RingRequest,
    need: int,
    level: int,
    server: int,
) -> int:
    """Return a server that holds `need` and has fewer than `level` idle, else `server`."""
    for tight in range(need, level):
        s = lists.head[tight]
        while s >= 0:
            if _admits(model, state, ring, s):
                return int(s)
            s = lists.after[s]
    return server


@kernel
def _evenly(model: Model, state: State, lists: ServerLists, ring: RingRequest) -> int:
    """Take as few GPUs as possible from the server that gives the most."""
    holds, need, height, held = lists.holds, ring.need, 0, 0
    while held < need:
        height += 1
        held = 0
        for s in range(lists.after.size):
            if _admits(model, state, ring, s):
                held += min(height, state.loads[s].free)
    used, level = int(lists.tally[0].used), lists.tally[0].most
    while need > 0:
        s = lists.head[level]
        while s >= 0 and need > 0:
            if _admits(model, state, ring, s):
                holds.servers[used], holds.pieces[used] = s, min(level, height, need)
                need -= holds.pieces[used]
                used += 1
            s = lists.after[s]
        level -= 1
    return used


@kernel
def _in_rack(model: Model, state: State, lists: ServerLists, ring: RingRequest) -> int:
    """Stay inside one rack, the fullest that has room."""
    best, least = -1, ANYWHERE
    for leaf in range(model.servers, model.links.size):
        room, inside = 0, RingRequest(ring.need, ring.group, ring.cap, leaf)
        for s in range(model.servers):
            if _admits(model, state, inside, s):
                room += state.loads[s].free
        if ring.need <= room < least:
            best, least = leaf, room
    if best < 0:
        return int(lists.tally[0].used)
    return _fewest(model, state, lists, RingRequest(ring.need, ring.group, ring.cap, best))


def orders(instance: MakespanInstance, least: Floats) -> list[Ints]:
    """Return orders by time, by time and size in several mixtures, and by size, descending.

    The last measure but one counts the servers that a job fills or breaks into.
    """
    gpus = np.array([job.gpus for job in instance.jobs], dtype=float)
    largest = max(server.gpus for server in instance.cluster.servers)
    release = np.array([float(job.release_slot) for job in instance.jobs])
    measures = [least * gpus**power for power in (0, 0.25, 0.5, 1)]
    measures += [least * np.ceil(gpus / largest), gpus]
    found = [np.lexsort((-gpus, -least, -measure)) for measure in measures]
    if release.any():
        found += [np.lexsort((-measure, release)) for measure in measures[:1]]
    return found


def spreading(instance: MakespanInstance) -> list[int]:
    """Return the rules for a ring across servers that make sense for this instance."""
    shapes = [FEWEST]
    if instance.overhead == "max_workers_per_server":
        shapes.append(EVEN)
    if isinstance(instance.contention, FluidLinks):
        shapes.append(RACK)
    return [rule_of(cap, shape) for shape in shapes for cap in range(CAPS)]


def beginnings(instance: MakespanInstance, least: Floats) -> Iterator[tuple[Ints, Ints]]:
    """Yield every order with every rule, the same for all jobs."""
    jobs, wide = len(instance.jobs), spreading(instance)
    spread = max(job.gpus for job in instance.jobs) > 1
    for order in orders(instance, least):
        for rule in [rule + eager for rule in wide for eager in (0, EAGER)] if spread else wide[:1]:
            yield order, np.full(jobs, rule, dtype=np.int64)


def menus(instance: MakespanInstance) -> tuple[Ints, Ints, Ints]:
    """Return rules, and for each job the begin and end of its range of them.

    A job larger than every server must spread. A smaller one may wait for a server. For a job of
    one GPU all rules are the same.
    """
    wide = spreading(instance)
    rules = wide + [wide[0]] * len(wide) + [rule + EAGER for rule in wide]
    n, begin, end = len(wide), [], []
    for job, largest in zip(instance.jobs, largest_open(instance), strict=True):
        small, single = job.gpus <= largest, job.gpus == 1
        begin.append(n if small else 0)
        end.append(n + 1 if single else 3 * n if small else n)
    return np.array(rules), np.array(begin), np.array(end)
