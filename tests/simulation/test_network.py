"""The flat link records say the same as the networkx graph that defines the network.

Nodes are servers, leaves, spines and, with two spines or more, a core; the edge attribute
``capacity`` is in units of one server uplink (b^e).
"""

from fractions import Fraction
from itertools import pairwise
from typing import Any

import networkx as nx
from hypothesis import given
from hypothesis import strategies as st
from strategies import makespan_instances

from ringyard.instances import FluidLinks
from ringyard.simulation import build_model

CORE = ("core", "")


def build_graph(network: FluidLinks) -> nx.Graph:
    """Return the tree of links with their capacities."""
    graph: nx.Graph = nx.Graph()
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
    graph: nx.Graph, network: FluidLinks, servers: list[str]
) -> dict[tuple[Any, Any], int]:
    """Count how often a ring over `servers` crosses every directed link."""
    ordered = ring_order(network, servers)
    crossed: dict[tuple[Any, Any], int] = {}
    for here, there in zip(ordered, ordered[1:] + ordered[:1], strict=True):
        path = nx.shortest_path(graph, ("server", here), ("server", there))
        for edge in pairwise(path):
            crossed[edge] = crossed.get(edge, 0) + 1
    return crossed


@given(st.data())
def test_a_ring_crosses_the_same_links_in_both(data: st.DataObject) -> None:
    instance = data.draw(makespan_instances(contention="fluid", max_servers=6))
    network = instance.contention
    assert isinstance(network, FluidLinks)
    servers = [server.name for server in instance.cluster.servers]
    chosen = data.draw(st.lists(st.sampled_from(servers), min_size=1, unique=True))
    links = build_model(instance).links
    rows = [links[servers.index(name)] for name in chosen]
    used = {servers.index(name) for name in chosen} if len(chosen) > 1 else set()
    for tier in ("leaf", "spine"):
        above = {int(row[tier]) for row in rows}
        used |= above if len(above) > 1 else set()
    graph = build_graph(network)
    crossed = ring_links(graph, network, chosen) if len(chosen) > 1 else {}
    assert all(times == 1 for times in crossed.values())
    uplinks = {frozenset(edge) for edge in crossed}
    assert len(crossed) == 2 * len(uplinks)
    widths = sorted(float(graph.edges[tuple(edge)]["capacity"]) for edge in uplinks)
    assert widths == [float(w) for w in sorted(links["width"][link] for link in used)]
