"""Optimus' fits recover known curves, and its GPUs go where they shorten what is left most."""

from fractions import Fraction

import numpy as np
import pytest
from check.trace.small import job, make_instance
from little import few
from policies.trace.played import ends, mean_jct, played
from simulation.trace.drawn_instances import drawn

from ringyard.analysis.check import check
from ringyard.instances import TraceInstance
from ringyard.instances.catalogue import load_as
from ringyard.policies.trace.optimus import (
    LossFit,
    async_terms,
    even_pieces,
    fit_losses,
    fit_speeds,
    least_squares,
    share_out,
    speed_at,
    sync_terms,
)
from ringyard.policies.trace.serve import ClusterRoom

CURVES = [LossFit(0.2, 0.3, 0.4), LossFit(1.0, 1.0, 0.0), LossFit(0.05, 0.5, 0.1)]


@pytest.mark.parametrize("curve", CURVES)
def test_the_fit_of_exact_losses_is_the_curve_itself(curve):
    found = fit_losses([(epoch, curve.at(epoch)) for epoch in range(1, 15)])
    assert (found.a, found.b, found.c) == pytest.approx((curve.a, curve.b, curve.c), abs=1e-4)
    assert found.end(0.001) == pytest.approx(curve.end(0.001), rel=1e-3)


@pytest.mark.parametrize("curve", CURVES)
def test_the_fit_of_noisy_losses_predicts_the_end(curve):
    rng = np.random.default_rng(3)
    seen = [(e, curve.at(e) * (1 + 0.005 * rng.standard_normal())) for e in range(1, 41)]
    assert fit_losses(seen).end(0.002) == pytest.approx(curve.end(0.002), rel=0.25)


def test_later_losses_count_more():
    bend = [(e, LossFit(5.0, 0.1, 0.5).at(e) if e < 10 else 0.5 - 0.01 * e) for e in range(1, 31)]
    found = fit_losses(bend)
    misses = [abs(found.at(epoch) - loss) for epoch, loss in bend]
    assert max(misses[20:]) < max(misses[:10])


def test_nothing_is_fitted_to_few_losses():
    assert fit_losses([(epoch, 1.0 / epoch) for epoch in range(1, 5)]) is None


@pytest.mark.parametrize("curve", CURVES)
def test_behind_the_end_an_epoch_brings_less_than_the_limit(curve):
    end = curve.end(0.003)
    assert curve.at(end) - curve.at(end + 1) == pytest.approx(0.003)


def test_a_flat_curve_has_converged():
    assert LossFit(0.0, 1.0, 0.2).end(0.1) == 0


def test_no_coefficient_is_negative_and_none_is_worse_than_another_choice():
    rng = np.random.default_rng(0)
    for _ in range(50):
        rows, values = rng.standard_normal((8, 3)), rng.standard_normal(8)
        found = least_squares(rows, values)
        assert (found >= 0).all()
        slope = rows.T @ (rows @ found - values)
        # The conditions of Karush, Kuhn and Tucker, which are enough here.
        assert (slope > -1e-9).all()
        assert abs(slope @ found) < 1e-9


@pytest.mark.parametrize(("model", "terms"), [("sync", sync_terms), ("async", async_terms)])
def test_the_models_of_speed_are_recovered_from_a_few_widths(model, terms):
    coefficients = np.array([4.0, 0.5, 0.1, 0.02, 0.01])[: terms(1, 1).size]

    def speed(width):
        above = width if model == "async" else 1.0
        return above / float(terms(width, width) @ coefficients)

    fit = fit_speeds({width: speed(width) for width in (1, 2, 8, 16)})[model]
    assert [speed_at(model, fit, w) for w in (4, 12)] == pytest.approx([speed(4), speed(12)])


def shared(left, speeds, gpus, share="gain"):
    return share_out(left, speeds, ClusterRoom([gpus]), dict.fromkeys(left, 0), share)


def test_allocation_by_hand():
    speeds = {1: 1.0, 2: 1.8, 4: 2.4}
    # Steps of a: 100 (1 - 1/1.8) = 44, then 100 (1/1.8 - 1/2.4) / 2 = 7 for each GPU; of b: 27, 4.
    left = {0: 100.0, 1: 60.0}
    assert shared(left, {0: speeds, 1: speeds}, 3) == {1: 1, 0: 2}
    assert shared(left, {0: speeds, 1: speeds}, 4) == {1: 2, 0: 2}
    assert shared(left, {0: speeds, 1: speeds}, 6) == {1: 2, 0: 4}


def test_a_fair_share_goes_to_the_job_with_the_fewest_gpus():
    """However much longer the other one takes: of 5 GPUs, both have 2 before one has 4."""
    speeds = {1: 1.0, 2: 1.8, 4: 2.4}
    left = {0: 1000.0, 1: 1.0}
    assert shared(left, {0: speeds, 1: speeds}, 5) == {1: 1, 0: 4}
    assert shared(left, {0: speeds, 1: speeds}, 5, "equal") == {1: 2, 0: 2}


def test_gpus_that_slow_a_job_down_stay_idle():
    assert shared({0: 10.0}, {0: {1: 1.0, 2: 0.9}}, 4) == {0: 1}


def test_who_has_least_left_starts_first_if_not_all_can():
    one = {2: 1.0}
    assert shared({0: 9.0, 1: 5.0, 2: 7.0}, dict.fromkeys(range(3), one), 4) == {1: 2, 2: 2}


def test_pieces_are_even_on_the_fewest_servers():
    assert even_pieces([4, 2, 4], 3, range(3)) == {0: 3}
    assert even_pieces([4, 2, 4], 6, range(3)) == {0: 3, 2: 3}
    assert even_pieces([2, 2, 2], 5, range(3)) == {0: 2, 1: 2, 2: 1}
    assert even_pieces([4, 1, 1], 6, range(3)) == {0: 4, 1: 1, 2: 1}


def test_a_lone_job_is_widened_in_the_first_round():
    instance = make_instance({"a": 4}, job("x", 1, 12, speeds={2: 2, 4: 3}))
    assert ends(instance, "optimus:interval_s=2") == {"x": Fraction(4)}


def test_jobs_without_speeds_keep_their_width():
    instance = make_instance({"a": 4}, job("x", 1, 12), job("y", 2, 6))
    schedule = played(instance, "optimus:interval_s=2")
    assert {own.job: own.runs[0].gpus for own in schedule.jobs} == {
        "x": (("a", 1),),
        "y": (("a", 2),),
    }


def test_elastic_jobs_gain_by_it():
    instance = load_as(TraceInstance, "elastic-100-s0")
    assert mean_jct(instance, "optimus") < mean_jct(instance, "fifo")


@pytest.mark.parametrize("seed", few(8, range(20)))
def test_every_random_instance_is_finished_by_the_rules(seed):
    instance = drawn(seed)
    model = ("sync", "async", "measured")[seed % 3]
    method = f"optimus:interval_s={3 * instance.tick_s}:speed_model={model}"
    verdict = check(instance, played(instance, method))
    assert verdict.violations == ()
    assert len(verdict.ends) == len(instance.jobs)
