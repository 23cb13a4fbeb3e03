"""What a chart of a `transfers` plan tells: when each send flows, arrives, and is applied."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

from ....instances.transfers.instance import TransfersInstance
from ....instances.transfers.schedule import Send, TransferPlan
from ....simulation.transfers import Replayed, replay
from ....simulation.transfers.flows import FlowPiece, Role
from ...check.transfers.judge import TransfersVerdict
from ...check.transfers.parcels import parcels_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Flowing:
    """A flow, for one update or, behind an aggregator, for all of a send."""

    role: Role
    update: str | None
    pieces: tuple[FlowPiece, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SendBars:
    """A send: its updates with the moments when they are ready, and what becomes of it."""

    number: int
    updates: tuple[tuple[str, Fraction], ...]
    via: str | None
    flows: tuple[Flowing, ...]
    arrives: Fraction
    applied: Fraction | None
    copied: Fraction | None


@dataclass(frozen=True, slots=True, kw_only=True)
class TransferFacts:
    """All that is drawn; sends in the order in which they are applied."""

    instance: str
    method: str
    sharing: str
    goal: str
    sends: tuple[SendBars, ...]
    dropped: tuple[str, ...]
    value: Fraction
    bound: Fraction | None
    faults: tuple[tuple[str, int], ...]

    @property
    def horizon(self) -> Fraction:
        """Return the last moment to draw."""
        moments = [piece.stop for s in self.sends for flow in s.flows for piece in flow.pieces]
        known = [at for s in self.sends for at in (s.arrives, s.applied) if at is not None]
        return max([*moments, *known], default=Fraction(0)) or Fraction(1)

    @property
    def gap(self) -> float | None:
        """Return how far the value is above the bound, as a part of the value."""
        if self.faults or self.bound is None or not self.value:
            return None
        return float((self.value - self.bound) / self.value)


def gather_transfers(
    instance: TransfersInstance,
    plan: TransferPlan,
    verdict: TransfersVerdict,
    bound: Fraction | None,
) -> TransferFacts:
    """Collect what the chart of a `transfers` plan tells; what the judge passes over is missing."""
    plan = replace(plan, sends=tuple(_counted(instance, plan)))
    sends = list(_sends(instance, plan, replay(instance, plan)))
    sends.sort(key=lambda one: (one.applied is None, one.applied or one.arrives, one.arrives))
    return TransferFacts(
        instance=instance.name,
        method=plan.method,
        sharing=plan.sharing,
        goal=instance.goal,
        sends=tuple(sends),
        dropped=verdict.dropped,
        value=verdict.value,
        bound=bound,
        faults=tuple(Counter(fault.rule for fault in verdict.violations).most_common()),
    )


def _counted(instance: TransfersInstance, plan: TransferPlan) -> Iterator[Send]:
    """Yield sends as the judge takes them."""
    for parcel in parcels_of(instance, plan):
        send = plan.sends[parcel.send]
        via = send.via if send.via in instance.aggregators else None
        if via is None and parcel.gather:
            via = instance.server
        yield replace(send, updates=tuple(one.name for one in parcel.members), via=via)


def _sends(instance: TransfersInstance, plan: TransferPlan, played: Replayed) -> Iterator[SendBars]:
    ready = {one.name: Fraction(one.ready_s) for one in instance.updates}
    flows: list[list[Flowing]] = [[] for _ in plan.sends]
    for flow, course in zip(played.flows, played.courses, strict=True):
        update = flow.updates[0] if flow.role == "member" else None
        pieces = tuple(course.pieces)
        flows[flow.send].append(Flowing(role=flow.role, update=update, pieces=pieces))
    for i, (send, arrival) in enumerate(zip(plan.sends, played.arrivals, strict=True)):
        yield SendBars(
            number=i,
            updates=tuple((name, ready[name]) for name in send.updates),
            via=send.via,
            flows=tuple(flows[i]),
            arrives=arrival.at,
            applied=played.applied.get(send.updates[0]),
            copied=arrival.copy,
        )
