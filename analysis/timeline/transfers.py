"""The timeline of a `transfers` plan: when each send flows, arrives, and is applied."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import pairwise

from ...instances.errors import plural, visible
from ...instances.transfers import Send, TransferPlan, TransfersInstance
from ...simulation.transfers import Network, Replayed, replay
from ...simulation.transfers.network import FlowPiece, Role
from ..check.transfers import TransfersVerdict, parcels_of
from . import Bar, Life, Lives, RateSpan, Timeline

NAMED = 8
"""Updates of a send that are named."""
TO = {"member": "to its aggregator", "server": "to the server", "replica": "to the replica"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Flowing:
    """A flow, for one update or, behind an aggregator, for all of a send."""

    role: Role
    update: str | None
    pieces: tuple[FlowPiece, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SendBars:
    """A send: its updates with their ready times, and its result."""

    number: int
    updates: tuple[tuple[str, Fraction], ...]
    via: str | None
    flows: tuple[Flowing, ...]
    arrives: Fraction
    applied: Fraction | None
    copied: Fraction | None

    @property
    def names(self) -> str:
        """Names of its updates."""
        names = ", ".join(visible(name) for name, _ in self.updates[:NAMED])
        return names + (", …" if len(self.updates) > NAMED else "")


class TransferTimeline(Timeline):
    """The sends accepted by the judge."""

    instance: TransfersInstance
    schedule: TransferPlan
    verdict: TransfersVerdict
    clock = "s"

    @cached_property
    def sends(self) -> tuple[SendBars, ...]:
        """The sends, in the order of application."""
        one = self.instance
        counted = replace(self.schedule, sends=tuple(_counted(one, self.schedule)))
        sends = _sends(one, counted, replay(one, counted))
        return tuple(sorted(sends, key=_turn))

    @property
    def objective(self) -> str:
        """The goal in words."""
        return "mean moment" if self.instance.goal == "mean" else "last moment"

    @cached_property
    def horizon(self) -> Fraction:
        """Return the last moment to draw."""
        moments = [piece.stop for s in self.sends for flow in s.flows for piece in flow.pieces]
        known = [at for s in self.sends for at in (s.arrives, s.applied) if at is not None]
        return max([*moments, *known], default=Fraction(0)) or Fraction(1)

    def lives(self) -> Lives:
        """Return the flows by recipient and time, in a band for each node that receives updates."""
        one = self.instance
        replicas = () if one.replica is None else (one.replica,)
        nodes = tuple(dict.fromkeys((*one.aggregators, one.server, *replicas)))
        unit = Network.of(one).rates[0] / Fraction(one.links[0].gb_s)
        moving = (send for send in self.sends if any(flow.pieces for flow in send.flows))
        jobs = tuple(self._life(send, nodes, unit) for send in moving)
        return Lives(
            machines=tuple((name, 0) for name in nodes),
            jobs=jobs,
            unit="s",
            rate="GB/s",
            size=f"{plural(len(jobs), 'send')} to {plural(len(nodes), 'node')}",
        )

    def _life(self, send: SendBars, nodes: tuple[str, ...], unit: Fraction) -> Life:
        route = "directly" if send.via is None else f"by {send.via}"
        done = "never applied"
        if send.applied is not None:
            done = f"applied at {self.value_text(send.applied)}"
        one = self.instance
        ends = {"member": send.via, "server": one.server, "replica": one.replica}
        flows = [(flow, ends[flow.role]) for flow in send.flows if flow.pieces]
        return Life(
            name=send.names,
            about=f"{route}, arrives at {self.value_text(send.arrives)}, {done}",
            start=min(ready for _, ready in send.updates),
            end=send.applied,
            bars=tuple(_bar(flow, nodes.index(end)) for flow, end in flows if end is not None),
            spans=tuple(_spans(send, unit)),
        )


def _turn(send: SendBars) -> tuple[bool, Fraction, Fraction]:
    return send.applied is None, send.applied or send.arrives, send.arrives


def _bar(flow: Flowing, machine: int) -> Bar:
    what = TO[flow.role] if flow.update is None else f"{flow.update} {TO[flow.role]}"
    start, end = flow.pieces[0].start, flow.pieces[-1].stop
    return Bar(machine=machine, start=start, end=end, units=1, what=what)


def _spans(send: SendBars, unit: Fraction) -> Iterator[RateSpan]:
    """Yield the simultaneous flows of a send, copies apart, and its wait to be applied.

    A gigabyte is `unit` in the unit of the flows' rates.
    """
    pieces = [(f.role, p) for f in send.flows if f.role != "replica" for p in f.pieces]
    moments = sorted({at for _, piece in pieces for at in (piece.start, piece.stop)})
    for start, end in pairwise(moments):
        on = [(role, p.rate) for role, p in pieces if p.start <= start < p.stop]
        where = TO[on[0][0]] if on else "waits"
        rate = sum((Fraction(rate) for _, rate in on), Fraction(0))
        yield RateSpan(start=start, end=end, rate=float(rate / unit), contention=where)
    if send.applied is not None and send.applied > send.arrives:
        yield RateSpan(
            start=send.arrives, end=send.applied, rate=0.0, contention="waits to be applied"
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
