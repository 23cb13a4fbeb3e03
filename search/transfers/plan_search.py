"""Plans that change one send at a time: other turns, groups, aggregators and copies.

Source: ours. It begins with the best plan of `mlfabric`. In each step a send moves to another turn,
an update leaves its send for another one or goes by itself, a send changes its route, or its copy
is toggled. The plan is simulated. A step is kept if the plan is no worse than the one `BACK` steps
before (late acceptance, Burke and Bykov 2017). After a long stagnation, it is temporarily also kept
if it is not much worse than the best. Sends that break a rule in their turn come last, or are
dropped. The search proves no bound. With a time limit it continues until the time is up.
"""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Annotated

from numpy.random import Generator

from ...formulations.transfers.routes import update_routes
from ...instances import Incumbent, Outcome, Send, TerminationReason, TransfersInstance
from ...instances.reading.vocabulary import Count
from ...policies.request import Request, termination_of
from ...policies.transfers import mlfabric
from ...policies.transfers.orders import Draft, answer, drafted, plan_of, usual
from ...simulation.transfers import Network
from ...simulation.transfers.replay import value_of

METHOD = "plan-search"

BACK = 30
"""Steps between the plans that are compared."""

STUCK, LOOSER = 200, Fraction(9, 8)
"""Steps without a better plan, after which one worse by this factor than the best is accepted."""

PART = Fraction(1, 8)
"""As a fraction of the value of a dropped update."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """Length of the search."""

    plans: Annotated[Count, "plans tried, if there is no time limit"] = 500


def run(instance: TransfersInstance, request: Request[Options]) -> Outcome:
    """Change plans until enough are tried or the time is up."""
    limits, network = request.limits, Network.of(instance)
    best = draft = min(mlfabric.drafts(network), key=lambda one: one.value)
    plan = plan_of(instance, best.sends, METHOD)
    limits.report(Incumbent(schedule=plan, value=float(best.value)))
    now_sent, tried, stuck = _all_sent(draft), 0, 0
    mild = instance.staleness is not None or any(one.due_s is not None for one in instance.updates)
    now = least = _judged(network, now_sent, best.value, mild=mild)[1]
    before = deque([now], maxlen=BACK)
    plans = request.options.plans
    while now_sent and not limits.over() and (limits.time_s is not None or tried < plans):
        tried += 1
        sends = _changed(network, now_sent, request.rng)
        found, counts = _judged(network, sends, least, mild=mild)
        if counts <= before[0] or counts <= now:
            now_sent, now = sends, counts
        before.append(now)
        stuck += 1
        if stuck == STUCK:
            stuck, before = 0, deque([least * LOOSER] * BACK, maxlen=BACK)
        if counts < least:
            least, stuck = counts, 0
        if found is not None and found.value < best.value:
            best = found
            plan = plan_of(instance, best.sends, METHOD)
            limits.report(Incumbent(schedule=plan, value=float(best.value)))
    ended = termination_of(limits, TerminationReason.WORK_LIMIT)
    termination = ended if now_sent else TerminationReason.DONE
    return answer(instance, best.sends, METHOD, termination=termination)


def _judged(
    network: Network, sends: Sequence[Send], least: Fraction, *, mild: bool
) -> tuple[Draft | None, Fraction]:
    """Return the plan of the sends that keep the rules, and its value.

    In mild mode no update is excluded from the value: an update that breaks a rule adds `PART` of a
    drop's value to its moment, once for each place by which it is too stale. Then there is a plan
    only if all rules are kept, or if its value is below the least so far.
    """
    if not mild:
        draft = drafted(network, sends, worth=True)
        return draft, draft.value
    laid, late = Draft(network).laid(*sends), Fraction(network.instance.drop_s)
    counts = laid.moments()
    breaches = list(laid.broken(worth=True))
    for one in breaches:
        at = late if one.at is None else one.at
        counts[one.update] = at + PART * late * max(1, one.places)
    value = value_of(network.instance, counts)
    if not breaches:
        return laid, value
    return drafted(network, sends, worth=True) if value < least else None, value


def _all_sent(draft: Draft) -> list[Send]:
    """Return the sends of a plan, followed by the dropped updates that may be sent."""
    sent = {name for send in draft.sends for name in send.updates}
    instance = draft.network.instance
    to, ways = usual(instance), zip(instance.updates, update_routes(instance), strict=True)
    dropped = (one.name for one, own in ways if own and one.name not in sent)
    return [*draft.sends, *(Send(updates=(name,), to=to) for name in dropped)]


def _changed(network: Network, sends: Sequence[Send], rng: Generator) -> list[Send]:
    """Return sends after one change, of the kinds that the instance has."""
    instance, changed = network.instance, list(sends)
    kinds = ["turn", *["leave", "via"] * bool(instance.aggregators)]
    kinds += ["copy"] * (instance.divergence is not None)
    kind, at = kinds[int(rng.integers(len(kinds)))], int(rng.integers(len(changed)))
    send = changed.pop(at)
    if kind == "copy":
        changed.insert(at, replace(send, to="server" if send.to == "both" else "both"))
    elif kind == "via":
        routes = [*instance.aggregators, *[None] * (len(send.updates) == 1)]
        changed.insert(at, replace(send, via=routes[int(rng.integers(len(routes)))]))
    elif kind == "leave":
        _leave(changed, send, at, network, rng)
    else:
        changed.insert(int(rng.integers(len(changed) + 1)), send)
    return changed


def _leave(changed: list[Send], send: Send, at: int, network: Network, rng: Generator) -> None:
    """Let an update of a send join another one, or go by itself at any turn."""
    name = send.updates[int(rng.integers(len(send.updates)))]
    others = tuple(one for one in send.updates if one != name)
    if others:
        changed.insert(at, replace(send, updates=others))
    turn = int(rng.integers(2 * len(changed))) if changed else 0
    if turn < len(changed):
        joined = changed[turn]
        aggregators = network.instance.aggregators
        via = joined.via or aggregators[int(rng.integers(len(aggregators)))]
        changed[turn] = replace(joined, updates=(*joined.updates, name), via=via)
    else:
        changed.insert(turn - len(changed), replace(send, updates=(name,), via=None))
