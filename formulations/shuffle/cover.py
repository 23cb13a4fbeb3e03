"""Sums that each teach every receiver one row: a cheapest cover by cliques.

Source: Birk and Kol 1998, for the cover by cliques. Ringyard adds unicasts.

Data: nodes v, each a kind of rows and a worker that lacks c_v rows of it, cliques K of nodes that
can share a sum, maximal, and m, the cost of a multicast.

Variables
    sums[K] in {0, 1, ..}: sums for a clique. One sum may leave out rows that are no longer lacked
    alone[v] in {0, 1, ..}: messages with a single row for a single worker

Objective
    cost: minimise m sum_K sums[K] + sum_v min(1, m) alone[v], a unicast of 1 if there is one worker

Constraints
    lacked[v]: sum_(K with v) sums[K] + alone[v] >= c_v

By construction
    named_once: a clique has a worker once, and a row that several lack is sent once
    worked_out: in a clique, each worker has the rows of all other workers or lacks the same one

Sums that only together are decodable are left out, and may cost less. Example: if each worker in a
cycle has only the next one's row, one message fewer is enough.

Size: at most |V| + 50,000 variables and |V| rows. V has at most n 2^(n - 1) nodes if no row is
lacked twice.

Who can share a sum with whom: the side information as a graph, and its largest cliques.

A node is a kind of rows and a worker that lacks them. Rows cached by the same workers are of one
kind if the same single worker lacks them. Any other row forms a separate kind. Two nodes of
different workers are neighbours if each worker has the other's row, or lacks the same.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pyomo.environ as pyo

from ...instances import Message, RefusedError, ShuffleInstance, ShufflePlan
from ...instances.errors import InputError, Problem

MOST_CLIQUES = 50_000
"""Programs with more are not worth waiting for."""

MOST_NODES = 1000
"""Of larger graphs not even the cliques are counted."""

Node = tuple[int, int]
"""A kind of rows, and a worker."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cliques:
    """The graph's nodes, and its cliques of at least two that are in no other."""

    nodes: tuple[Node, ...]
    rows: tuple[tuple[int, ...], ...]
    """The rows of each kind."""
    kinds: dict[int, int]
    """The kind of each row that is lacked."""
    members: tuple[tuple[int, ...], ...]
    """The nodes of each clique."""


def cliques_of(instance: ShuffleInstance) -> Cliques:
    """Return the cliques of an instance.

    Raises:
        RefusedError: If there are too many.
    """
    cached, lacking = _owners(instance)
    groups: dict[tuple[frozenset[int], frozenset[int], int], list[int]] = {}
    for row in sorted(lacking):
        own = -1 if len(lacking[row]) == 1 else row
        groups.setdefault((cached[row], lacking[row], own), []).append(row)
    nodes = [(i, k) for i, (_, lack, _) in enumerate(groups) for k in sorted(lack)]
    if len(nodes) > MOST_NODES:
        raise _too_many(instance)
    has = [caches for caches, _, _ in groups]
    near = [0] * len(nodes)
    for a, (i, k) in enumerate(nodes):
        for b, (j, other) in enumerate(nodes[:a]):
            if k != other and (i == j or (other in has[i] and k in has[j])):
                near[a] |= 1 << b
                near[b] |= 1 << a
    found = []
    for clique in _maximal(near, 0, (1 << len(nodes)) - 1, 0):
        if clique & clique - 1:
            found.append(tuple(_bits(clique)))
        if len(found) > MOST_CLIQUES:
            raise _too_many(instance)
    return Cliques(
        nodes=tuple(nodes),
        rows=tuple(map(tuple, groups.values())),
        kinds={row: i for i, rows in enumerate(groups.values()) for row in rows},
        members=tuple(sorted(found)),
    )


def _too_many(instance: ShuffleInstance) -> RefusedError:
    return RefusedError(f"{instance.name}: there are too many sums to list, use greedy-cover")


def _owners(
    instance: ShuffleInstance,
) -> tuple[dict[int, frozenset[int]], dict[int, frozenset[int]]]:
    """Return, for each lacked row, the workers that have it and the workers that lack it."""
    lacked = frozenset[int]().union(*instance.missing)
    has = {row: set[int]() for row in lacked}
    lacks = {row: set[int]() for row in lacked}
    for k, (one, missing) in enumerate(zip(instance.workers, instance.missing, strict=True)):
        for row in lacked.intersection(one.has):
            has[row].add(k)
        for row in missing:
            lacks[row].add(k)
    return (
        {row: frozenset(own) for row, own in has.items()},
        {row: frozenset(own) for row, own in lacks.items()},
    )


def _maximal(near: list[int], clique: int, open_: int, closed: int) -> Iterator[int]:
    """Yield the cliques that are maximal, by Bron and Kerbosch with a pivot. Sets are bits."""
    if not open_ and not closed:
        yield clique
        return
    pivot = max(_bits(open_ | closed), key=lambda node: (near[node] & open_).bit_count())
    for node in _bits(open_ & ~near[pivot]):
        yield from _maximal(near, clique | 1 << node, open_ & near[node], closed & near[node])
        open_ ^= 1 << node
        closed |= 1 << node


def _bits(mask: int) -> Iterator[int]:
    while mask:
        yield (mask & -mask).bit_length() - 1
        mask &= mask - 1


def refuses(instance: ShuffleInstance) -> str | None:
    """Return why there are too many cliques or no clique, or None if the instance is valid."""
    if not any(instance.missing):
        return "no worker lacks a row"
    try:
        cliques_of(instance)
    except RefusedError as error:
        return str(error).partition(": ")[2]
    return None


def build(instance: ShuffleInstance) -> Any:
    """Return the program of an instance, which has no horizon."""
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
        problem = Problem("messages", len(plan.messages), expected, "the program has only these")
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
