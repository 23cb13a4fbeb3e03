"""Every plan of a few updates that shares links alike."""

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import chain, groupby, permutations, product

from ...formulations.transfers.ways import Way
from ...instances import Send, TransfersInstance
from ...policies.transfers.draft import broken, plan_of
from ...simulation.transfers import Network, replay
from ...simulation.transfers.applying import apply_in_turn
from ...simulation.transfers.replay import moments, room_of, value_of
from .bounds import worth
from .listed import partitions, sends_of

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
