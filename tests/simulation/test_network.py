"""The flat link records say the same as the networkx graph that defines the network."""

from hypothesis import given
from hypothesis import strategies as st
from strategies import makespan_instances

from ringyard.instances import FluidLinks
from ringyard.simulation import build_model
from ringyard.simulation.network import build_graph, ring_links


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
    graph = build_graph(instance.cluster, network)
    crossed = ring_links(graph, network, chosen) if len(chosen) > 1 else {}
    assert all(times == 1 for times in crossed.values())
    uplinks = {frozenset(edge) for edge in crossed}
    assert len(crossed) == 2 * len(uplinks)
    widths = sorted(float(graph.edges[tuple(edge)]["capacity"]) for edge in uplinks)
    assert widths == [float(w) for w in sorted(links["width"][link] for link in used)]
