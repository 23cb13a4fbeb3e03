"""All three decisions of MLfabric: order, groups, and which updates the replica is sent.

Only as much is copied as keeps the replica near enough. The server may always be ahead by some
updates; those that save most bytes for what they move are never copied, up to a part of that, and
the other sends are. Then sends change one by one. Every plan is played, and what is better is kept.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction

from ...instances import Outcome, Send, TransfersInstance
from ...simulation.transfers import Network
from ...simulation.transfers.replay import norm_of, room_of
from ..request import NoOptions, Request
from . import mlfabric_aggregate
from .draft import Draft, best_of, drafted

WORK = 10_000
"""Updates that are simulated, in all plans, while sends change one by one."""

QUARTERS = (4, 3, 2, 1)
"""Of the divergence, for updates that are never copied."""


def run(instance: TransfersInstance, request: Request[NoOptions]) -> Outcome:
    """Return the best plan; nothing is random."""
    return best_of(drafts(Network.of(instance)), "mlfabric", request.limits)


def drafts(network: Network) -> Iterator[Draft]:
    """Yield plans that copy all or nothing, then, from the best, plans that copy some."""
    best: Draft | None = None
    for draft in mlfabric_aggregate.drafts(network):
        yield draft
        best = min(best or draft, draft, key=lambda one: one.value)
    room = room_of(network.instance)
    if room is None or best is None:
        return
    base = best.sends
    for quarters in QUARTERS:
        draft = drafted(network, _copying(network, base, room * quarters / 4), worth=True)
        yield draft
        best = min(best, draft, key=lambda one: one.value)
    for i in range(min(len(base), WORK // len(network.updates))):
        sends = list(best.sends)
        if i < len(sends):
            sends[i] = replace(sends[i], to="server" if sends[i].to == "both" else "both")
            draft = drafted(network, sends, worth=True)
            yield draft
            best = min(best, draft, key=lambda one: one.value)


def _copying(network: Network, sends: Sequence[Send], room: Fraction) -> list[Send]:
    """Return sends of which some are not copied; their norms add up to the room at most.

    First come those that move the parameters least for each byte of their copy.
    """
    found = list(sends)
    moved = [norm_of(network, send) / max(network.sizes[n] for n in send.updates) for send in sends]
    for i in sorted(range(len(found)), key=moved.__getitem__):
        norm = norm_of(network, found[i])
        if norm <= room:
            found[i] = replace(found[i], to="server")
            room -= norm
    return found
