"""Prices at which every job looks for its cheapest plan: what is found, and that it is proved."""

from decimal import Decimal
from fractions import Fraction
from itertools import product

import pytest
from check.certificates.proofs import checked, lines_of
from family_draws import drawn, trace_best

from ringyard.formulations.trace.demand import Demand, Mode
from ringyard.instances import Limits, RackServer, TraceInstance, TraceJob, Width
from ringyard.instances.catalogue import load
from ringyard.search.trace.plan_bound import Offers, cheapest, pieces_of, plan_bound

MODES = (
    Mode(1, 2, 10),
    Mode(2, 4, 18),
    Mode(2, 2, 6),
    Mode(3, 6, 20),
    Mode(4, 8, 30),
    Mode(5, 9, 30),
)
JOB = Demand(release=1, work=100, modes=MODES, rate=30, area=20, size=20)


def test_pieces_are_the_sides_of_the_hull() -> None:
    """Three GPUs do less than half of what lies between two and four; others take more for less."""
    found = pieces_of(MODES, [1])
    assert [(one.work, one.cost) for one in found] == [(10, 2), (8, 2), (12, 4)]


@pytest.mark.parametrize("seed", range(20))
def test_no_plan_in_whole_ticks_is_cheaper(seed: int) -> None:
    """A job of three ticks or more, against all modes in all ticks; in fractions and in floats."""
    starts, pays = (0, 2, 5, 7), [Fraction((seed * k) % 7, 2 * k) for k in (3, 4, 5)]
    ticks = [pay for pay, a, b in zip(pays, starts, starts[1:], strict=False) for _ in range(a, b)]
    best = Fraction(starts[-1])
    for held in product(((0, 0), (2, 10), (4, 18), (8, 30)), repeat=6):
        done = [sum(rate for _, rate in held[:end]) for end in range(7)]
        if done[-1] >= JOB.work:
            paid = sum(pay * halves for pay, (halves, _) in zip(ticks[1:], held, strict=True))
            end = next(end for end, work in enumerate(done) if work >= JOB.work)
            best = min(best, 1 + end + paid)
    found = cheapest(JOB, starts, Offers(MODES, [pays]))
    assert found.cost <= best
    assert found.cost >= min(best, 1 + 4)
    rounded = cheapest(JOB, starts, Offers(MODES, [[float(pay) for pay in pays]]))
    assert rounded.cost == pytest.approx(float(found.cost))


@pytest.mark.parametrize("number", range(20))
def test_a_bound_by_any_prices_is_proved_and_below_the_optimum(number: int) -> None:
    instance = drawn("trace", 29, number)
    first = plan_bound(instance, Limits(), 5)
    for bound in (first, plan_bound(instance, Limits(time_s=0.0), 40, first)):
        (follows,) = checked(instance, lines_of(instance, bound)).follows
        assert bound.value <= follows <= trace_best(instance)


def test_speed_costs_gpus() -> None:
    """Two jobs that are as fast on two GPUs together as on one alone: 4 + 4 ticks, not 2 + 2.

    On two GPUs one is 1.001 times as fast; side by side both end after 4 ticks. With the GPUs of
    the one and the speed of the other they would take turns, and one would end after 2.
    """
    wide = Width(gpus=2, speed=Decimal("1.001"))
    jobs = (TraceJob(name=name, gpus=1, duration_s=Decimal(4), speeds=(wide,)) for name in "ab")
    servers = (RackServer(name="s", gpus=2),)
    instance = TraceInstance(name="two", servers=servers, jobs=tuple(jobs))
    assert plan_bound(instance, Limits(), 8).value == 4


def test_what_is_known_is_never_lost_on_the_testbeds_of_the_catalogue() -> None:
    """The fluid program of mean busy times gave 921.61 and 234.23 with a thousand intervals."""
    for name, before in (("elastic-100-s0", "234.23"), ("tiresias-testbed", "921.6145")):
        bound = plan_bound(load(name), Limits(), 30)
        assert bound.value > Fraction(before)
