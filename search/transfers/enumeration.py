"""Every plan of a few updates: orders, groups, copies and drops, with both ways to share links.

By priority, plans grow from the front: a send behind others delays none of them, so what they come
to, and when each of the rest could arrive at best in the bandwidth that is left, bounds all that
begins so. Where sharing is fair, order only decides between sends that arrive together.
"""

from copy import copy
from fractions import Fraction

from ...formulations.transfers.ways import all_ways
from ...instances import (
    Bound,
    BoundKind,
    Glimpse,
    Left,
    Limits,
    Outcome,
    Send,
    Stop,
    TransferPlan,
    TransfersInstance,
)
from ...instances.transfers.schedule import Sharing
from ...policies.request import NO_OPTIONS, NoOptions, Request
from ...policies.transfers.draft import plan_of
from ...simulation.transfers import Network
from .bounds import combinatorial_bounds
from .branch import Branch
from .fair_plans import fair_plans
from .listed import next_sends

METHOD = "enumeration"

MOST = 8
"""Updates; far fewer where there are aggregators and a replica."""


def refuses(instance: TransfersInstance, _: NoOptions = NO_OPTIONS) -> str | None:
    """Say why `instance` cannot be searched, or None if it can."""
    n = len(instance.updates)
    if n <= MOST:
        return None
    return f"the search takes at most {MOST} updates, not {n}; take a policy and `ringyard bound`"


def run(instance: TransfersInstance, request: Request[NoOptions]) -> Outcome:
    """Return a best plan; nothing in it is random."""
    return search(instance, request.limits)


def search(instance: TransfersInstance, limits: Limits, most: int | None = None) -> Outcome:
    """Return a best plan; the search ends at the limit, or after a number of plans."""
    found = _PlanSearch(instance, limits, most)
    done = found.ordered(found.root, frozenset(range(len(instance.updates)))) and found.fair()
    bound = combinatorial_bounds(instance)[0]
    if done:
        argument = f"all plans, of which {found.nodes} were looked at"
        bound = Bound(value=found.value, kind=BoundKind.EXACT, name=METHOD, argument=argument)
    return Outcome(
        schedule=found.plan,
        stop=Stop.DONE if done else Stop.TIME_LIMIT,
        left=Left.OPTIMAL if bound.value == found.value else Left.FEASIBLE,
        value=found.value,
        bound=bound,
        nodes=found.nodes,
    )


class _PlanSearch:
    """The best plan so far; at first all updates are dropped."""

    plan: TransferPlan
    value: Fraction

    def __init__(self, instance: TransfersInstance, limits: Limits, most: int | None) -> None:
        self._instance, self._limits, self._most = instance, limits, most
        self._ways = all_ways(instance)
        self._least = combinatorial_bounds(instance)[0].value
        self.root, self.nodes = Branch(Network.of(instance), self._ways), 0
        self._keep(self.root.value, [], "ordered")

    def ordered(self, branch: Branch, left: frozenset[int]) -> bool:
        """Try all that begins like a branch; say whether there was time for it."""
        children: list[tuple[Fraction, int, Branch, frozenset[int]]] = []
        for send, members in next_sends(self._instance, left):
            child, rest = copy(branch), left - members
            self.nodes += 1
            if child.add(send):
                if child.value < self.value:
                    self._keep(child.value, child.sends, "ordered")
                children.append((child.least(rest), self.nodes, child, rest))
            if self._over():
                return False
        return all(
            self.ordered(child, rest)
            for least, _, child, rest in sorted(children, key=lambda one: one[:2])
            if least < self.value
        )

    def fair(self) -> bool:
        """Try all plans that share links alike; say whether there was time for it."""
        for value, sends in fair_plans(self._instance, self._ways, lambda: self.value):
            self.nodes += 1
            if value is not None and value < self.value:
                self._keep(value, sends, "fair")
            if self._over():
                return False
        return True

    def _over(self) -> bool:
        return self._limits.over() or (self._most is not None and self.nodes > self._most)

    def _keep(self, value: Fraction, sends: list[Send], sharing: Sharing) -> None:
        self.value = value
        self.plan = plan_of(self._instance, sends, METHOD, sharing)
        self._limits.tell(Glimpse(schedule=self.plan, value=float(value)))
