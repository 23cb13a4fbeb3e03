"""Limits for very many workers, and the theorem about the logarithm."""

from dataclasses import replace
from decimal import Context, Decimal, localcontext
from fractions import Fraction
from math import log

import pytest
from check.coded.codes import BIMODAL, EXPONENTIAL, LAWS, PARETO, number, work

from ringyard.analysis.coded import beta_of, limit_of
from ringyard.analysis.guarantees import guarantees_of
from ringyard.analysis.guarantees.coded import log_factor
from ringyard.instances import ShiftedExponential, TaskTime
from ringyard.instances.generate import generate
from ringyard.policies.coded import times_by_parts
from ringyard.run import solve


def test_the_limit_of_the_paper() -> None:
    """With 1 + Exp(1), by Lee et al. 2018: 0.6822 n parts, 3.146/n."""
    limit = limit_of(EXPONENTIAL)
    assert (f"{limit.parts:.4f}", f"{limit.scaled_s:.3f}") == ("0.6822", "3.146")
    assert "ln n / 3.1462" in limit.gain


@pytest.mark.parametrize("least", ["0", "1e-20", "0.001", "1", "30", "1e12"])
def test_beta_solves_its_equation(least: str) -> None:
    law = ShiftedExponential(least_s=Decimal(least), rate_per_s=number(2))
    beta, hair = beta_of(law), Decimal("1e-24")

    def beyond(at: Decimal) -> Decimal:
        return at - at.ln() - 1 - 2 * Decimal(least)

    with localcontext(Context(prec=80)):
        assert beyond(max(beta * (1 - hair), Decimal(1))) <= 0 <= beyond(beta * (1 + hair))


@pytest.mark.parametrize(
    "law",
    [
        *LAWS,
        ShiftedExponential(least_s=number(0), rate_per_s=number(3)),
        replace(PARETO, tail=number(0.5)),
        replace(BIMODAL, slow=number(0)),
        replace(BIMODAL, slow=number(1)),
        replace(BIMODAL, slow=number(0.9)),
    ],
    ids=lambda law: f"{law.model}",
)
def test_limits_are_approached(law: TaskTime) -> None:
    """At 4,000 workers within 8 per cent: where times have steps, it takes long."""
    workers = 4000
    times, limit = times_by_parts(work(workers, law)), limit_of(law)
    assert workers * times.min() == pytest.approx(limit.scaled_s, rel=0.08)
    assert (times.argmin() + 1) / workers == pytest.approx(limit.parts, abs=0.05)


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.model)
def test_the_gain_grows_as_it_says(law: TaskTime) -> None:
    """From 1,000 workers to 8,000, by the formula after "as" or "tends to"."""
    gains = []
    for workers in (1000, 8000):
        times = times_by_parts(work(workers, law))
        gains.append(float(times[-1] / times.min()))
    said = limit_of(law).gain
    if "ln n / " in said:
        assert gains[1] - gains[0] == pytest.approx(log(8) / float(said.split()[-1]), rel=0.02)
    elif "n^" in said:
        factor, power = float(said.split()[2]), float(said.split("n^")[1])
        assert gains[1] == pytest.approx(factor * 8000**power, rel=0.02)
        assert gains[1] / gains[0] == pytest.approx(8**power, rel=0.02)
    else:
        assert gains[1] == pytest.approx(float(said.split()[2].rstrip(":")), rel=0.05)


@pytest.mark.parametrize("least", ["0", "0.01", "1", "20"])
@pytest.mark.parametrize(("workers", "rows"), [(1, None), (2, None), (10, 33), (300, None)])
def test_uncoded_parts_lose_a_logarithm_at_most(least: str, workers: int, rows: int | None) -> None:
    law = ShiftedExponential(least_s=Decimal(least), rate_per_s=number(1.5))
    instance = work(workers, law, rows)
    answer, theorem = solve(instance, "uncoded"), guarantees_of("uncoded")[0]
    assert theorem.unmet(instance) is None
    assert answer.objective is not None
    ratio = answer.objective / answer.bound.value
    assert ratio <= theorem.factor(instance)


def test_the_factor_is_all_but_reached() -> None:
    instance = work(3000)
    times = times_by_parts(instance)
    assert 1 - 1e-3 < times[-1] / times.min() / float(log_factor(instance)) <= 1


def test_theorems_say_what_they_need() -> None:
    for law in LAWS[1:]:
        reason = guarantees_of("uncoded")[0].unmet(work(5, law))
        assert reason == f"needs a shifted exponential law: the law is {law.model}"
    shuffle = generate("shuffle", seed=0)
    reason = guarantees_of("uncoded")[0].unmet(shuffle)
    assert reason == "needs a shifted exponential law: the instance is of kind shuffle"
    best = guarantees_of("mds")[0]
    assert best.factor(work(5)) == Fraction(1)
    assert best.unmet(work(5)) is None
    options = solve(work(5), "mds:parts=2").method.options
    assert best.unmet(work(5), options) == "needs the best number of parts: parts is 2"
