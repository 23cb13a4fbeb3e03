"""The order of updates on the last link to the server, and which of them to drop.

Source: Ringyard, after the first of MLfabric's decisions: order pending updates under a bound on
their staleness, and drop those that cannot keep it.

Data: for each update i its time p_i on the last link, the number of updates q_i = staleness -
behind_i that may be applied before it, and its due time D_i. D is the cost of a dropped update, n
the number of updates, and P the sum of all p_i. Positions j in 0..n-1 are numbered from the front,
and empty positions are in front.

Variables
    takes[i, j] in {0, 1}: update i is at position j
    dropped in [0, n]: how many are not sent

Objective
    mean_applied: minimise (sum_(i,j) (n - j) p_i takes[i, j] + D dropped) / n

Constraints
    once[i]: sum_j takes[i, j] <= 1
    in_turn[j]: sum_i takes[i, j] <= sum_i takes[i, j+1], and <= 1 for the last j
    the_rest: dropped + sum_(i,j) takes[i, j] = n
    staleness[j]: sum_i max(0, j - q_i) takes[i, j] <= dropped
    due[j]: sum_(i, k <= j) p_i takes[i, k] + sum_i (P - min(D_i, P)) takes[i, j] <= P

By construction
    one_way: every update goes directly
    copies: no update is copied

Left out
    divergence: it may make updates wait

Times start when the first update is ready. The optimum is the instance's if all are ready then, if
no link on their routes is narrower than the last one, and if divergence is no limit. Otherwise it
is not above it.

Size: |I|^2 + 1 variables, 4 |I| + 1 rows.
"""

from typing import Any

import pyomo.environ as pyo

from ...instances import Send, TransferPlan, TransfersInstance
from ...simulation.transfers.network import last_link_s, more_than_one_link, several_last_links

NAME = "order"


def refuses(instance: TransfersInstance) -> str | None:
    """Return why the order on the last link is not enough, or None if it is."""
    if instance.goal == "last":
        return "its goal is the last update: use `groups`"
    if instance.aggregators:
        return "it has aggregators: use `groups`, or a policy"
    if several_last_links(instance):
        return "updates reach the server by several links: use `groups`, or a policy"
    return None


def inexact(instance: TransfersInstance) -> str | None:
    """Return why the program's optimum may be below the instance's, or None if they are equal."""
    norms = sum(one.norm for one in instance.updates)
    if instance.divergence is not None and norms > instance.divergence:
        return "copies are needed"
    return more_than_one_link(instance)


def build(instance: TransfersInstance) -> Any:
    """Return the program of an instance, which has no horizon."""
    model = pyo.ConcreteModel()
    model.instance, n = instance, len(instance.updates)
    places = range(n)
    first = min(one.ready_s for one in instance.updates)
    p = [float(value) for value in last_link_s(instance)]
    total = sum(p)
    due_s = [
        total if one.due_s is None else min(float(one.due_s - first), total)
        for one in instance.updates
    ]
    model.takes = pyo.Var(places, places, domain=pyo.Binary, initialize=0)
    model.dropped = pyo.Var(bounds=(0, n), initialize=n)
    ends = sum((n - j) * p[i] * model.takes[i, j] for i in places for j in places)
    ends += float(instance.drop_s - first) * model.dropped
    model.mean_applied = pyo.Objective(expr=ends / n + float(first))

    @model.Expression(places)
    def taken(model: Any, j: int) -> Any:
        return sum(model.takes[i, j] for i in places)

    @model.Constraint(places)
    def once(model: Any, i: int) -> Any:
        return sum(model.takes[i, j] for j in places) <= 1

    @model.Constraint(places)
    def in_turn(model: Any, j: int) -> Any:
        return model.taken[j] <= (model.taken[j + 1] if j + 1 < n else 1)

    model.the_rest = pyo.Constraint(expr=model.dropped + sum(model.taken.values()) == n)

    @model.Constraint(places)
    def staleness(model: Any, j: int) -> Any:
        late = [(i, j - q) for i, q in enumerate(_before(instance)) if q < j]
        if not late:
            return pyo.Constraint.Skip
        return sum(over * model.takes[i, j] for i, over in late) <= model.dropped

    @model.Constraint(places)
    def due(model: Any, j: int) -> Any:
        if min(due_s) >= total:
            return pyo.Constraint.Skip
        by = sum(p[i] * model.takes[i, k] for i in places for k in range(j + 1))
        spare = sum((total - due_s[i]) * model.takes[i, j] for i in places)
        return by + spare <= total

    return model


def _before(instance: TransfersInstance) -> list[int]:
    """Return how many updates may be applied before each."""
    if instance.staleness is None:
        return [len(instance.updates)] * len(instance.updates)
    return [instance.staleness - one.behind for one in instance.updates]


def write(model: Any, plan: TransferPlan) -> None:
    """Put the order of a plan's updates into the variables."""
    numbers = {one.name: i for i, one in enumerate(model.instance.updates)}
    order = [numbers[name] for send in plan.sends for name in send.updates]
    dropped = len(numbers) - len(order)
    places = {(i, dropped + k) for k, i in enumerate(order)}
    for key, variable in model.takes.items():
        variable.set_value(int(key in places))
    model.dropped.set_value(dropped)


def read(model: Any) -> TransferPlan:
    """Return the plan of a point: the updates one after the other."""
    updates = model.instance.updates
    taken = sorted((j, i) for (i, j), one in model.takes.items() if (one.value or 0) > 0.5)
    sends = tuple(Send(updates=(updates[i].name,)) for _, i in taken)
    return TransferPlan(instance=model.instance.name, method=NAME, sends=sends)
