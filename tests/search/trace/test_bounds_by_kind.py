"""Bounds and exact methods on kinds of GPUs, against every placement in every tick."""

from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from check.certificates.proofs import checked, claiming, lines_of
from check.certificates.test_limits import stated
from little import few
from trace_optimum import cluster, job, optimum, shortest, tiny, tiny_mixed, with_outages

from ringyard.analysis.check import check
from ringyard.analysis.check.certificates.checking import check_certificate
from ringyard.analysis.check.certificates.reading import read_certificate
from ringyard.instances import Limits, RackServer, TraceInstance, Width, validate
from ringyard.instances.certificate import certificate_text
from ringyard.policies.request import ProgramOptions, Request
from ringyard.run import solve
from ringyard.search.trace import programs, state_search
from ringyard.search.trace.bounds import combinatorial_bounds, fluid_prices, makespan_bounds
from ringyard.search.trace.plan_bound import plan_bound

PROGRAM = ProgramOptions("tickwise", "highs")


@pytest.mark.parametrize("number", few(60, range(1000)))
def test_no_bound_is_above_the_optimum_and_no_certificate_proves_a_tick_more(number: int) -> None:
    instance = tiny_mixed(number)
    validate(instance)
    for bound in (*combinatorial_bounds(instance), plan_bound(instance, Limits(), 8)):
        lines = lines_of(instance, bound)
        verdict = checked(instance, lines)
        assert verdict.accepted, (bound, verdict.refused)
        (follows,) = verdict.follows
        assert bound.value <= follows <= optimum(instance), bound
        more = follows + Fraction(1, len(instance.jobs))
        assert not checked(instance, claiming(lines, more)).accepted
    (last,) = makespan_bounds(instance)
    text = certificate_text(instance, last, False, "makespan_s")
    assert last.value <= shortest(instance)
    assert accepted(instance, text)
    assert not accepted(instance, raised(text, last.value + 1))


@pytest.mark.parametrize("number", few(8, range(300)))
def test_bounds_hold_if_servers_have_outages(number: int) -> None:
    """They are those without outages, so an outage may only make the optimum worse."""
    for instance in (tiny(number % 10), tiny_mixed(number)):
        out = with_outages(instance, number)
        verdict = check(out, solve(out, "srsf").schedule)
        assert verdict.valid, verdict.violations
        assert optimum(instance) <= optimum(out) <= verdict.objective
        for bound in (*combinatorial_bounds(out), plan_bound(out, Limits(), 8)):
            assert bound.value <= optimum(out)
            assert checked(out, lines_of(out, bound)).accepted
        (last,) = makespan_bounds(out)
        assert last.value <= shortest(out)
        assert accepted(out, certificate_text(out, last, False, "makespan_s"))


def accepted(instance: TraceInstance, text: str, metric: str = "makespan_s") -> bool:
    return check_certificate(instance, read_certificate(text, "file"), metric).accepted


def raised(text: str, value: Fraction) -> str:
    head, step = text.splitlines()
    old = head[head.index('"at_least"') :]
    return head.replace(old, f'"at_least": "{value}"}}}}') + "\n" + step


@pytest.mark.parametrize("number", few(30, range(200)))
def test_the_search_of_states_finds_the_optimum(number: int) -> None:
    instance = tiny_mixed(number)
    found = state_search.run(instance, Request(options=state_search.Options()))
    verdict = check(instance, found.schedule)
    assert verdict.valid, verdict.violations
    assert verdict.objective == found.value == found.bound.value == optimum(instance)


def slow_on_the_other_kind(jobs: int) -> TraceInstance:
    """Return jobs of 4 ticks on kind a that take four times as long on kind b, a GPU of each."""
    slow = (Width(gpus=1, gpu="b", speed=Decimal("0.25")),)
    servers = (RackServer(name="s", gpus=1, gpu="a"), RackServer(name="t", gpus=1, gpu="b"))
    made = tuple(job(f"j{k}", 1, 4, gpu="a", speeds=slow) for k in range(jobs))
    return TraceInstance(name="slow", servers=servers, jobs=made)


def test_half_a_gpu_counts_for_what_it_can_do() -> None:
    """A GPU of kind b does a quarter: 8 ticks of a take 8 / 1.25 ticks, not 8 / 2."""
    instance = slow_on_the_other_kind(2)
    assert fluid_prices(instance) == (10**6, 250_000)
    (last,) = makespan_bounds(instance)
    assert last.value == 7 == shortest(instance)
    values = {bound.name: bound.value for bound in combinatorial_bounds(instance)}
    # On one machine of 2.5 units a job of 8 units ends after 3.2 ticks, and two after 6.4.
    assert values["one machine"] == Fraction(4 + 7, 2)


def test_prices_of_any_unit_prove_something() -> None:
    instance = slow_on_the_other_kind(3)

    def proved(**prices: int) -> Fraction:
        step = {"rule": "one machine", "prices": prices}
        (follows,) = checked(instance, stated(instance, **step)).follows
        return follows

    assert proved(a=1, b=1) == Fraction(2 + 4 + 6, 3)
    assert proved(a=4, b=1) == proved(a=8, b=2) == Fraction(4 + 7 + 10, 3)
    assert proved(a=1, b=0) == 0


@pytest.mark.parametrize(
    ("prices", "said"),
    [
        ([1, 2], "expected whole numbers by name"),
        ({"a": 1}, "prices are for 'a', expected the kinds of GPUs: a, b"),
        ({"a": 1, "b": 1, "c": 1}, "prices are for 'a, b, c', expected the kinds of GPUs: a, b"),
        ({"a": 1, "b": -1}, "without negative ones"),
        ({"a": 1, "b": "1/2"}, "expected whole numbers"),
        ({"a": 1, "b": "x"}, "expected a list of numbers"),
        ({"a": 0, "b": 0}, "prices are all 0, expected one above 0"),
    ],
)
def test_malformed_prices_are_refused_in_words(prices: Any, said: str) -> None:
    instance = slow_on_the_other_kind(1)
    for rule in ("one machine", "end by end", "busy times"):
        refused = checked(instance, stated(instance, rule=rule, prices=prices)).refused
        assert said in (refused.why if refused else "")


def test_where_all_gpus_are_alike_there_are_no_prices() -> None:
    instance = cluster([job("a", 1, 2)], 1)
    refused = checked(instance, stated(instance, rule="one machine", prices={"a": 1})).refused
    assert "expected the kinds of GPUs: none" in (refused.why if refused else "")
    assert all(bound.proof == ({"rule": bound.name},) for bound in combinatorial_bounds(instance))


def test_a_bound_on_the_makespan_says_nothing_of_the_mean() -> None:
    instance = slow_on_the_other_kind(2)
    (last,) = makespan_bounds(instance)
    about = certificate_text(instance, last, False, "makespan_s")
    assert not accepted(instance, about, "")
    assert not accepted(instance, certificate_text(instance, last, False), "")
    assert not accepted(instance, about.replace("makespan_s", "other"), "other")


def test_plans_pay_for_each_kind_of_gpus() -> None:
    """If both kinds had one price, each job would be on a GPU of kind a, and end after 4."""
    instance = slow_on_the_other_kind(2)
    assert 4 < plan_bound(instance, Limits(), 8).value <= optimum(instance) == Fraction(4 + 7, 2)


def counts(number: int) -> bool:
    return programs.refuses(tiny_mixed(number), PROGRAM) is None


@pytest.mark.parametrize("number", few(20, filter(counts, range(120))))
def test_the_program_of_ticks_finds_the_optimum(number: int) -> None:
    instance = tiny_mixed(number)
    found = programs.run(instance, Request(options=PROGRAM))
    verdict = check(instance, found.schedule)
    assert verdict.valid, verdict.violations
    assert verdict.objective == found.value == found.bound.value == optimum(instance)


@pytest.mark.parametrize(
    ("more", "restart", "said"),
    [
        ({}, 0, ""),
        ({"gpu": "a"}, 1, ""),
        ({}, 1, "may change its GPUs, and restarts are charged"),
        ({"packed_speed": Decimal("0.5")}, 0, ""),
    ],
)
def test_who_may_change_the_kind_must_do_so_for_nothing(
    more: dict[str, Any], restart: int, said: str
) -> None:
    servers = (RackServer(name="s", gpus=2, gpu="a"), RackServer(name="t", gpus=1, gpu="b"))
    made = (job("x", 1, 3, **more), job("y", 1, 2, gpu="b"))
    instance = TraceInstance(name="t", servers=servers, jobs=made, restart_s=Decimal(restart))
    reason = programs.refuses(instance, PROGRAM)
    assert said in (reason or "")
    assert (reason is None) == (not said)


def test_regions_hold_on_each_kind() -> None:
    """On kind a, x may only be in region 1, where y is. On kind b it is in region 3."""
    kinds = (("s", "a", "1"), ("t", "a", "2"), ("u", "b", "3"))
    servers = tuple(RackServer(name=n, gpus=1, gpu=k, region=r) for n, k, r in kinds)
    slow = (Width(gpus=1, gpu="b", speed=Decimal("0.5")),)
    made = (
        job("x", 1, 2, gpu="a", speeds=slow, allowed_regions=("1", "3")),
        job("y", 1, 2, gpu="a", allowed_regions=("1",)),
        job("z", 2, 2, gpu="a", arrival=1),
    )
    instance = TraceInstance(name="regions", servers=servers, jobs=made)
    found = programs.run(instance, Request(options=PROGRAM))
    assert check(instance, found.schedule).valid
    assert found.value == found.bound.value == optimum(instance)
