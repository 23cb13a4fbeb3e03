"""When updates arrive and are applied: by hand, and as the engine says."""

from dataclasses import replace
from fractions import Fraction

import pytest
from transfers_small import by_lot, link, number, pending, plan, plan_by_lot, star, together, update

from ringyard.analysis.check import check
from ringyard.analysis.check.transfers import Routes
from ringyard.instances import TransfersInstance
from ringyard.simulation.transfers import replay

TWO = star([update("a", 2), update("b", 1)])


def test_the_first_takes_the_link_and_the_next_waits() -> None:
    assert dict(check(TWO, plan("a", "b")).applied) == {"a": 2, "b": 3}


def test_fair_shares_are_equal_until_one_has_arrived() -> None:
    assert dict(check(TWO, plan("a", "b", sharing="fair")).applied) == {"b": 2, "a": 3}


def test_a_send_behind_takes_what_is_left_on_its_way() -> None:
    links = [link("slow", "switch", "0.25"), link("fast", "switch", 2), link("switch", "server")]
    both = pending(links, [update("a", 1, "slow"), update("b", 3, "fast")])
    assert dict(check(both, plan("a", "b")).applied) == {"a": 4, "b": 4}
    assert dict(check(both, plan("b", "a")).applied) == {"b": 3, "a": 7}


def test_an_aggregator_waits_for_all_and_sends_the_largest() -> None:
    near = replace(TWO, aggregators=("switch",), replica="w-a", divergence=number(2))
    verdict = check(near, plan(together("switch", "a", "b", to="both")))
    assert dict(verdict.applied) == {"a": Fraction(202, 100), "b": Fraction(202, 100)}


def test_an_update_of_the_server_is_there_when_it_is_ready() -> None:
    links = [link("server", "other")]
    here = pending(links, [update("a", 5, "server", ready_s="1.5"), update("b", 1, "other")])
    assert dict(check(here, plan("a", "b")).applied) == {"b": 1, "a": Fraction(3, 2)}


def test_the_queue_waits_for_a_copy_that_makes_room() -> None:
    links = [link("w", "server", 2), link("w", "replica", 1)]
    updates = [update("a", 2, "w", norm=3), update("b", 2, "w", norm=2)]
    behind = pending(links, updates, replica="replica", divergence=3)
    verdict = check(behind, plan(together(None, "a", to="both"), "b"))
    assert (dict(verdict.applied), verdict.spread) == ({"a": 1, "b": 2}, 3)
    tight = replace(behind, divergence=number("2.5"))
    verdict = check(tight, plan(together(None, "a", to="both"), "b"))
    assert (dict(verdict.applied), verdict.spread) == ({"a": 2, "b": 2}, 2)
    late = replace(behind, divergence=number("4.9"), updates=(updates[1], updates[0]))
    verdict = check(late, plan(together(None, "b", to="both"), "a"))
    assert (dict(verdict.applied), verdict.spread) == ({"b": 1, "a": 2}, 3)


@pytest.mark.parametrize("seed", range(20))
def test_ways_are_those_of_the_instance(seed: int) -> None:
    instance = by_lot(seed)
    roads, nodes = Routes(instance), {end for one in instance.links for end in (one.a, one.b)}
    for source in nodes:
        for target in nodes:
            assert roads.between(source, target) == instance.route(source, target)


def flow_by_flow(instance: TransfersInstance) -> dict[str, Fraction]:
    """Return when each update arrives if all are sent directly, with a rate for each by itself.

    All rates grow together, and those on a link that is full stay.
    """
    left = {one.name: Fraction(one.size_gb) for one in instance.updates}
    ready = {one.name: Fraction(one.ready_s) for one in instance.updates}
    ways = {one.name: instance.route(one.worker, instance.server) for one in instance.updates}
    ends = {name: ready[name] for name, way in ways.items() if not way}
    now = Fraction(0)
    while len(ends) < len(ready):
        rates = dict[str, Fraction]()
        moving = [name for name in ready if name not in ends and ready[name] <= now]
        while len(rates) < len(moving):
            more = {name: ways[name] for name in moving if name not in rates}
            shares = {
                hop: (room - sum(rate for name, rate in rates.items() if hop in ways[name]))
                / sum(hop in way for way in more.values())
                for hop, room in instance.hops.items()
                if any(hop in way for way in more.values())
            }
            least = min(shares.values())
            full = {hop for hop, share in shares.items() if share == least}
            rates |= {name: least for name, way in more.items() if full & set(way)}
        steps = [left[name] / rate for name, rate in rates.items()]
        step = min(steps + [at - now for at in ready.values() if at > now])
        now += step
        for name, rate in rates.items():
            left[name] -= rate * step
            if not left[name]:
                ends[name] = now
    return ends


@pytest.mark.parametrize("seed", range(40))
def test_equal_flows_have_one_rate(seed: int) -> None:
    instance = by_lot(seed, 9)
    free = [replace(one, due_s=None, behind=0) for one in instance.updates]
    instance = replace(instance, updates=tuple(free), divergence=None, staleness=None)
    direct = plan(*(one.name for one in free), sharing="fair")
    assert dict(check(instance, direct).applied) == flow_by_flow(instance)


def agree(seeds: range) -> None:
    for seed in seeds:
        instance = by_lot(seed, 9)
        made = plan_by_lot(seed + 1, instance)
        verdict, found = check(instance, made), replay(instance, made)
        assert list(verdict.applied.items()) == list(found.applied.items()), seed
        assert (verdict.value, verdict.spread) == (found.value, found.spread), seed
        assert verdict.dropped == found.dropped, seed


def test_the_engine_agrees_to_the_last_digit() -> None:
    agree(range(150))


@pytest.mark.slow
def test_the_engine_agrees_on_many_plans() -> None:
    agree(range(150, 2000))
