"""The cluster: servers, GPUs, the bandwidths between and inside them, and contention models.

`simulation/events.py` (fast) and the judge (exact) compute their effects.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Literal, TypeVar

from .reading.vocabulary import Amount, Count, Fraction01, Label, Later, NonEmpty, Positive

INTRA, INTER, REDUCE = Decimal("12.5"), Decimal("1.25"), Decimal(50)
"""Bandwidths in GB/s: 100 Gbit/s inside a server, 10 Gbit/s on its uplink, and reduction."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """One machine with identical GPUs."""

    name: Annotated[Label, "unique name"]
    gpus: Annotated[Count, "GPUs in this server (O_s)"]
    gpu: Annotated[
        Label | None, Later(), "kind of its GPUs, such as v100, or null if all servers are alike"
    ] = None
    uplink: Annotated[
        Fraction01, Later(), "bandwidth of its uplink as a fraction of the widest one (u_s)"
    ] = Decimal(1)
    region: Annotated[Label | None, Later(), "its region, if any"] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Cluster:
    """Servers joined by a network. A ring inside one server uses the faster inner links."""

    servers: Annotated[tuple[Server, ...], NonEmpty(), "the servers"]
    intra_bandwidth_gb_s: Annotated[Positive, "bandwidth between GPUs of one server (b^i)"]
    inter_bandwidth_gb_s: Annotated[
        Positive, "bandwidth of the servers' uplinks, or of the widest (b^e), at most b^i"
    ]
    reduce_gb_s: Annotated[
        Positive | None, "speed of adding gradients (C), or null if it takes no time"
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerUplink:
    """Rings that cross a server's uplink slow each other down, as in the SJF-BCO paper.

    A ring on several servers gets ``b^e / (k + degradation * (k - 1))`` with
    ``k = max(1, share * p)`` (equation 7). Here p is the largest number of such rings, itself
    included, on any of its servers (6). With unequal uplinks it gets the least of
    ``u_s b^e / (k + degradation * (k - 1))`` over its servers s, each with its own p.
    """

    model: Annotated[Literal["server_uplink"], "the model"] = "server_uplink"
    share: Annotated[Fraction01, "share of the rings that collide (xi_1)"] = Decimal(1)
    degradation: Annotated[Amount, "extra loss per competitor (alpha)"] = Decimal(0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Leaf:
    """A rack: servers under one leaf switch, which hangs under a spine."""

    name: Annotated[Label, "unique name"]
    servers: Annotated[tuple[Label, ...], NonEmpty(), "names of the servers in this rack"]
    spine: Annotated[Label, "spine switch above this leaf"] = "spine"


@dataclass(frozen=True, slots=True, kw_only=True)
class FluidLinks:
    """Rings share every link of a tree of servers, leaves and spines by max-min fairness.

    The uplink of server s carries u_s b^e. A leaf's uplink carries the sum of its servers' uplinks
    divided by ``leaf_oversubscription``. With two spines or more, a spine's uplink carries the sum
    of its leaves' uplinks divided by ``spine_oversubscription``. A ring is ordered by rack, so it
    crosses each link that it needs once in each direction.
    """

    model: Annotated[Literal["fluid"], "the model"] = "fluid"
    leaves: Annotated[tuple[Leaf, ...], NonEmpty(), "the racks, with every server in exactly one"]
    leaf_oversubscription: Annotated[
        Positive, "capacity below a leaf divided by capacity above it"
    ] = Decimal(1)
    spine_oversubscription: Annotated[
        Positive, "capacity below a spine divided by capacity above it"
    ] = Decimal(1)


Contention = ServerUplink | FluidLinks


K = TypeVar("K")


def tightest_fit(idle: Mapping[K, int], gpus: int) -> dict[K, int] | None:
    """Return GPUs on the tightest server that has enough idle, else on the fewest, or None."""
    enough = [server for server, free in idle.items() if free >= gpus]
    if enough:
        return {min(enough, key=idle.__getitem__): gpus}
    pieces: dict[K, int] = {}
    for server, free in sorted(idle.items(), key=lambda one: -one[1]):
        if free > 0 and gpus:
            pieces[server] = min(free, gpus)
            gpus -= pieces[server]
    return None if gpus else pieces
