"""The rules of a `transfers` plan: one function each, its docstring the rule.

A rule yields (where, amount) for every breach; times are seconds.
"""

from dataclasses import dataclass
from fractions import Fraction

from ....instances.transfers.instance import TransferPlan, TransfersInstance
from ..judge import ONE, Breaches, Rule, instance_digest, misclaimed
from .parcels import Parcel
from .replay import Story


@dataclass(frozen=True, slots=True, kw_only=True)
class TransfersCase:
    """All that the rules look at: instance, plan, and what comes of it."""

    instance: TransfersInstance
    schedule: TransferPlan
    parcels: tuple[Parcel, ...]
    story: Story
    value: Fraction


def known_names(case: TransfersCase) -> Breaches:
    """Every update that the plan names is in the instance."""
    known = {one.name for one in case.instance.updates}
    for i, send in enumerate(case.schedule.sends):
        for name in send.updates:
            if name not in known:
                yield _place(i, name), ONE


def once(case: TransfersCase) -> Breaches:
    """No update is sent twice."""
    seen: set[str] = set()
    known = {one.name for one in case.instance.updates}
    for i, send in enumerate(case.schedule.sends):
        for name in send.updates:
            if name in seen:
                yield _place(i, name), ONE
            seen |= {name} & known


def one_way(case: TransfersCase) -> Breaches:
    """An update goes directly or by way of an aggregator; only there can several become one."""
    counted = {parcel.send: len(parcel.members) for parcel in case.parcels}
    for i, send in enumerate(case.schedule.sends):
        if send.via is not None and send.via not in case.instance.aggregators:
            yield f"sends[{i}], via {send.via}", ONE
        elif send.via is None and counted.get(i, 0) > 1:
            yield f"sends[{i}]", Fraction(counted[i] - 1)


def copies(case: TransfersCase) -> Breaches:
    """Copies go to a replica that the instance names."""
    for i, send in enumerate(case.schedule.sends):
        if send.to == "both" and case.instance.replica is None:
            yield f"sends[{i}]", ONE


def staleness(case: TransfersCase) -> Breaches:
    """No more updates than `staleness` were applied since the worker read the parameters."""
    most = case.instance.staleness
    if most is None:
        return
    for applied in case.story.applied:
        for one in applied.parcel.members:
            over = one.behind + applied.before - most
            if over > 0:
                yield _place(applied.parcel.send, one.name), Fraction(over)


def due(case: TransfersCase) -> Breaches:
    """An update is applied by the time it is due."""
    for applied in case.story.applied:
        for one in applied.parcel.members:
            if one.due_s is not None and applied.moment > one.due_s:
                yield _place(applied.parcel.send, one.name), applied.moment - Fraction(one.due_s)


def divergence(case: TransfersCase) -> Breaches:
    """No send waits forever because the norms of updates that only the server has are too high."""
    if case.story.stuck is not None:
        yield f"sends[{case.story.stuck.send}]", case.story.excess


def claims(case: TransfersCase) -> Breaches:
    """A claimed value is that of the moments at which updates are applied."""
    yield from misclaimed("value_s", case.schedule.value_s, case.value)


def _place(send: int, update: str) -> str:
    return f"sends[{send}], update {update}"


ALL: tuple[Rule, ...] = (
    instance_digest,
    known_names,
    once,
    one_way,
    copies,
    staleness,
    due,
    divergence,
    claims,
)
"""Every rule, in the order in which violations are reported."""

RULES: dict[str, str] = {rule.__name__: str(rule.__doc__) for rule in ALL}
"""What each rule says, by its name."""
