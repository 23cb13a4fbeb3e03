"""The network of `FluidLinks` as a networkx graph, and the links that a ring crosses.

The graph is the definition: nodes are servers, leaves, spines and, with two spines or
more, a core; edge attribute ``capacity`` is in units of one server uplink (b^e). The
kernels use the flat arrays of `model.py`; a test holds the two equal.
"""

from fractions import Fraction
from itertools import pairwise
from typing import Any

import networkx as nx

from ..instances import Cluster, FluidLinks

CORE = ("core", "")


def build_graph(cluster: Cluster, network: FluidLinks) -> "nx.Graph[Any]":
    """Return the tree of links with their capacities."""
    graph: nx.Graph[Any] = nx.Graph()
    above: dict[str, Fraction] = {}
    for leaf in network.leaves:
        node = ("leaf", leaf.name)
        for name in leaf.servers:
            graph.add_edge(("server", name), node, capacity=Fraction(1))
        uplink = len(leaf.servers) / Fraction(network.leaf_oversubscription)
        graph.add_edge(node, ("spine", leaf.spine), capacity=uplink)
        above[leaf.spine] = above.get(leaf.spine, Fraction(0)) + uplink
    if len(above) > 1:
        for spine, below in above.items():
            uplink = below / Fraction(network.spine_oversubscription)
            graph.add_edge(("spine", spine), CORE, capacity=uplink)
    return graph


def ring_order(network: FluidLinks, servers: list[str]) -> list[str]:
    """Order the servers of a ring by spine and leaf, so that it crosses each link once."""
    place = {
        name: (leaf.spine, leaf.name, name) for leaf in network.leaves for name in leaf.servers
    }
    return sorted(servers, key=lambda name: place[name])


def ring_links(
    graph: "nx.Graph[Any]", network: FluidLinks, servers: list[str]
) -> dict[tuple[Any, Any], int]:
    """Count how often a ring over `servers` crosses every directed link."""
    ordered = ring_order(network, servers)
    crossed: dict[tuple[Any, Any], int] = {}
    for here, there in zip(ordered, ordered[1:] + ordered[:1], strict=True):
        path = nx.shortest_path(graph, ("server", here), ("server", there))
        for edge in pairwise(path):
            crossed[edge] = crossed.get(edge, 0) + 1
    return crossed
