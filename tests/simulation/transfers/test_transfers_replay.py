"""What becomes of plans, in cases worked out by hand."""

from decimal import Decimal
from fractions import Fraction

from ringyard.instances import NetworkLink, Send, TransferPlan, TransfersInstance, Update
from ringyard.simulation.transfers import Network, Replayed, replay


def instance(links: str, sizes: str, **more: object) -> TransfersInstance:
    """Return an instance; `links` such as "a-b:2", an update of each size at w1, w2 and so on."""
    ends = [(*link.split(":")[0].split("-"), link.split(":")[1]) for link in links.split()]
    return TransfersInstance(
        name="case",
        links=tuple(NetworkLink(a=a, b=b, gb_s=Decimal(rate)) for a, b, rate in ends),
        updates=tuple(
            Update(name=f"u{i}", worker=f"w{i}", size_gb=Decimal(size))
            for i, size in enumerate(sizes.split(), 1)
        ),
        server="server",
        drop_s=Decimal(100),
        **more,  # type: ignore[arg-type]
    )


def play(case: TransfersInstance, *sends: Send, sharing: str = "ordered") -> Replayed:
    """Play sends through."""
    return replay(case, TransferPlan(instance="case", sharing=sharing, sends=sends))  # type: ignore[arg-type]


def alone(*numbers: int) -> list[Send]:
    return [Send(updates=(f"u{i}",)) for i in numbers]


ONE = instance("w1-core:4 w2-core:1 core-server:2", "2 2")


def test_the_first_takes_what_it_can_and_the_second_what_is_left() -> None:
    first = play(ONE, *alone(1, 2))
    assert first.applied == {"u1": 1, "u2": 3}
    second = play(ONE, *alone(2, 1))
    assert second.applied == {"u1": 2, "u2": 2}
    assert list(second.applied) == ["u2", "u1"]
    assert [rate for _, _, rate in second.courses[1].pieces] == [1]


def test_fair_flows_share_what_narrow_ones_leave() -> None:
    narrow = instance("w1-core:4 w2-core:0.5 core-server:2", "3 1")
    fair = play(narrow, *alone(1, 2), sharing="fair")
    assert fair.applied == {"u1": 2, "u2": 2}
    assert fair.courses[0].pieces[0].rate == Fraction(3, 2) * 2, "in halves of a GB"


def test_two_racks_meet_at_the_server() -> None:
    racks = instance("w1-a:1 w2-a:1 w3-b:4 a-core:1 b-core:4 core-server:2", "1 1 3")
    # u1 fills its uplink and half of the last link; u3 gets 1 GB/s until 2 s, u2 the other half.
    ordered = play(racks, *alone(1, 2, 3))
    assert ordered.applied == {"u1": 1, "u2": 2, "u3": Fraction(5, 2)}
    fair = play(racks, *alone(1, 2, 3), sharing="fair")
    # Rates of 1/2, 1/2 and 1: after 2 s u3 has 1 GB left and the link for itself.
    assert fair.applied == {"u1": 2, "u2": 2, "u3": Fraction(5, 2)}


def test_a_group_gathers_and_then_goes_on_as_the_largest() -> None:
    rack = instance("w1-rack:1 w2-rack:2 rack-core:1 core-server:9", "1 3", aggregators=("rack",))
    group = play(rack, Send(updates=("u1", "u2"), via="rack"))
    assert group.applied == {"u1": Fraction(9, 2), "u2": Fraction(9, 2)}
    assert [(c.start, c.stop) for c in group.courses] == [
        (0, 1),
        (0, Fraction(3, 2)),
        (Fraction(3, 2), Fraction(9, 2)),
    ]


def test_what_has_no_way_to_go_is_there_at_once() -> None:
    near = instance("server-x:1", "5", replica="x", divergence=Decimal(0))
    at = TransfersInstance(
        name="near",
        links=near.links,
        updates=(Update(name="u", worker="server", size_gb=Decimal(5), ready_s=Decimal(2)),),
        server="server",
        replica="x",
        drop_s=Decimal(9),
    )
    played = play(at, Send(updates=("u",), to="both"))
    assert played.applied == {"u": 2}
    assert played.arrivals[0].copy == 7
    assert played.spread == 1


WITH_REPLICA = instance(
    "w1-core:8 w2-core:8 core-server:1 core-replica:0.5",
    "1 1",
    replica="replica",
    divergence=Decimal(1),
)


def test_the_server_waits_for_the_copy_that_makes_room() -> None:
    both = play(WITH_REPLICA, *(Send(updates=(name,), to="both") for name in ("u1", "u2")))
    assert both.applied == {"u1": 1, "u2": 2}
    assert [arrival.copy for arrival in both.arrivals] == [2, 4]
    late = play(WITH_REPLICA, Send(updates=("u1",)), Send(updates=("u2",), to="both"))
    assert late.applied == {"u1": 1, "u2": 2}, "its own copy is there by then"
    assert late.spread == 1


def test_what_can_never_be_applied_is_missing_and_counts_as_dropped() -> None:
    stuck = play(WITH_REPLICA, *alone(1, 2))
    assert stuck.applied == {"u1": 1}
    assert stuck.value == Fraction(1 + 100, 2)
    assert stuck.dropped == ()


def test_routes_are_those_of_the_instance() -> None:
    ring = instance("w1-x:1 w1-y:1 y-server:1 x-server:1", "1")
    network = Network.of(ring)
    hops = [(ring.links[hop // 2], hop % 2) for hop in network.route("w1", "server")]
    way = tuple((link.b, link.a) if back else (link.a, link.b) for link, back in hops)
    assert way == ring.route("w1", "server") == (("w1", "x"), ("x", "server"))
