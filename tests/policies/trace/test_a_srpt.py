"""A-SRPT: the order of one virtual machine, predictions, and the factor that they cost."""

from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

import pytest
from check.trace.small import job, make_instance
from little import few
from policies.trace.played import ends, mean_jct
from trace_optimum import optimum, tiny

from ringyard.analysis.guarantees import find_guarantee
from ringyard.analysis.guarantees.trace import completion_factor
from ringyard.instances.generate import generate

THEOREM = find_guarantee("virtual-order")


def test_a_job_waits_until_one_machine_would_have_ended_it() -> None:
    """On one machine of 2 GPUs `b` works from 1 to 2, and `a` from 0 to 1 and from 2 to 5.

    No job comes between two ticks, so that the ends at 2 and 5 are known at 1 and 4.
    """
    pair = make_instance({"s": 2}, job("a", 2, 4), job("b", 1, 2, arrival=1))
    assert ends(pair, "a-srpt") == {"b": 1 + 2, "a": 4 + 4}
    assert ends(pair, "a-srpt:waits=no") == {"a": 4, "b": 4 + 2}


def test_the_order_is_that_of_predictions() -> None:
    """The jobs are alike, but are predicted to end at 2 and 8 on the virtual machine."""
    jobs = job("long", 1, 5, predicted_s=6), job("short", 1, 5, predicted_s=2)
    assert ends(make_instance({"s": 1}, *jobs), "a-srpt") == {"short": 1 + 5, "long": 7 + 5}


def test_nobody_starts_past_a_job_that_does_not_fit_unless_allowed() -> None:
    """`x` runs from 1 to 11 although 4 ticks were predicted, and `y` needs both GPUs from 3 on."""
    jobs = job("x", 1, 10, predicted_s=4), job("y", 2, 2), job("z", 1, 5)
    three = make_instance({"s": 2}, *jobs)
    assert ends(three, "a-srpt") == {"x": 11, "y": 13, "z": 18}
    assert ends(three, "a-srpt:overtakes=yes") == {"x": 11, "z": 11, "y": 13}


def test_predictions_are_within_the_error_and_change_nothing_else() -> None:
    exact = generate("tiresias", seed=3, name="t", jobs=40)
    for error in (1, 4):
        found = generate("tiresias", seed=3, name="t", jobs=40, error=Decimal(error))
        factors = [one.predicted_s / one.duration_s for one in found.jobs]
        assert all(1 / (1 + error) - 0.01 < factor < 1 + error + 0.01 for factor in factors)
        assert min(factors) < 0.7 < 1.4 < max(factors)
        assert exact.jobs == tuple(replace(one, predicted_s=None) for one in found.jobs)


def test_the_factor_is_the_one_of_the_page() -> None:
    """Two of 4 GPUs are busy while a job waits: K = 2. Durations are 1/2 to 3 times predicted."""
    jobs = job("a", 3, 4, predicted_s=2), job("b", 1, 2, arrival=3, predicted_s=6)
    batch = make_instance({"s": 4}, *(replace(one, arrival_s=Decimal(0)) for one in jobs))
    late = make_instance({"s": 4}, *jobs)
    f = 3 * (1 + 2 / Fraction(1, 2)) + 1
    assert completion_factor(batch) == completion_factor(late) == f == THEOREM.factor(batch)
    assert THEOREM.factor(late) == f + (f - 1) * 3 / (4 + 2)


def test_the_factor_counts_the_speed_across_servers() -> None:
    """On two servers a job with communication 1 takes twice as long, and one GPU never does."""
    jobs = job("a", 1, 4, communication=1), job("b", 2, 3, communication=1)
    assert completion_factor(make_instance({"s": 2}, *jobs)) == (1 + 2) + 1
    assert completion_factor(make_instance({"a0": 1, "b0": 1}, *jobs)) == (1 + 2 * 2) + 2


@pytest.mark.parametrize("seed", few(10, range(40)))
def test_the_mean_stays_within_the_factor_of_the_optimum(seed: int) -> None:
    rigid = [
        replace(one, speeds=(), packed_speed=None, predicted_s=Decimal(1 + (seed * 7 + k) % 9))
        for k, one in enumerate(tiny(seed).jobs)
    ]
    instance = replace(tiny(seed), jobs=tuple(rigid), contention=None, tick_s=Decimal(1))
    assert THEOREM.unmet(instance) is None
    assert mean_jct(instance, "a-srpt") <= THEOREM.factor(instance) * optimum(instance)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"speeds": {2: 1.5}}, "may run otherwise"),
        ({"allowed_regions": ("here",)}, "is bound to regions"),
    ],
)
def test_the_theorem_says_what_it_needs(change: dict[str, object], why: str) -> None:
    one = job("a", 1, 4, **{k: v for k, v in change.items() if k == "speeds"})
    if "allowed_regions" in change:
        one = replace(one, allowed_regions=("here",))
    instance = make_instance({"s": 2}, one, regions={"s": "here"})
    assert why in (THEOREM.unmet(instance) or "")
