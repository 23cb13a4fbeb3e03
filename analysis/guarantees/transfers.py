"""When the simple orders of `transfers` are best. Proofs: `docs/theory/transfers-bounds.md`."""

from fractions import Fraction
from typing import Any

from . import Guarantee, Hypothesis, best


def _not_mean(instance: Any, _: Any) -> str | None:
    return None if instance.goal == "mean" else "the goal is the last update"


def _indirect(instance: Any, _: Any) -> str | None:
    if instance.aggregators:
        return "there are aggregators"
    if instance.divergence is not None:
        return "there may be copies"
    from ...simulation.transfers.network import more_than_one_link

    return more_than_one_link(instance)


def _bound(instance: Any, _: Any) -> str | None:
    if any(one.due_s is not None for one in instance.updates):
        return "updates are due"
    if instance.staleness is None:
        return None
    behind = max(one.behind for one in instance.updates)
    if behind + len(instance.updates) - 1 > instance.staleness:
        return f"staleness is {instance.staleness}"
    return None


def _dropping(instance: Any, _: Any) -> str | None:
    from ...simulation.transfers.network import last_link_s

    takes, first = last_link_s(instance), _first(instance)
    if instance.drop_s < first + sum(takes):
        return "sending an update may cost more than dropping it"
    return None


def _lossy(instance: Any, _: Any) -> str | None:
    from ...policies.transfers.orders import smith
    from ...simulation.transfers.network import last_link_s

    takes, first = last_link_s(instance), _first(instance)
    dues = [None if one.due_s is None else Fraction(one.due_s) - first for one in instance.updates]
    most = instance.staleness
    places = [None if most is None else most - one.behind for one in instance.updates]
    if smith(takes, places, dues) is None:
        return "an update must be dropped"
    if instance.drop_s < first + len(takes) * sum(takes):
        return "dropping an update may reduce the mean"
    return None


def _first(instance: Any) -> Fraction:
    return min(Fraction(one.ready_s) for one in instance.updates)


MEAN = Hypothesis(name="the mean as goal", unmet=_not_mean)
ONE_LINK = Hypothesis(name="one link that decides", unmet=_indirect)
UNBOUND = Hypothesis(name="no update that must come early", unmet=_bound)
KEPT = Hypothesis(name="drops that cost more than any send", unmet=_dropping)
LOSSLESS = Hypothesis(name="limits that all updates can meet", unmet=_lossy)

TRANSFERS: tuple[Guarantee, ...] = (
    Guarantee(
        name="shortest-transfer-first",
        statement="1",
        source="Smith 1956, for updates",
        proved=True,
        hypotheses=(MEAN, ONE_LINK, UNBOUND, KEPT),
        factor=best,
        methods=("shortest-first", "mlfabric-order", "mlfabric-aggregate", "mlfabric"),
    ),
    Guarantee(
        name="longest-last",
        statement="1",
        source="Smith 1956, with places and due times",
        proved=True,
        hypotheses=(MEAN, ONE_LINK, LOSSLESS),
        factor=best,
        methods=("mlfabric-order", "mlfabric-aggregate", "mlfabric"),
    ),
)
