"""Lists of rigid jobs end no later than is proved, and some as late as that."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from list_rules import RULES, Case, Job

from ringyard.analysis.guarantees import all_guarantees
from ringyard.campaigns.verifying.theorems import verify
from ringyard.instances.catalogue import load
from ringyard.policies.makespan.gang_lpt import WAITING, pack, priorities
from ringyard.simulation import build_model
from ringyard.simulation.makespan.evaluate import begun

FACTORS: dict[str, Callable[[Any], Fraction]] = {one.name: one.factor for one in all_guarantees()}


WIDEST = "whole-server-list:fill=no:order=widest"
"""The list of the proof alone."""


@st.composite
def cases(draw: st.DrawFn) -> Case:
    sizes = tuple(draw(st.lists(st.integers(1, 4), min_size=1, max_size=3)))
    late = draw(st.sampled_from((0, 8)))
    gpus, slots, release = st.integers(1, sum(sizes)), st.integers(1, 9), st.integers(0, late)
    jobs = st.lists(st.builds(Job, gpus, slots, release), min_size=1, max_size=10)
    return Case(sizes, tuple(draw(jobs)))


@given(cases(), st.sampled_from(sorted(RULES)))
def test_no_list_ends_later_than_is_proved(case: Case, name: str) -> None:
    assert (RULES[name](case) or 0) <= 1


@pytest.mark.parametrize(
    ("name", "sizes", "jobs"),
    [
        ("any-order", (3,), [Job(1, 1)] * 6 + [Job(1, 3)]),
        ("any-order", (4,), [Job(2, 3), Job(3, 2)]),  # 2 - 1/3 of 12 / 4: two GPUs, then three
        ("any-order", (6,), [Job(1, 12), Job(6, 10)]),
        ("ascending", (3,), [Job(1, 1)] * 6 + [Job(1, 3)]),
        ("assign-then-dispatch", (3,), [Job(1, 1)] * 6 + [Job(1, 3)]),
        ("widest-inside", (8, 8, 8), [Job(5, 1)] * 12 + [Job(4, 3)]),
        ("whole-servers", (2, 2, 2), [Job(3, 1)] * 2),
        ("whole-servers", (4, 4), [Job(5, 4)] + [Job(2, 1)] * 4 + [Job(1, 4)]),
    ],
)
def test_no_factor_can_be_smaller(name: str, sizes: tuple[int, ...], jobs: list[Job]) -> None:
    assert RULES[name](Case(sizes, tuple(jobs))) == 1


@pytest.mark.parametrize(
    ("instance", "method", "theorem", "value", "factor"),
    [
        ("hand-graham", "sjf-bco:ties=listed", "ascending", 5, Fraction(5, 3)),
        ("hand-graham", "sjf-bco-proved:ties=listed", "assign-then-dispatch", 5, Fraction(5, 3)),
        ("hand-ascending", "sjf-bco", "ascending", 10, Fraction(11, 6)),
        ("hand-starved", "gang-lpt", "any-order", 109, Fraction(11, 6)),
        ("hand-late-list", WIDEST, "whole-servers", 19, Fraction(29, 9)),
    ],
)
def test_named_instances_come_near(
    instance: str, method: str, theorem: str, value: int, factor: Fraction
) -> None:
    rows = verify(load(instance), [method])
    row = next(row for row in rows if row.guarantee.name == theorem)
    assert (row.value, row.factor, row.verdict) == (value, factor, "holds")


def test_inside_servers_a_list_can_be_as_late_as_proved() -> None:
    instance = load("hand-inside")
    _, widest, _ = priorities(instance)
    _, makespan = pack(build_model(instance), widest, WAITING, begun(instance))
    assert makespan == 7 == FACTORS["widest-inside"](instance) * 3
