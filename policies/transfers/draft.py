"""Plans that grow from the front, send by send, and break no rule on the way."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import NamedTuple

from ...instances import (
    Incumbent,
    Limits,
    Outcome,
    Send,
    SolutionStatus,
    TerminationReason,
    TransferPlan,
    TransfersInstance,
    digest,
)
from ...instances.transfers import Sharing, Target
from ...simulation.transfers import Network
from ...simulation.transfers.network import AppliedUpdates, Arrival, Role, apply_in_turn, flows_of
from ...simulation.transfers.replay import Ordered, moments, norm_of, room_of, value_of

NAMED = 8
"""Dropped updates that a note names."""


class Breach(NamedTuple):
    """An update that breaks a rule: when it is applied, if ever, and for how many places too late.

    There are no such places where it is not staleness that forbids it.
    """

    update: str
    at: Fraction | None
    places: int


class Draft:
    """An ordered plan, and what becomes of it.

    A send goes behind those before it, so it never delays their arrival; but it may arrive earlier
    than they do, and then they are applied behind it.
    """

    def __init__(self, network: Network) -> None:
        """Begin with nothing sent."""
        self.network = network
        self.sends: list[Send] = []
        self._ordered = Ordered(network)
        self._ends: list[Fraction] = []
        self._arrivals: list[Arrival] = []
        self._queue = AppliedUpdates([], [], Fraction(0))

    @property
    def value(self) -> Fraction:
        """What the goal makes of the plan."""
        return value_of(self.network.instance, self.moments())

    def moments(self) -> dict[str, Fraction]:
        """Return when updates are applied, in this order."""
        return moments(self.sends, self._queue)

    @property
    def last(self) -> str:
        """An update that counts for most: one that is dropped, or else the last one."""
        applied = list(self.moments())
        missing = (name for name in self.network.updates if name not in set(applied))
        return next(missing, applied[-1] if applied else "")

    def add(self, *sends: Send, worth: bool = False) -> bool:
        """Put sends behind the others, unless a rule is broken then; return True if that was done.

        With `worth`, they must also be applied by the moment that counts for dropped ones.
        """
        laid = self.laid(*sends)
        if next(laid.broken(worth=worth), None) is not None:
            return False
        self.sends, self._arrivals, self._queue = laid.sends, laid._arrivals, laid._queue
        self._ordered, self._ends = laid._ordered, laid._ends
        return True

    def laid(self, *sends: Send) -> "Draft":
        """Return the plan with sends behind the others, whatever rules are broken then."""
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
        """Yield the updates that break a rule; `worth` as in `add`."""
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
    """Yield updates that are applied too late, or not at all, or would be too stale.

    With `worth`, too late is also what comes after the moment that counts for dropped ones.
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
    """Return the plan that takes sends in turn; those that break rules are tried again behind all.

    There the updates of several are tried one by one.
    """
    draft = Draft(network)
    if draft.add(*sends, worth=worth):  # Then none of them breaks a rule in its turn.
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
    """Return the best of some plans, the first of equals; at the time limit, of those so far."""
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
    """Return the plan with these sends as an outcome that says what is dropped."""
    sent = {name for send in sends for name in send.updates}
    dropped = [one.name for one in instance.updates if one.name not in sent]
    note = ""
    if dropped:
        more = len(dropped) - NAMED
        named = ", ".join(dropped[:NAMED]) + (f" and {more} more" if more > 0 else "")
        note = f"dropped {len(dropped)} of {len(instance.updates)}: {named}"
    plan = plan_of(instance, sends, method, sharing)
    return Outcome(
        schedule=plan, termination=termination, status=SolutionStatus.FEASIBLE, note=note
    )
