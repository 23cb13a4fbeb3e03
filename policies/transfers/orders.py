"""Orders of updates, rules that order jobs on one machine, and the plans of an order alone.

Updates are such jobs when the last link to the server is the narrowest of every way. Proofs:
`docs/theory/transfers-bounds.md`.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from heapq import heapify, heappop, heappush, heapreplace

from ...instances import Limits, Outcome, Send, SolutionStatus, TerminationReason, TransfersInstance
from ...simulation.transfers.network import Network, apply_in_turn
from ...simulation.transfers.replay import replay, room_of
from ..request import NoOptions, Request, Scheduler
from .draft import Draft, answer, broken, plan_of, singly, usual

Durations = Sequence[Fraction]


def moore_hodgson(durations: Durations, dues: Sequence[Fraction | None]) -> list[int]:
    """Return the most jobs that can all end when they are due, in the order of that.

    Where too much is due, the longest so far is left out (Moore 1968).
    """
    return _most(durations, durations, dues)


def by_positions(durations: Durations, places: Sequence[int | None]) -> list[int]:
    """Return the most jobs that can all have so few before them, in their best order.

    Where too many have to come early, the longest so far is left out. Of those that are kept the
    sum of the ends is least; other jobs, as many, may have a smaller one.
    """
    ends = [None if place is None else Fraction(place + 1) for place in places]
    kept = _most(durations, [Fraction(1)] * len(ends), ends)
    order = smith([durations[i] for i in kept], [places[i] for i in kept], [None] * len(kept))
    return [kept[i] for i in order or ()]


def smith(
    durations: Durations, places: Sequence[int | None], dues: Sequence[Fraction | None]
) -> list[int] | None:
    """Return the order of all jobs with the least sum of ends; None if none keeps the limits.

    A job has no more than `places` before it, and ends when it is due. From the back, the longest
    job that may end there takes each place (Smith 1956).
    """
    total, left = sum(durations, Fraction(0)), set(range(len(durations)))
    order: list[int] = []
    while left:
        last = len(left) - 1
        may = [i for i in left if _within(last, places[i]) and _within(total, dues[i])]
        if not may:
            return None
        order.append(max(may, key=lambda i: (durations[i], i)))
        left.remove(order[-1])
        total -= durations[order[-1]]
    return order[::-1]


def _most(
    durations: Durations, takes: Sequence[Fraction], dues: Sequence[Fraction | None]
) -> list[int]:
    """Return the most jobs that take so much and are due then; the longest go first."""
    kept: set[int] = set()
    longest: list[tuple[Fraction, int]] = []
    used = Fraction(0)
    order = sorted(range(len(dues)), key=lambda i: _late(dues[i]))
    for i in order:
        kept.add(i)
        heappush(longest, (-durations[i], -i))
        used += takes[i]
        if not _within(used, dues[i]):
            out = -heappop(longest)[1]
            kept.remove(out)
            used -= takes[out]
    return [i for i in order if i in kept]


def _within(amount: Fraction | int, most: Fraction | int | None) -> bool:
    return most is None or amount <= most


def _late(due: Fraction | None) -> tuple[bool, Fraction]:
    return due is None, due or Fraction(0)


Expected = tuple[Fraction, int, str]
"""When an update would arrive, its number and its name."""


def as_ready(network: Network) -> list[str]:
    """Return updates as they are ready."""
    return [one.name for one in sorted(network.instance.updates, key=lambda one: one.ready_s)]


def shortest(network: Network) -> list[str]:
    """Return updates with those first that take least time if nothing else is sent."""
    server, names = network.instance.server, list(network.updates)
    return sorted(names, key=lambda name: network.alone_s(name, server))


def longest(network: Network) -> list[str]:
    """Return updates with those first that could arrive last if nothing else is sent."""
    server, updates = network.instance.server, network.updates
    return sorted(
        updates,
        key=lambda name: Fraction(updates[name].ready_s) + network.alone_s(name, server),
        reverse=True,
    )


def in_time(network: Network) -> list[str]:
    """Return the most updates that one link can bring in time, in their best order.

    That is the last link to the server, as if all were ready; others may still be in its way.
    """
    instance, names = network.instance, list(network.updates)
    routes = [network.route(one.worker, instance.server) for one in instance.updates]
    takes = [
        Fraction(network.sizes[name], network.rates[route[-1]]) if route else Fraction(0)
        for name, route in zip(names, routes, strict=True)
    ]
    first = min(one.ready_s for one in instance.updates)
    dues = [None if one.due_s is None else Fraction(one.due_s - first) for one in instance.updates]
    kept = by_positions(takes, places(instance))
    kept = [kept[i] for i in moore_hodgson([takes[i] for i in kept], [dues[i] for i in kept])]
    order = smith(
        [takes[i] for i in kept],
        [places(instance)[i] for i in kept],
        [dues[i] for i in kept],
    )
    best = kept if order is None else [kept[i] for i in order]
    return [names[i] for i in best] + [name for i, name in enumerate(names) if i not in set(best)]


def places(instance: TransfersInstance) -> list[int | None]:
    """Return how many updates may be applied before each."""
    if instance.staleness is None:
        return [None] * len(instance.updates)
    return [instance.staleness - one.behind for one in instance.updates]


def soonest(network: Network) -> list[str]:
    """Return updates with the one next, always, that would then arrive first.

    Where just enough places are left for updates that must come early, the next is one of these.
    What goes before an update can only delay it, so an arrival known from before is a lower bound,
    and few need a second look.
    """
    instance, draft, to = network.instance, Draft(network), usual(network.instance)
    spots = dict(zip(network.updates, places(instance), strict=True))
    names = list(network.updates)
    alone = [network.alone_s(name, instance.server) for name in names]
    kept = {names[i] for i in by_positions(alone, list(spots.values()))}
    queue = [(draft.arrival(name), i, name) for i, name in enumerate(names) if name in kept]
    heapify(queue)
    order: list[str] = []
    while queue:
        urgent = _urgent(len(draft.sends), {name: spots[name] for _, _, name in queue})
        if urgent:
            chosen = min((draft.arrival(name), i, name) for _, i, name in queue if name in urgent)
            queue = [one for one in queue if one[2] != chosen[2]]
            heapify(queue)
        else:
            chosen = _first(draft, queue)
        name = chosen[2]
        draft.add(Send(updates=(name,), to=to), worth=True)
        order.append(name)
    return order + [name for name in names if name not in kept]


def _first(draft: Draft, queue: list[Expected]) -> Expected:
    """Take the update that would arrive first from a heap of lower bounds."""
    while True:
        _, i, name = queue[0]
        now = (draft.arrival(name), i, name)
        if now <= min(queue[1:3], default=now):
            heappop(queue)
            return now
        heapreplace(queue, now)


def _urgent(place: int, spots: Mapping[str, int | None]) -> set[str]:
    """Return updates that must fill the places from this on, or nothing if any may come next."""
    limited = sorted((spot, name) for name, spot in spots.items() if spot is not None)
    for count, (spot, _) in enumerate(limited, 1):
        if place + count > spot and count < len(spots):
            return {name for other, name in limited if other <= spot}
    return set()


def run_fifo(instance: TransfersInstance, request: Request[NoOptions]) -> Outcome:
    """Return the plan; what would break a rule is dropped, and all is copied if any must be."""
    network = Network.of(instance)
    return answer(instance, singly(network, as_ready(network)).sends, "fifo")


FIFO = Scheduler(run=run_fifo)


def run_shortest_first(instance: TransfersInstance, request: Request[NoOptions]) -> Outcome:
    """Return the plan; what would break a rule is dropped, and all is copied if any must be."""
    network = Network.of(instance)
    return answer(instance, singly(network, shortest(network)).sends, "shortest-first")


SHORTEST_FIRST = Scheduler(run=run_shortest_first)


def run_fair(instance: TransfersInstance, request: Request[NoOptions]) -> Outcome:
    """Return the plan; updates that break a rule are dropped, until none does.

    All is copied if any must be. Nothing is random.
    """
    try:
        return _in_fair_shares(instance, request.limits)
    except TimeoutError as late:
        return Outcome(
            schedule=None,
            termination=TerminationReason.TIME_LIMIT,
            status=SolutionStatus.NOTHING,
            note=str(late),
        )


FAIR = Scheduler(run=run_fair)


def _in_fair_shares(instance: TransfersInstance, limits: Limits) -> Outcome:
    network, to = Network.of(instance), usual(instance)
    sends = [Send(updates=(name,), to=to) for name in as_ready(network)]
    while True:
        played = replay(instance, plan_of(instance, sends, "fair", "fair"), network, limits)
        queue = apply_in_turn(played.arrivals, room_of(instance))
        out = {one.update for one in broken(network, sends, queue)}
        if not out:
            return answer(instance, sends, "fair", sharing="fair")
        sends = [send for send in sends if send.updates[0] not in out]
