"""The `transfers` family: updates of a model on their way to its server (MLfabric).

Workers hold updates. They send them over the links of a network, alone or aggregated on the way.
The server applies them in the order of arrival, and its replica must not fall too far behind.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Annotated, Any, Literal

from ..building import Number, Rows, built, pairs, rows_of
from ..errors import Problem, Words
from ..reading.vocabulary import (
    Amount,
    AnySchedule,
    Instance,
    Label,
    NonEmpty,
    Positive,
    Whole,
    repeats,
)

Goal = Literal["mean", "last"]
Hop = tuple[str, str]
"""A direction of a link: from the first node to the second."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NetworkLink:
    """A cable between two nodes. Each direction has its full bandwidth."""

    a: Annotated[Label, "a node"]
    b: Annotated[Label, "another node"]
    gb_s: Annotated[Positive, "bandwidth of each direction"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Update:
    """A change of the parameters that a worker has computed."""

    name: Annotated[Label, "unique name"]
    worker: Annotated[Label, "node that holds it"]
    size_gb: Annotated[Positive, "size of the data"]
    ready_s: Annotated[Amount, "earliest moment to send it"] = Decimal(0)
    behind: Annotated[Whole, "updates applied since the worker read the parameters"] = 0
    norm: Annotated[Amount, "length of its change of the parameters"] = Decimal(1)
    due_s: Annotated[Positive | None, "latest moment to apply it, or null for no limit"] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TransfersInstance(Instance):
    """Pending updates and a network. The objective is the time until updates are applied.

    It is the mean of the moments at which updates are applied (goal `mean`), or the last of them
    (goal `last`). A dropped update has the moment ``drop_s``. An update may only be applied if at
    most ``staleness`` other updates were applied since its worker read the parameters. These are
    the updates of ``behind`` and the updates applied earlier here.

    * Two nodes share at most one link, and no link joins a node to itself.
    * Links join the server with every worker that holds an update, every aggregator, and the
      replica.
    * The replica is not the server, and `divergence` requires a replica.
    * A transfer takes the route with the fewest links. Among such routes, it is the first that a
      search from the source finds with links in the order of the file.
    * With `divergence`, a send and all sends behind it wait while the norms of updates that only
      the server has would otherwise exceed this limit.
    """

    kind: Annotated[Literal["transfers"], "the problem family"] = "transfers"
    links: Annotated[tuple[NetworkLink, ...], NonEmpty(), "the network"]
    updates: Annotated[tuple[Update, ...], NonEmpty(), "updates to apply"]
    server: Annotated[Label, "node that holds the parameters"]
    aggregators: Annotated[tuple[Label, ...], "nodes that can sum updates"] = ()
    replica: Annotated[Label | None, "node that follows the server, or null for no replica"] = None
    staleness: Annotated[
        Whole | None,
        "limit on updates applied between a worker's reading and its own update, or null for "
        "no limit",
    ] = None
    divergence: Annotated[
        Amount | None,
        "limit on the sum of the norms of updates that only the server has, or null for no limit",
    ] = None
    drop_s: Annotated[Positive, "moment at which a dropped update is counted as applied"]
    goal: Annotated[Goal, "mean: the mean moment of all updates, last: the moment of the last"] = (
        "mean"
    )

    @property
    def hops(self) -> dict[Hop, Fraction]:
        """The bandwidth of each direction of each link."""
        there = {(link.a, link.b): Fraction(link.gb_s) for link in self.links}
        return there | {(link.b, link.a): Fraction(link.gb_s) for link in self.links}

    def route(self, source: str, target: str) -> tuple[Hop, ...]:
        """Return the route with the fewest hops, with ties broken by the order of links.

        It is empty from a node to itself. Nodes that are not connected raise `KeyError`.
        """
        came: dict[str, str] = {source: source}
        queue = [source]
        for node in queue:
            for link in self.links:
                for here, there in ((link.a, link.b), (link.b, link.a)):
                    if here == node and there not in came:
                        came[there] = node
                        queue.append(there)
        way: list[Hop] = []
        node = target
        while node != source:
            way.append((came[node], node))
            node = came[node]
        return tuple(reversed(way))

    def problems(self) -> Iterator[Problem]:
        """Yield every problem that involves several fields."""
        yield from repeats("updates", [update.name for update in self.updates])
        yield from self._link_problems()
        yield from self._node_problems()
        if self.divergence is not None and self.replica is None:
            advice = "name a replica, or leave divergence out"
            yield Problem("divergence", self.divergence, "null without a replica", advice)

    def _link_problems(self) -> Iterator[Problem]:
        seen: dict[frozenset[str], int] = {}
        for i, link in enumerate(self.links):
            ends = frozenset((link.a, link.b))
            if len(ends) == 1:
                yield Problem(f"links[{i}].b", link.b, "a node other than a", "remove the link")
            elif ends in seen:
                found, expected = Words(f"{link.a} to {link.b}"), "one link between two nodes"
                yield Problem(f"links[{i}]", found, expected, f"join it with links[{seen[ends]}]")
            seen.setdefault(ends, i)

    def _node_problems(self) -> Iterator[Problem]:
        joined = self._joined()
        if self.server not in joined:
            yield Problem("server", self.server, "a node of some link", "correct it, or add a link")
            return
        named = [(f"aggregators[{i}]", name) for i, name in enumerate(self.aggregators)]
        named += [("replica", self.replica)] if self.replica is not None else []
        named += [(f"updates[{i}].worker", one.worker) for i, one in enumerate(self.updates)]
        for path, name in named:
            if name not in joined:
                expected = f"a node that is connected to the server, {self.server!r}"
                yield Problem(path, name, expected, "correct it, or add a link")
        if self.replica == self.server:
            yield Problem("replica", self.replica, "a node other than the server", "name another")

    def _joined(self) -> set[str]:
        """Return the nodes with a route to the server, which is included if it has links."""
        joined = {self.server} & {node for link in self.links for node in (link.a, link.b)}
        before = -1
        while len(joined) > before:
            before = len(joined)
            for link in self.links:
                if link.a in joined or link.b in joined:
                    joined |= {link.a, link.b}
        return joined


Sharing = Literal["ordered", "fair"]
Target = Literal["server", "both"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Send:
    """One update that goes directly, or several that an aggregator adds up."""

    updates: Annotated[tuple[Label, ...], NonEmpty(), "names of the updates"]
    via: Annotated[
        Label | None, "the aggregator, or null for a single update that goes directly"
    ] = None
    to: Annotated[Target, "both: a copy also goes to the replica"] = "server"


@dataclass(frozen=True, slots=True, kw_only=True)
class TransferPlan(AnySchedule):
    """The sends. An update in no send is dropped."""

    kind: Annotated[Literal["transfers-schedule"], "the kind of file"] = "transfers-schedule"
    value_s: Annotated[Decimal | None, "claimed value of the objective"] = None
    sharing: Annotated[
        Sharing, "ordered: earlier sends get bandwidth first, fair: max-min fair sharing"
    ] = "ordered"
    sends: Annotated[tuple[Send, ...], "sends in order of priority"] = ()


def transfers(
    updates: Rows,
    links: Iterable[Any],
    *,
    server: str,
    drop_s: Number,
    name: str = "transfers",
    **more: Any,
) -> TransfersInstance:
    """Return an instance of pending updates and a network.

    Args:
        updates: At least `worker` and `size_gb`, or a pair of both.
        links: Two nodes and the bandwidth between them: ``("w0", "server", 1.25)``.
        server: The node that has the parameters.
        drop_s: The moment assigned to a dropped update.
        name: Name of the instance.
        **more: Other fields of the format: `aggregators`, `replica`, `staleness`, `goal`, ..

    Raises:
        InputError: With all problems, as for a file.
    """
    made: TransfersInstance = built(
        "transfers",
        name=name,
        updates=rows_of(updates, "u", pairs("worker", "size_gb")),
        links=list(map(pairs("a", "b", "gb_s"), links)),
        server=server,
        drop_s=drop_s,
        **more,
    )
    return made
