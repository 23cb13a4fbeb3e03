"""Plans that send updates in an order, rules that order jobs on one machine, and baselines.

A draft grows from the front, send by send, and keeps all rules on the way. Updates are jobs on one
machine if the last link to the server is the narrowest of every route. Proofs:
`docs/theory/transfers-bounds.md`.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from heapq import heapify, heappop, heappush, heapreplace
from typing import NamedTuple

from ...instances import (
    Incumbent,
    Limits,
    Outcome,
    Send,
    TerminationReason,
    TransferPlan,
    TransfersInstance,
    digest,
)
from ...instances.transfers import Sharing, Target
from ...simulation.transfers.network import (
    AppliedUpdates,
    Arrival,
    Network,
    Role,
    apply_in_turn,
    flows_of,
)
from ...simulation.transfers.replay import Ordered, moments, norm_of, replay, room_of, value_of
from ..request import NoOptions, Request, Scheduler, outcome_of

NAMED = 8
"""Dropped updates that a note names."""


class Breach(NamedTuple):
    """An update that breaks a rule: when it is applied, if ever, and its excess of places.

    There is no excess if the rule is not staleness.
    """

    update: str
    at: Fraction | None
    places: int


class Draft:
    """An ordered plan and its result.

    A send goes behind the earlier ones and never delays their arrival. It may arrive earlier than
    they do, and is then applied behind it.
    """

    def __init__(self, network: Network) -> None:
        """Start with an empty plan."""
        self.network = network
        self.sends: list[Send] = []
        self._ordered = Ordered(network)
        self._ends: list[Fraction] = []
        self._arrivals: list[Arrival] = []
        self._queue = AppliedUpdates([], [], Fraction(0))

    @property
    def value(self) -> Fraction:
        """The objective of the plan."""
        return value_of(self.network.instance, self.moments())

    def moments(self) -> dict[str, Fraction]:
        """Return when updates are applied, in this order."""
        return moments(self.sends, self._queue)

    @property
    def last(self) -> str:
        """The decisive update: a dropped one, or else the last one."""
        applied = list(self.moments())
        missing = (name for name in self.network.updates if name not in set(applied))
        return next(missing, applied[-1] if applied else "")

    def add(self, *sends: Send, worth: bool = False) -> bool:
        """Append sends if no rule is broken, and return True if they were appended.

        With `worth`, they must also be applied by the moment used for dropped ones.
        """
        laid = self.laid(*sends)
        if next(laid.broken(worth=worth), None) is not None:
            return False
        self.sends, self._arrivals, self._queue = laid.sends, laid._arrivals, laid._queue
        self._ordered, self._ends = laid._ordered, laid._ends
        return True

    def laid(self, *sends: Send) -> "Draft":
        """Return the plan with appended sends, regardless of broken rules."""
        ordered, ends, arrivals = self._ordered.copy(), [*self._ends], [*self._arrivals]
        now = [*self.sends, *sends]
        for number in range(len(self.sends), len(now)):
            arrives: dict[Role, Fraction] = {}
            for flow in flows_of(self.network, number, now[number], len(ends)):
                ends.append(ordered.lay(flow, ends).stop)
                arrives[flow.role] = ends[-1]
            norm = norm_of(self.network, now[number])
            arrivals.append(Arrival(arrives["server"], arrives.get("replica"), norm))
        queue = apply_in_turn(arrivals, room_of(self.network.instance))
        laid = Draft(self.network)
        laid.sends, laid._arrivals, laid._queue = now, arrivals, queue
        laid._ordered, laid._ends = ordered, ends
        return laid

    def broken(self, *, worth: bool = False) -> Iterator[Breach]:
        """Yield the updates that break a rule, with `worth` as in `add`."""
        return broken(self.network, self.sends, self._queue, worth=worth)

    def arrival(self, name: str) -> Fraction:
        """Return when an update would arrive if it were sent next, directly."""
        update, instance = self.network.updates[name], self.network.instance
        route, start = self.network.route(update.worker, instance.server), Fraction(update.ready_s)
        pieces = self._ordered.pieces(route, self.network.sizes[name], start)
        return pieces[-1].stop if pieces else start


def broken(
    network: Network, sends: Sequence[Send], queue: AppliedUpdates, *, worth: bool = False
) -> Iterator[Breach]:
    """Yield updates that are applied too late, or never, or would be too stale.

    With `worth`, a moment after the one used for dropped updates is also too late.
    """
    staleness = network.instance.staleness
    last = Fraction(network.instance.drop_s) if worth else None
    before = 0
    for i, at in zip(queue.order, queue.at, strict=True):
        for name in sends[i].updates:
            update = network.updates[name]
            places = 0 if staleness is None else max(0, update.behind + before - staleness)
            late = update.due_s is not None and at > update.due_s
            if places or late or (last is not None and at > last):
                yield Breach(name, at, places)
        before += len(sends[i].updates)
    for i in set(range(len(sends))).difference(queue.order):
        yield from (Breach(name, None, 0) for name in sends[i].updates)


def drafted(network: Network, sends: Sequence[Send], *, worth: bool = False) -> Draft:
    """Return the plan that appends sends in turn. Sends that break rules are retried last.

    There the updates of several are tried one by one.
    """
    draft = Draft(network)
    if draft.add(*sends, worth=worth):  # Each one keeps the rules in its turn.
        return draft
    left = [send for send in sends if not draft.add(send, worth=worth)]
    for send in left:
        for name in send.updates:
            draft.add(replace(send, updates=(name,), via=None), worth=worth)
    return draft


def usual(instance: TransfersInstance) -> Target:
    """Return where updates go if copies are not thought about: all to both if any must."""
    return "server" if instance.divergence is None else "both"


def singly(network: Network, names: Iterable[str], *, worth: bool = False) -> Draft:
    """Return the plan that sends updates directly, in turn."""
    to = usual(network.instance)
    return drafted(network, [Send(updates=(name,), to=to) for name in names], worth=worth)


def best_of(drafts: Iterable[Draft], method: str, limits: Limits) -> Outcome:
    """Return the best of some plans, the first on ties, until the time limit."""
    best: Draft | None = None
    termination = TerminationReason.DONE
    for draft in drafts:
        if best is None or draft.value < best.value:
            best = draft
            plan = plan_of(draft.network.instance, draft.sends, method)
            limits.report(Incumbent(schedule=plan, value=float(draft.value)))
        if limits.over():
            termination = TerminationReason.TIME_LIMIT
            break
    assert best is not None
    return answer(best.network.instance, best.sends, method, termination=termination)


def plan_of(
    instance: TransfersInstance, sends: Iterable[Send], method: str, sharing: Sharing = "ordered"
) -> TransferPlan:
    """Return the plan with these sends."""
    return TransferPlan(
        instance=instance.name,
        digest=digest(instance),
        method=method,
        sharing=sharing,
        sends=tuple(sends),
    )


def answer(
    instance: TransfersInstance,
    sends: Sequence[Send],
    method: str,
    *,
    sharing: Sharing = "ordered",
    termination: TerminationReason = TerminationReason.DONE,
) -> Outcome:
    """Return the plan with these sends as an outcome that lists the dropped updates."""
    sent = {name for send in sends for name in send.updates}
    dropped = [one.name for one in instance.updates if one.name not in sent]
    note = ""
    if dropped:
        more = len(dropped) - NAMED
        named = ", ".join(dropped[:NAMED]) + (f" and {more} more" if more > 0 else "")
        note = f"dropped {len(dropped)} of {len(instance.updates)}: {named}"
    return outcome_of(plan_of(instance, sends, method, sharing), termination, note)


Durations = Sequence[Fraction]


def moore_hodgson(durations: Durations, dues: Sequence[Fraction | None]) -> list[int]:
    """Return the most jobs that can all end by their due dates, in due-date order.

    If the jobs due are too long, the longest so far is left out (Moore 1968).
    """
    return _most(durations, durations, dues)


def by_positions(durations: Durations, places: Sequence[int | None]) -> list[int]:
    """Return the most jobs that can each have at most `places` predecessors, in the best order.

    If too many jobs must come early, the longest so far is left out. The sum of ends is least for
    the kept jobs. Another set of equally many jobs may have a smaller sum.
    """
    ends = [None if place is None else Fraction(place + 1) for place in places]
    kept = _most(durations, [Fraction(1)] * len(ends), ends)
    order = smith([durations[i] for i in kept], [places[i] for i in kept], [None] * len(kept))
    return [kept[i] for i in order or ()]


def smith(
    durations: Durations, places: Sequence[int | None], dues: Sequence[Fraction | None]
) -> list[int] | None:
    """Return the order of all jobs with the least sum of ends, or None if it is infeasible.

    A job has at most `places` predecessors, and ends by its due date. From the back, the longest
    job that may end there gets each place (Smith 1956).

    Proof: if another job y is last and the longest job x may be, exchange them. Then y ends
    earlier, the jobs between move by p_y - p_x <= 0, and x ends when all is done.
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
    """Return the most jobs that can all be in time. The longest are left out first."""
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
    """Return updates by their time when sent alone, shortest first."""
    server, names = network.instance.server, list(network.updates)
    return sorted(names, key=lambda name: network.alone_s(name, server))


def longest(network: Network) -> list[str]:
    """Return updates by their latest arrival when sent alone, latest first."""
    server, updates = network.instance.server, network.updates
    return sorted(
        updates,
        key=lambda name: Fraction(updates[name].ready_s) + network.alone_s(name, server),
        reverse=True,
    )


def in_time(network: Network) -> list[str]:
    """Return the most updates that one link can bring in time, in their best order.

    It is the last link to the server, with all updates ready. Other links may still be slower.
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
        [takes[i] for i in kept], [places(instance)[i] for i in kept], [dues[i] for i in kept]
    )
    best = kept if order is None else [kept[i] for i in order]
    return [names[i] for i in best] + [name for i, name in enumerate(names) if i not in set(best)]


def places(instance: TransfersInstance) -> list[int | None]:
    """Return how many updates may be applied before each."""
    if instance.staleness is None:
        return [None] * len(instance.updates)
    return [instance.staleness - one.behind for one in instance.updates]


def soonest(network: Network) -> list[str]:
    """Return updates in the order of greedy earliest arrival.

    If just enough places are left for updates that must come early, the next is one of these.
    Predecessors can only delay an update, so an earlier arrival is a lower bound, and few updates
    need a second evaluation.
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
    """Return updates that must fill the places from here on, empty if any update may be next."""
    limited = sorted((spot, name) for name, spot in spots.items() if spot is not None)
    for count, (spot, _) in enumerate(limited, 1):
        if place + count > spot and count < len(spots):
            return {name for other, name in limited if other <= spot}
    return set()


def by_order(name: str, order: Callable[[Network], list[str]]) -> Scheduler:
    """Return the method that sends updates directly in an order.

    What would break a rule is dropped, and all is copied if any must be.
    """

    def run(instance: TransfersInstance, request: Request[NoOptions]) -> Outcome:
        network = Network.of(instance)
        return answer(instance, singly(network, order(network)).sends, name)

    return Scheduler(run=run)


FIFO = by_order("fifo", as_ready)
SHORTEST_FIRST = by_order("shortest-first", shortest)


def run_fair(instance: TransfersInstance, request: Request[NoOptions]) -> Outcome:
    """Return the plan. Updates that break a rule are dropped until all rules are kept.

    Everything is copied if any copy must be. The result is deterministic.
    """
    try:
        return _in_fair_shares(instance, request.limits)
    except TimeoutError as late:
        return outcome_of(None, TerminationReason.TIME_LIMIT, str(late))


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
