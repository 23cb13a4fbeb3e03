"""Single rules on instances that are worked out by hand, or by trying everything."""

import sys
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from itertools import product
from math import ceil, inf
from random import Random

import pytest
from check.certificates.proofs import checked, claiming
from check.certificates.test_every_tick import refusal, tick_more
from check.certificates.test_limits import one_by_one, stated
from scipy.optimize import linprog
from shuffle_small import exchange
from trace_optimum import cluster, job
from transfers_small import link, pending, update

from ringyard.analysis.check.certificates.coded import RULES as CODED
from ringyard.analysis.check.certificates.online import Buyer, Room, by_mixing, by_parts
from ringyard.analysis.check.certificates.reading import ProofStep
from ringyard.analysis.check.certificates.rental import least
from ringyard.analysis.check.certificates.trace.needs import needs_of
from ringyard.analysis.check.certificates.transfers import every as every_plan
from ringyard.instances import CodedInstance, InputError, MeasuredTimes, TrainingJob
from ringyard.instances.speedup import SpeedPoint, SpeedTable
from ringyard.policies.request import Request
from ringyard.search.trace import state_search

NUMBERS = range(30)


def buyer(work: int) -> Buyer:
    """Return a job that needs so many samples, two of which a worker does inside."""
    nobody: TrainingJob = None  # type: ignore[assignment]
    return Buyer(nobody, (), (), 1, work, 2, 1, [Room(0, 0, 0)])


def drawn(number: int) -> tuple[int, list[list[tuple[int, int]]]]:
    """Return the samples that are needed, and the offers of a few slots."""
    rng = Random(number)
    slots = [
        [(rng.randint(1, 9), rng.randint(0, 12)) for _ in range(rng.randint(1, 6))]
        for _ in range(rng.randint(1, 3))
    ]
    return rng.randint(1, 20), slots


@pytest.mark.parametrize("number", NUMBERS)
def test_mixed_offers_cost_what_a_linear_program_says(number: int) -> None:
    work, slots = drawn(number)
    way, cost = by_mixing(buyer(work)), None
    for offers in slots:
        cost = way(offers)
    flat = [(k, min(work, n), price) for k, some in enumerate(slots) for n, price in some]
    rows = [[-n for _, n, _ in flat]]
    rows += [[int(k == slot) for k, _, _ in flat] for slot in range(len(slots))]
    found = linprog([price for _, _, price in flat], rows, [-work] + [1] * len(slots))
    assert (cost is None) == (found.status == 2)
    if cost is not None:
        assert float(cost) == pytest.approx(found.fun, abs=1e-9)


def test_mixed_offers_keep_every_corner_of_a_slot() -> None:
    # Either slot has slopes 1/2, 1 and 3/2 for two samples each: 4 at the first, 3 at the next.
    way = by_mixing(buyer(7))
    assert way([(2, 1), (4, 3), (6, 6)]) is None
    assert way([(2, 1), (4, 3), (6, 6)]) == 5


@pytest.mark.parametrize("number", NUMBERS)
@pytest.mark.parametrize("parts", [1, 3, 4])
def test_offers_one_by_one_cost_what_trying_all_says(number: int, parts: int) -> None:
    work, slots = drawn(number)
    way, cost = by_parts(buyer(work), parts), None
    for offers in slots:
        cost = way(offers)
    goal = ceil(Fraction(work * parts, 2))
    costs = [
        sum(price for _, price in some)
        for some in product(*([(0, 0), *offers] for offers in slots))
        if sum(ceil(Fraction(samples * parts, 2)) for samples, _ in some) >= goal
    ]
    assert (inf if cost is None else cost) == min(costs, default=inf)


def test_the_claim_that_is_not_reached_is_at_the_first_line() -> None:
    instance = one_by_one()
    lines = stated(instance, rule="area", **{"from": 0})
    refused = checked(instance, claiming(lines, 6)).refused
    assert refused is not None
    assert (refused.line, refused.rule) == (1, "")
    assert refused.why == "it claims at least 6, and from the steps follows at least 5"
    nothing = checked(instance, lines[:1]).refused
    assert nothing is not None
    assert nothing.why == "there are no steps"


@pytest.mark.parametrize(
    ("claim", "said"),
    [([["at_least", 1]], "claim"), ({"at_least": 1, "at_most": 9}, "claim"), ({}, "claim")],
)
def test_a_claim_has_one_side(claim: object, said: str) -> None:
    instance = one_by_one()
    lines = stated(instance, rule="area", **{"from": 0})
    with pytest.raises(InputError, match=said):
        checked(instance, [{**lines[0], "claim": claim}, lines[1]])


def test_loads_are_refused_from_where_all_jobs_end_one_by_one() -> None:
    # Two jobs, of 2 and 3 slots, the last released at 4: by slot 9 all can have ended.
    instance = one_by_one()
    late = replace(instance.jobs[1], release_slot=Decimal(4))
    instance = replace(instance, jobs=(instance.jobs[0], late))
    for by, said in ((8, "at these prices"), (9, "one after the other")):
        refused = checked(instance, stated(instance, rule="loads", by=by, prices=[])).refused
        assert refused is not None
        assert said in refused.why


@pytest.mark.parametrize("prices", [{"nobody": [1]}, {"j2": [1], "nobody": [1]}])
def test_configurations_price_jobs_of_the_whole_instance(prices: dict[str, list[int]]) -> None:
    instance = one_by_one()
    refused = checked(instance, stated(instance, rule="configurations", prices=prices)).refused
    assert refused is not None
    assert "jobs of the instance" in refused.why
    region = tuple(replace(one, region="a") for one in instance.cluster.servers)
    jobs = tuple(replace(one, allowed_regions=("a",)) for one in instance.jobs)
    instance = replace(instance, cluster=replace(instance.cluster, servers=region), jobs=jobs)
    step = {"rule": "configurations", "prices": {"j2": [2]}, "regions": ["a"]}
    refused = checked(instance, stated(instance, **step)).refused
    assert refused is not None
    assert "`regions` is not supported" in refused.why


def test_one_worker_hears_no_multicasts() -> None:
    # It lacks two rows, and is told both, however cheap a multicast were.
    instance = exchange(([0], [1, 2]), multicast="0.5", rows=3)
    for step in ({"rule": "orders", "orders": [[0]]}, {"rule": "mean of orders"}):
        assert checked(instance, stated(instance, **step)).follows == (2,)
    assert checked(instance, stated(instance, rule="all sums")).follows == (2,)


def test_a_sum_of_the_first_row_alone_is_tried() -> None:
    # All hear row 0 for 1.5, and one is told row 1; all three rows alone cost 4, two sums 3.
    instance = exchange(([], [0, 1]), ([], [0]), ([], [0]), multicast="1.5")
    assert checked(instance, stated(instance, rule="all sums")).follows == (Fraction(5, 2),)


def test_no_orders_say_nothing_of_messages() -> None:
    instance = exchange(([0], [1]), ([1], [0]))
    assert checked(instance, stated(instance, rule="orders", orders=[])).follows == (0,)


def test_the_least_of_many_codes_is_the_least() -> None:
    # Means are 1 and 3, so products 1 and 3 / 2; and of k workers at one time t alike.
    times = MeasuredTimes(times_s=(Decimal(1), Decimal(1), Decimal(7)))
    instance = CodedInstance(name="few", workers=3, time=times)
    chance, step = Fraction(1, 3), ProofStep(line=2, rule="", values={})
    late = [chance**3, 3 * chance**2 - 2 * chance**3, 1 - (1 - chance) ** 3]
    best = min((1 + 6 * one) / k for k, one in enumerate(late, 1))
    assert CODED["as many workers as parts"](instance, step) == best


@pytest.mark.parametrize("tick", ["1", "2", "0.5"])
@pytest.mark.parametrize(("restart", "resume"), [(0, 0), (2, 1), (3, 3), (1, 2)])
def test_ticks_of_any_length_and_stops_of_several(tick: str, restart: int, resume: int) -> None:
    length = Decimal(tick)
    jobs = [job("long", 1, 4), job("wide", 2, 1, 1), job("next", 1, 2, 2)]
    jobs = [
        replace(one, arrival_s=one.arrival_s * length, duration_s=one.duration_s * length)
        for one in jobs
    ]
    instance = replace(
        cluster(jobs, 1, 1),
        tick_s=length,
        restart_s=restart * length,
        resume_s=resume * length,
    )
    best = state_search.run(instance, Request(options=state_search.Options())).bound
    assert best is not None
    assert not refusal(instance, best.value)
    assert refusal(instance, tick_more(instance, best.value))


def test_a_server_in_another_region_has_no_room_for_a_job() -> None:
    # Both have to share the first server, as its region is theirs: they end after 2 and 4.
    jobs = [replace(job(name, 1, 2), allowed_regions=("a",)) for name in "xy"]
    instance = cluster(jobs, 1, 1)
    servers = tuple(
        replace(one, region=region) for one, region in zip(instance.servers, "ab", strict=True)
    )
    instance = replace(instance, servers=servers)
    assert not refusal(instance, Fraction(3))
    assert refusal(instance, Fraction(7, 2))


def test_without_a_replica_no_copies_are_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    # Of 1 update: one send, and when it ends. Of 2: either first, and then the other: 4 of these.
    for count, steps, value in ((1, 2, Fraction(1)), (2, 8, Fraction(3, 2))):
        links = [link("w", "server", 1)]
        updates = [update(name, 1, worker="w") for name in "ab"[:count]]
        instance = pending(links, updates, drop_s=30)
        lines = stated(instance, rule="every plan", at_least=str(value))
        monkeypatch.setattr(every_plan, "MOST_WORK", steps)
        assert checked(instance, lines).accepted
        monkeypatch.setattr(every_plan, "MOST_WORK", steps - 1)
        assert "takes more than" in str(checked(instance, lines).refused)


def test_two_workers_hear_a_multicast_each() -> None:
    # A sum of both rows tells each what it lacks; told alone they would cost 2.
    instance = exchange(([0], [1]), ([1], [0]))
    orders = {"rule": "orders", "orders": [[0], [1], [0, 1]]}
    assert checked(instance, stated(instance, **orders)).follows == (1,)


def test_a_whole_width_below_a_point_may_be_the_cheapest() -> None:
    # Of 2 GPUs (3 + 2 * 2) / 2, of 3 already 9 / 2.514..
    points = (("1", "1"), ("2.5", "2.5"), ("6", "2.6"))
    table = SpeedTable(
        points=tuple(SpeedPoint(gpus=Decimal(k), speed=Decimal(s)) for k, s in points)
    )
    assert least(table, Fraction(3), Fraction(2), whole=True) == Fraction(7, 2)


def test_ratios_of_one_whole_part_are_compared_in_full(monkeypatch: pytest.MonkeyPatch) -> None:
    module = sys.modules["ringyard.analysis.check.certificates.coded"]
    monkeypatch.setattr(module, "FINE", 0)
    test_the_least_of_many_codes_is_the_least()


def test_work_across_servers_is_a_whole_number_of_ticks() -> None:
    # A ring of 3 has to leave its servers of 2: it does 666,667 in a tick, and so 2 of these.
    (need,) = needs_of(cluster([job("ring", 3, 1, communication=Decimal("0.5"))], 2, 2))
    assert (need.work, need.ticks, need.whole, need.area) == (1_333_334, 2, 12, 12)
    assert [rate for _, rate, _ in need.modes] == [666_667]


def test_a_ring_is_slowed_by_as_many_servers_as_it_needs() -> None:
    # Of 5 GPUs it takes three servers of 2: 10 iterations of 1 s, and a second for each of them.
    # It pays 40 slots of 5 GPUs, and the servers earn 6 in a slot.
    instance = one_by_one()
    servers = tuple(replace(instance.cluster.servers[0], name=name) for name in "abc")
    ring = replace(instance.jobs[0], gpus=5, iterations=10)
    instance = replace(
        instance,
        cluster=replace(instance.cluster, servers=servers),
        jobs=(ring,),
        overhead="paper",
        overhead_s=Decimal(1),
    )
    step = {"rule": "servers", "inside": [], "pieces": [[1, 1, 1], [2, 2, 2]]}
    assert checked(instance, stated(instance, **step)).follows == (34,)


def test_what_an_aggregator_has_before_a_start_does_not_pay_for_it() -> None:
    # The update is at the aggregator at 1 s, and applied at 2 s; straight on it takes 10 s.
    links = [link("w", "server", "0.1"), link("w", "stop", 1), link("stop", "server", 1)]
    instance = pending(links, [update("a", 1, worker="w")], aggregators=("stop",), drop_s=30)
    step = {"rule": "counts by moments", "hops": [], "unit": 2, "by": ["3"], "starts": ["5"]}
    step |= {"prices": [[0, 4, 0, 2]], "shares": [[0, 0, 0, 0, 2]]}
    assert checked(instance, stated(instance, **step)).follows == (2,)


def test_an_update_that_is_late_on_every_way_is_dropped() -> None:
    # By way of the aggregator it is applied at 2 s, half a second behind its due time.
    links = [link("w", "server", "0.1"), link("w", "stop", 1), link("stop", "server", 1)]
    late = update("a", 1, worker="w", due_s="1.5")
    instance = pending(links, [late], aggregators=("stop",), drop_s=30)
    assert checked(instance, stated(instance, rule="alone")).follows == (30,)
