"""Small `transfers` instances and plans, by hand and by lot."""

from collections.abc import Iterator, Sequence
from decimal import Decimal
from fractions import Fraction
from itertools import permutations, product
from typing import Any

from numpy.random import Generator, default_rng

from ringyard.analysis.check import check
from ringyard.instances import NetworkLink, Send, TransferPlan, TransfersInstance, Update
from ringyard.instances.transfers import Sharing


def number(value: float | str) -> Decimal:
    """Return a number as it is written."""
    return Decimal(str(value))


def link(a: str, b: str, gb_s: float | str = 1) -> NetworkLink:
    """Return a link."""
    return NetworkLink(a=a, b=b, gb_s=number(gb_s))


def update(name: str, size_gb: float | str, worker: str = "", **fields: Any) -> Update:
    """Return an update; its worker is called like it unless it is named."""
    for field in ("ready_s", "norm", "due_s"):
        if fields.get(field) is not None:
            fields[field] = number(fields[field])
    return Update(name=name, worker=worker or f"w-{name}", size_gb=number(size_gb), **fields)


def star(updates: Sequence[Update], last: float | str = 1, **fields: Any) -> TransfersInstance:
    """Return workers with fast links to a switch, and the server behind a link from there."""
    workers = dict.fromkeys(one.worker for one in updates)
    links = (*(link(worker, "switch", 100) for worker in workers), link("switch", "server", last))
    if "replica" in fields:
        links += (link("switch", "replica", last),)
    return pending(links, updates, **fields)


def pending(
    links: Sequence[NetworkLink], updates: Sequence[Update], **fields: Any
) -> TransfersInstance:
    """Return an instance whose server is the node of that name."""
    for field in ("divergence", "drop_s"):
        if fields.get(field) is not None:
            fields[field] = number(fields[field])
    fields = {"drop_s": Decimal(100)} | fields
    return TransfersInstance(
        name="small", links=tuple(links), updates=tuple(updates), server="server", **fields
    )


def plan(*sends: Send | str, sharing: Sharing = "ordered", **fields: Any) -> TransferPlan:
    """Return a plan; names of updates stand for sending them directly."""
    made = (send if isinstance(send, Send) else Send(updates=(send,)) for send in sends)
    return TransferPlan(instance="small", sharing=sharing, sends=tuple(made), **fields)


def together(via: str | None, *names: str, to: Any = "server") -> Send:
    """Return several updates as one send."""
    return Send(updates=names, via=via, to=to)


def by_lot(
    seed: int, most: int = 6, *, aggregators: int = 2, replica: bool = True
) -> TransfersInstance:
    """Return a network that may have circles, with few different numbers, so that ties occur."""
    rng = default_rng(seed)
    nodes = ["server", *(f"n{k}" for k in range(1, int(rng.integers(3, 7))))]
    pairs = {(nodes[int(rng.integers(k))], node) for k, node in enumerate(nodes) if k}
    for _ in range(int(rng.integers(3))):
        a, b = sorted(rng.choice(len(nodes), 2, replace=False).tolist())
        pairs.add((nodes[a], nodes[b]))
    links = [link(a, b, _one_of(rng, 1, 1, 2, "0.5", 3)) for a, b in sorted(pairs)]
    updates = [
        update(
            f"u{k}",
            _one_of(rng, 1, 1, 2, 3, "0.5"),
            nodes[int(rng.integers(len(nodes)))],
            ready_s=_one_of(rng, 0, 0, 0, 1, 2, "0.5"),
            behind=int(rng.integers(3)),
            norm=_one_of(rng, 0, 1, 1, 2),
            due_s=_one_of(rng, None, None, None, 4, 8),
        )
        for k in range(int(rng.integers(1, most + 1)))
    ]
    with_replica = replica and rng.random() < 0.7
    return pending(
        links,
        updates,
        aggregators=tuple(rng.permutation(nodes)[: rng.integers(aggregators + 1)].tolist()),
        replica=nodes[int(rng.integers(1, len(nodes)))] if with_replica else None,
        staleness=_one_of(rng, None, None, 2, 3, 5),
        divergence=_one_of(rng, None, 1, 2, 4) if with_replica else None,
        drop_s=_one_of(rng, 4, 8, 30),
        goal=_one_of(rng, "mean", "last"),
    )


def plan_by_lot(seed: int, instance: TransfersInstance) -> TransferPlan:
    """Return a plan that names what it may, whatever comes of it."""
    rng = default_rng(seed)
    names = [one.name for one in instance.updates]
    left = rng.permutation(names)[: rng.integers(len(names) + 1)].tolist()
    sends: list[Send] = []
    while left:
        count = int(rng.integers(1, 4)) if instance.aggregators else 1
        members, left = left[:count], left[count:]
        vias = [*instance.aggregators, *([None] if len(members) == 1 else [])]
        to = "both" if instance.replica and rng.random() < 0.5 else "server"
        sends.append(together(_one_of(rng, *vias), *members, to=to))
    return plan(*sends, sharing=_one_of(rng, "ordered", "fair"))


def _one_of(rng: Generator, *values: Any) -> Any:
    return values[int(rng.integers(len(values)))]


def for_programs(*aggregators: str) -> TransfersInstance:
    """Return an instance on which all that programs can say is said."""
    updates = [
        update("long", 4, ready_s=1),
        update("stale", 3, behind=2),
        update("urgent", 2, due_s=5),
        update("light", 1, norm="0.5"),
    ]
    fields: dict[str, Any] = {"aggregators": aggregators, "staleness": 3, "divergence": 2}
    return star(updates, replica="replica", **fields)


def cuts(order: Sequence[int]) -> Iterator[list[Sequence[int]]]:
    """Yield every way to cut an order into groups."""
    if not order:
        yield []
    for size in range(1, len(order) + 1):
        for rest in cuts(order[size:]):
            yield [order[:size], *rest]


def ways_to_send(instance: TransfersInstance, members: Sequence[int]) -> Iterator[Send]:
    """Yield every way to send some updates as one."""
    names = [instance.updates[i].name for i in members]
    targets = ["server"] if instance.replica is None else ["server", "both"]
    for via, to in product([None, *instance.aggregators], targets):
        if via is not None or len(names) == 1:
            yield together(via, *names, to=to)


def all_plans(instance: TransfersInstance) -> Iterator[TransferPlan]:
    """Yield every plan, whether it keeps the rules or not."""
    n = len(instance.updates)
    for kept in range(n + 1):
        for order in permutations(range(n), kept):
            for groups in cuts(order):
                for sends in product(*(ways_to_send(instance, group) for group in groups)):
                    yield plan(*sends)
                    yield plan(*sends, sharing="fair")


def optimum(instance: TransfersInstance) -> Fraction:
    """Return the least value of all plans that the judge lets pass."""
    verdicts = (check(instance, made) for made in all_plans(instance))
    return min(verdict.value for verdict in verdicts if verdict.valid)
