"""Fair sharing: all updates go at once, each directly, and links divide themselves among them."""

from ...instances import Limits, Outcome, Send, SolutionStatus, TerminationReason, TransfersInstance
from ...simulation.transfers import Network, replay
from ...simulation.transfers.flows import apply_in_turn
from ...simulation.transfers.replay import room_of
from ..request import NoOptions, Request
from .draft import answer, broken, plan_of, usual
from .orders import as_ready


def run(instance: TransfersInstance, request: Request[NoOptions]) -> Outcome:
    """Return the plan; updates that break a rule are dropped, until none does.

    All is copied if any must be. Nothing is random.
    """
    try:
        return _run(instance, request.limits)
    except TimeoutError as late:
        return Outcome(
            schedule=None,
            termination=TerminationReason.TIME_LIMIT,
            status=SolutionStatus.NOTHING,
            note=str(late),
        )


def _run(instance: TransfersInstance, limits: Limits) -> Outcome:
    network, to = Network.of(instance), usual(instance)
    sends = [Send(updates=(name,), to=to) for name in as_ready(network)]
    while True:
        played = replay(instance, plan_of(instance, sends, "fair", "fair"), network, limits)
        queue = apply_in_turn(played.arrivals, room_of(instance))
        out = {one.update for one in broken(network, sends, queue)}
        if not out:
            return answer(instance, sends, "fair", sharing="fair")
        sends = [send for send in sends if send.updates[0] not in out]
