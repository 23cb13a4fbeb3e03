"""Sums that each teach every receiver one row: a cheapest cover by cliques.

Source: Birk and Kol 1998, for the cover by cliques; unicasts beside it are ours.

Data: nodes v, each a kind of rows and a worker that lacks c_v rows of it; cliques K of nodes that
can share a sum and that are in no other (`cliques.py`); m, what a multicast costs.

Variables
    sums[K] in {0, 1, ..}: sums for a clique; one of them may leave out what is no longer lacked
    alone[v] in {0, 1, ..}: messages with a single row for a single worker

Objective
    cost: minimise m sum_K sums[K] + sum_v min(1, m) alone[v], a unicast of 1 if there is one worker

Constraints
    lacked[v]: sum_(K with v) sums[K] + alone[v] >= c_v

By construction
    named_once: a clique has a worker once, and a row that several lack is sent once
    worked_out: in a clique, each worker has the rows of all others or lacks the same one

Sums that only together teach something are left out, and may cost less: round a cycle of workers
of which each has only the next one's row, one message fewer is enough.

Size: at most |V| + 50,000 variables and |V| rows; V has n 2^(n - 1) nodes at most where no row is
lacked twice.
"""

from typing import Any

import pyomo.environ as pyo

from ...instances import Message, RefusedError, ShuffleInstance, ShufflePlan
from ...instances.errors import InputError, Problem
from .cliques import cliques_of

__all__ = ["build", "read", "refuses", "write"]


def refuses(instance: ShuffleInstance) -> str | None:
    """Say why there are too many cliques, or none, or None if all is well."""
    if not any(instance.missing):
        return "no worker lacks a row"
    try:
        cliques_of(instance)
    except RefusedError as error:
        return str(error).partition(": ")[2]
    return None


def build(instance: ShuffleInstance, horizon: None = None) -> Any:
    """Return the program of an instance, which has no horizon."""
    del horizon
    model = pyo.ConcreteModel()
    model.instance = instance
    cliques = model.cliques = cliques_of(instance)
    model.sums = pyo.Var(range(len(cliques.members)), domain=pyo.NonNegativeIntegers, initialize=0)
    model.alone = pyo.Var(range(len(cliques.nodes)), domain=pyo.NonNegativeIntegers, initialize=0)
    price = float(instance.multicast)
    single = min(1.0, price) if len(instance.workers) > 1 else 1.0
    model.cost = pyo.Objective(
        expr=price * pyo.quicksum(model.sums.values()) + single * pyo.quicksum(model.alone.values())
    )
    covering: list[list[int]] = [[] for _ in cliques.nodes]
    for i, members in enumerate(cliques.members):
        for node in members:
            covering[node].append(i)

    @model.Constraint(range(len(cliques.nodes)))
    def lacked(model: Any, v: int) -> Any:
        rows = len(cliques.rows[cliques.nodes[v][0]])
        return sum((model.sums[i] for i in covering[v]), start=model.alone[v]) >= rows

    return model


def write(model: Any, plan: ShufflePlan) -> None:
    """Put a plan into the variables.

    Raises:
        InputError: If a worker lacks a row unless it adds up sums.
    """
    cliques, places = model.cliques, {node: v for v, node in enumerate(model.cliques.nodes)}
    workers = {one.name: k for k, one in enumerate(model.instance.workers)}
    for variable in model.component_data_objects(pyo.Var):
        variable.set_value(0)
    left = [len(cliques.rows[i]) for i, _ in cliques.nodes]
    for message in plan.messages:
        learns = set()
        for name in message.to:
            k = workers[name]
            strange = set(message.rows).difference(model.instance.workers[k].has)
            if len(strange) == 1 and (row := strange.pop()) in model.instance.missing[k]:
                learns.add(places[cliques.kinds[row], k])
        if len(learns) > 1:
            holds = (c for c, members in enumerate(cliques.members) if learns.issubset(members))
            model.sums[next(holds)].value += 1
        for v in learns:
            left[v] -= 1
            model.alone[v].value += len(learns) == 1
    if max(left, default=0) > 0:
        expected = "sums that teach each receiver a row by themselves"
        problem = Problem("messages", len(plan.messages), expected, "the program has no others")
        raise InputError(model.instance.name, [problem])


def read(model: Any) -> ShufflePlan:
    """Return the plan of a point."""
    instance, cliques = model.instance, model.cliques
    names = tuple(one.name for one in instance.workers)
    left = [list(cliques.rows[i]) for i, _ in cliques.nodes]
    messages = []

    def send(nodes: tuple[int, ...]) -> None:
        parts = {names[cliques.nodes[v][1]]: left[v].pop() for v in nodes if left[v]}
        if parts:
            to = names if instance.multicast < 1 else tuple(parts)
            messages.append(Message(rows=tuple(sorted(set(parts.values()))), to=to))

    for variables, members in (
        (model.sums, cliques.members),
        (model.alone, [(v,) for v in range(len(left))]),
    ):
        for i, nodes in enumerate(members):
            for _ in range(round(variables[i].value or 0)):
                send(nodes)
    return ShufflePlan(instance=instance.name, method="cover", messages=tuple(messages))
