"""Suites are frozen: their training instances are the same on every machine, and for good."""

from fractions import Fraction

import pytest

from ringyard.evaluation.evaluate import drawn
from ringyard.evaluation.suites import TRAINING, Key, all_suites
from ringyard.families import FAMILIES, Suite
from ringyard.instances import digest
from ringyard.methods import find_method

DIGESTS = {
    "makespan-quick/1": ("a91e7170be1e 1660ee84f3e3 43c6476ee737 c432962ab63f"),
    "makespan/1": (
        "2245ca99ccfa 15fe6c3a4e04 386ff9e4f2e1 12ac8c59b7b6 1387e6451411 2c2e4ac81ce9 "
        "28550210003d 761201f56a45 dfd0959c33da f4e4eeeededc 5a96bc2c36f2 9ad6b6e574b6"
    ),
    "trace/1": (
        "e657d0cb1e8c a380678270cd 112d940eafe3 d5bc2c2599c2 05ae9bf2cd57 18eb23d738f9 "
        "f146fc64163d 71b65a24b960"
    ),
    "online/1": (
        "5b4e6406e0e3 76bf004d0a1d 62463011915f f5000509f183 70c189ce6486 9f8ad985e16f "
        "5aae263d7f3b 4b6d05c7b6a6"
    ),
    "fleet/1": ("9eb1a6b82d35 595cab752b4e 8924886180f1 9df3315f4259 b5b8bec8e6ed 4ed6f56e73be"),
}
"""Beginnings of the digests of training instances. A change here is another suite: give it another
version, as scores on it do not compare with those of before."""


@pytest.mark.parametrize("suite", all_suites(), ids=lambda suite: suite.name)
def test_training_instances_are_what_they_were(suite: Suite) -> None:
    found = [digest(one)[:12] for one in drawn(suite, TRAINING)]
    assert found == DIGESTS[f"{suite.name}/{suite.version}"].split()


@pytest.mark.parametrize("suite", all_suites(), ids=lambda suite: suite.name)
def test_a_suite_is_of_one_family_and_its_baselines_are_as_well(suite: Suite) -> None:
    instances = drawn(suite, TRAINING)
    assert {one.kind for one in instances} == {suite.kind}
    assert len({digest(one) for one in instances}) == len(instances)
    for name in suite.baselines:
        assert find_method(name, suite.kind).family == suite.kind
    assert all(FAMILIES[suite.kind].bounds(one)[0].value > Fraction(0) for one in instances)


def test_hidden_instances_follow_from_the_secret_and_do_not_say_so() -> None:
    suite = all_suites()[0]
    one, same, other = (Key(text) for text in (b"one secret", b"one secret", b"another"))
    assert drawn(suite, one) == drawn(suite, same)
    named = {digest(of) for key in (one, other, TRAINING) for of in drawn(suite, key)}
    assert len(named) == 3 * len(suite.drawn)
    for index, of in enumerate(drawn(suite, one)):
        assert str(one.seed(suite, index)) not in repr(of)
        assert of.source == ""
