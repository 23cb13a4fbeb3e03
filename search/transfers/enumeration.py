"""Every plan of a few updates: orders, groups, copies and drops, with both kinds of sharing.

By priority, plans grow from the front: a later send delays no earlier one. The values of these
sends, and the best arrivals of the remaining updates in the remaining bandwidth, bound all plans
with this beginning. With fair sharing, order only decides between sends that arrive together.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import copy
from dataclasses import replace
from fractions import Fraction
from itertools import chain, combinations, groupby, permutations, product

from ...formulations.transfers.routes import UpdateRoute, update_routes
from ...instances import (
    Bound,
    BoundKind,
    Incumbent,
    Limits,
    Outcome,
    Send,
    SolutionStatus,
    TerminationReason,
    TransferPlan,
    TransfersInstance,
)
from ...instances.certificate import searched_steps
from ...instances.transfers import Sharing, Target
from ...policies.request import NO_OPTIONS, NoOptions, Request
from ...policies.transfers.orders import Draft, broken, plan_of
from ...simulation.transfers import Network, replay
from ...simulation.transfers.network import apply_in_turn
from ...simulation.transfers.replay import moments, room_of, value_of
from .bounds import combinatorial_bounds, worth


def next_sends(
    instance: TransfersInstance, left: frozenset[int]
) -> Iterator[tuple[Send, frozenset[int]]]:
    """Yield every send of some of the remaining updates. The order of members matters."""
    most = len(left) if instance.aggregators else 1
    for size in range(1, most + 1):
        for members in permutations(sorted(left), size):
            for send in sends_of(instance, members):
                yield send, frozenset(members)


def partitions(instance: TransfersInstance, left: Sequence[int]) -> Iterator[list[tuple[int, ...]]]:
    """Yield the partitions into groups of all subsets of the updates. Other updates are dropped."""
    if not left:
        yield []
        return
    first, rest = left[0], left[1:]
    yield from partitions(instance, rest)
    most = len(rest) if instance.aggregators else 0
    for size in range(most + 1):
        for others in combinations(rest, size):
            after = [i for i in rest if i not in others]
            for groups in partitions(instance, after):
                yield [(first, *others), *groups]


def sends_of(instance: TransfersInstance, members: Sequence[int]) -> list[Send]:
    """Return every send of some updates together: by each aggregator, with and without a copy."""
    names = tuple(instance.updates[i].name for i in members)
    vias: list[str | None] = [*instance.aggregators]
    if len(members) == 1:
        vias.insert(0, None)
    targets: tuple[Target, ...] = ("server",) if instance.replica is None else ("server", "both")
    return [Send(updates=names, via=via, to=to) for via in vias for to in targets]


Found = tuple[Fraction | None, list[Send]]


def fair_plans(
    instance: TransfersInstance,
    ways: Sequence[Sequence[UpdateRoute]],
    limit: Callable[[], Fraction],
) -> Iterator[Found]:
    """Yield plans with their values, None if they break rules.

    Those that reach the limit even if no link was shared are left out.
    """
    network, late = Network.of(instance), Fraction(instance.drop_s)
    alone = [{way.via: way.arrives for way in own} for own in ways]
    for groups in partitions(instance, range(len(instance.updates))):
        for chosen in product(*(sends_of(instance, members) for members in groups)):
            counts = [
                alone[i].get(send.via)
                for send, members in zip(chosen, groups, strict=True)
                for i in members
            ]
            known = [count for count in counts if count is not None]
            dropped = len(instance.updates) - len(counts)
            if len(known) < len(counts):
                continue
            if worth(instance, sorted([*known, *[late] * dropped])) < limit():
                yield from _in_all_orders(network, list(chosen))


def _in_all_orders(network: Network, sends: list[Send]) -> Iterator[Found]:
    """Yield a plan in every order of the sends that arrive together."""
    instance = network.instance
    replayed = replay(instance, plan_of(instance, sends, "", "fair"), network)
    arrivals = replayed.arrivals
    order = sorted(range(len(sends)), key=lambda i: arrivals[i].at)
    ties = [list(tied) for _, tied in groupby(order, key=lambda i: arrivals[i].at)]
    for turns in product(*(permutations(tied) for tied in ties)):
        turn = list(chain.from_iterable(turns))
        chosen = [sends[i] for i in turn]
        queue = apply_in_turn([arrivals[i] for i in turn], room_of(instance))
        if next(broken(network, chosen, queue), None) is None:
            yield value_of(instance, moments(chosen, queue)), chosen
        else:
            yield None, chosen


class Branch(Draft):
    """A draft with the best prospects of its remaining updates."""

    def __init__(self, network: Network, ways: Sequence[Sequence[UpdateRoute]]) -> None:
        """Start with no send."""
        super().__init__(network)
        self._ways = ways

    def least(self, rest: Iterable[int]) -> Fraction:
        """Return a lower bound on all plans that begin so and may send the remaining updates.

        Later sends can only make these wait longer at the server, and each remaining update has at
        most the bandwidth that these leave.
        """
        instance = self.network.instance
        late = Fraction(instance.drop_s)
        applied = moments(self.sends, self._queue).values()
        return worth(instance, sorted([*applied, *(min(late, self._soonest(i)) for i in rest)]))

    def _soonest(self, update: int) -> Fraction:
        """Return when an update could arrive in the bandwidth that is left."""
        size = self.network.sizes[self.network.instance.updates[update].name]
        found = []
        for way in self._ways[update]:
            moment = way.ready
            for route in (way.own, way.rest):
                pieces = self._ordered.pieces(route, size, moment)
                moment = pieces[-1].stop if pieces else moment
            found.append(moment)
        return min(found, default=Fraction(self.network.instance.drop_s))


METHOD = "enumeration"

MOST = 8
"""Most updates. Far fewer with aggregators and a replica."""


def refuses(instance: TransfersInstance, _: NoOptions = NO_OPTIONS) -> str | None:
    """Return why `instance` cannot be searched, or None if it can."""
    n = len(instance.updates)
    if n <= MOST:
        return None
    return (
        f"the search supports at most {MOST} updates, not {n}. Use a policy and `ringyard bound`."
    )


def run(instance: TransfersInstance, request: Request[NoOptions]) -> Outcome:
    """Return a best plan (deterministic)."""
    return search(instance, request.limits, begun=(request.start, request.start_value))


def search(
    instance: TransfersInstance,
    limits: Limits,
    most: int | None = None,
    begun: tuple[TransferPlan | None, Fraction | None] = (None, None),
) -> Outcome:
    """Return a best plan. The search ends at the limit, or after a number of plans.

    It may begin with a valid plan of some value.
    """
    found = _PlanSearch(instance, limits, most)
    plan, value = begun
    if plan is not None and value is not None and value < found.value:
        found.plan, found.value = replace(plan, method=METHOD), value
    done = found.ordered(found.root, frozenset(range(len(instance.updates)))) and found.fair()
    bound = combinatorial_bounds(instance)[0]
    if done:
        argument = f"complete search of all plans, {found.nodes} nodes"
        steps = searched_steps("every plan", found.value)
        bound = Bound(
            value=found.value, kind=BoundKind.SEARCHED, name=METHOD, argument=argument, proof=steps
        )
    return Outcome(
        schedule=found.plan,
        termination=TerminationReason.DONE if done else TerminationReason.TIME_LIMIT,
        status=SolutionStatus.OPTIMAL if bound.value == found.value else SolutionStatus.FEASIBLE,
        value=found.value,
        bound=bound,
        nodes=found.nodes,
    )


class _PlanSearch:
    """The best plan so far. At first all updates are dropped."""

    plan: TransferPlan
    value: Fraction

    def __init__(self, instance: TransfersInstance, limits: Limits, most: int | None) -> None:
        self._instance, self._limits, self._most = instance, limits, most
        self._ways = update_routes(instance)
        self._least = combinatorial_bounds(instance)[0].value
        self.root, self.nodes = Branch(Network.of(instance), self._ways), 0
        self._keep(self.root.value, [], "ordered")

    def ordered(self, branch: Branch, left: frozenset[int]) -> bool:
        """Try all plans that begin like a branch, and return True if there was time for it."""
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
        """Try all plans with fair sharing, and return True if there was time for it."""
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
        self._limits.report(Incumbent(schedule=self.plan, value=float(value)))
