"""Every plan of a few updates that shares links alike, and all ways to part updates into sends."""

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import chain, combinations, groupby, permutations, product

from ...formulations.transfers.ways import Way
from ...instances import Send, TransfersInstance
from ...instances.transfers.instance import Target
from ...policies.transfers.draft import broken, plan_of
from ...simulation.transfers import Network, replay
from ...simulation.transfers.flows import apply_in_turn
from ...simulation.transfers.replay import moments, room_of, value_of
from .bounds import worth


def next_sends(
    instance: TransfersInstance, left: frozenset[int]
) -> Iterator[tuple[Send, frozenset[int]]]:
    """Yield every send of some of the updates that are left; the order of members counts."""
    most = len(left) if instance.aggregators else 1
    for size in range(1, most + 1):
        for members in permutations(sorted(left), size):
            for send in sends_of(instance, members):
                yield send, frozenset(members)


def partitions(instance: TransfersInstance, left: Sequence[int]) -> Iterator[list[tuple[int, ...]]]:
    """Yield every way to drop some updates and part the others into groups."""
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
    """Return every way to send some updates as one."""
    names = tuple(instance.updates[i].name for i in members)
    vias: list[str | None] = [*instance.aggregators]
    if len(members) == 1:
        vias.insert(0, None)
    targets: tuple[Target, ...] = ("server",) if instance.replica is None else ("server", "both")
    return [Send(updates=names, via=via, to=to) for via in vias for to in targets]


Found = tuple[Fraction | None, list[Send]]


def fair_plans(
    instance: TransfersInstance, ways: Sequence[Sequence[Way]], limit: Callable[[], Fraction]
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
