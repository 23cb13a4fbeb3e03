"""Exact methods prove the same optimum on tiny instances, over all options of slotted time."""

import sys
from collections import Counter
from pathlib import Path

import pytest
from exact import (
    EXACT,
    NONCONVEX,
    OPTIONS,
    SMALLEST,
    claims,
    known,
    methods_for,
    optima,
    tiny_instance,
)
from injected import behind, blind, boaster, early, inject, pessimist, refusing
from little import little_work

from ringyard.cli.shrink import Claim, contradiction
from ringyard.instances import validate
from ringyard.run import solve

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))

import default_agreement
from default_agreement import DEFAULT, QUICK, compared

from ringyard.testing import makespan as nasty

SEED = 11
"""Other instances than the campaign's usual seed, 0."""

PROVED = 3
"""Times that each method must prove an optimum in the sample."""

SAMPLE = [*range(0, SMALLEST * len(OPTIONS), 2 * SMALLEST + 1), *range(1, len(OPTIONS), 12)]
"""Some of the smallest instances, and some larger ones."""


def assert_agreement(indices: list[int], methods: tuple[str, ...]) -> Counter[str]:
    """Hold the methods against each other; count the optima that each has proved."""
    proved: Counter[str] = Counter()
    for index in indices:
        instance = tiny_instance(SEED, index)
        made, _ = claims(instance, methods_for(index, known(methods)))
        assert contradiction(made) is None, instance.name
        proved.update(one.method for one in made if one.optimum is not None)
    return proved


def test_all_exact_methods_agree_on_a_sample() -> None:
    proved = assert_agreement(SAMPLE, (*EXACT, NONCONVEX))
    assert set(proved) == set(known((*EXACT, NONCONVEX)))
    assert min(proved.values()) >= PROVED


@pytest.mark.slow
def test_all_exact_methods_agree_on_more() -> None:
    """`python benchmarks/exact_agreement.py` compares them on thousands."""
    proved = assert_agreement(list(range(100, 125)), (*EXACT, NONCONVEX))
    assert proved["enumeration"] > 20


def test_the_instances_are_valid_and_the_same_every_time() -> None:
    for index in range(0, len(OPTIONS), 2):
        instance = tiny_instance(SEED, index)
        validate(instance)
        assert index % 6 or tiny_instance(SEED, index) == instance
        options = OPTIONS[index]
        assert (instance.progress, instance.overhead) == (options[0], options[2])
        assert (instance.contention.model == "fluid") == (options[1] == "fluid")


def test_faulty_methods_are_noticed_in_the_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    inject(monkeypatch, early=early, blind=blind, pessimist=pessimist)
    noticed: Counter[str] = Counter()
    for index in SAMPLE[:12]:
        instance = tiny_instance(SEED, index)
        for method in ("early", "blind", "pessimist"):
            made, _ = claims(instance, ["enumeration", method])
            noticed[method] += contradiction(made) is not None
    assert noticed["pessimist"] >= 10
    assert min(noticed["early"], noticed["blind"]) >= 3


def test_a_claimed_optimum_needs_a_bound_that_meets_it(monkeypatch: pytest.MonkeyPatch) -> None:
    inject(monkeypatch, boaster=boaster)
    (one,) = claims(tiny_instance(SEED, 0), ["boaster"])[0]
    assert one.value is not None
    assert one.value > one.bound
    assert (
        one.error
        == f"boaster ended with value {one.value} and bound {one.bound}, which should be equal"
    )


def test_a_refusal_is_no_claim() -> None:
    made, refused = claims(tiny_instance(SEED, 12), ["enumeration", "patterns"])
    assert [one.method for one in made] == ["enumeration"]
    assert "fair sharing" in refused["patterns"]
    assert list(optima(tiny_instance(SEED, 12), ["enumeration", "patterns"])) == ["enumeration"]


def test_the_default_is_no_worse_than_any_on_a_sample() -> None:
    """Instances of another seed than the campaign's, by work and not by time."""
    left = set()
    for index in range(0, len(nasty.OPTIONS), 7):
        instance = nasty.nasty_instance(SEED, index)
        validate(instance)
        exact = ["enumeration"] if len(instance.jobs) <= 3 else []
        made, refused, found = compared(instance, [*QUICK, *exact], None)
        assert found is None, f"{instance.name}: {found}"
        left.add(instance.progress if made else "refused")
        assert made or DEFAULT in refused
    assert left == {"continuous", "floor", "fractional", "refused"}


def test_placements_that_no_rule_chooses_are_found_by_looking_at_busy_schedules() -> None:
    """Three rings on 2 and 3 GPUs of two servers take 59 slots each; CP-SAT proves 177."""
    with little_work():
        assert solve(nasty.nasty_instance(0, 15548)).objective == 177


def test_a_default_that_is_behind_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    inject(monkeypatch, behind=behind, refusing=refusing)
    instance = nasty.nasty_instance(SEED, 1)
    for method in ("behind", "refusing"):
        monkeypatch.setattr(default_agreement, "DEFAULT", method)
        found = compared(instance, [*QUICK], None)[2]
        assert found is not None
        assert method in found.text


@pytest.mark.parametrize(
    ("claims", "words"),
    [
        ([Claim(method="a", value=5, bound=5), Claim(method="b", value=5, bound=3)], None),
        ([Claim(method="a", value=5, bound=4), Claim(method="b", value=4, bound=4)], None),
        ([Claim(method="a", value=5, bound=5), Claim(method="b", value=4, bound=4)], "below 5"),
        ([Claim(method="a", bound=6), Claim(method="b", value=5, bound=1)], "below 6"),
        ([Claim(method="a", impossible=True), Claim(method="b", value=5)], "no schedule"),
        ([Claim(method="a", impossible=True), Claim(method="b", bound=5)], None),
        ([Claim(method="a", value=5, bound=5), Claim(method="b", error="b broke")], "b broke"),
    ],
)
def test_claims_that_contradict_each_other_are_told(claims: list[Claim], words: str | None) -> None:
    found = contradiction(claims)
    assert (found is None) == (words is None)
    assert found is None or words in found.text
