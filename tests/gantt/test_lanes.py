"""Lanes: every piece has its own, and none beyond the GPUs that exist unless it must."""

from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ringyard.analysis.gantt.lanes import Block, LaneStay, assign_lanes


@st.composite
def stays(draw: st.DrawFn) -> LaneStay:
    start = draw(st.fractions(0, 20, max_denominator=3))
    length = draw(st.none() | st.fractions(Fraction(1, 3), 10, max_denominator=3))
    return LaneStay(start, None if length is None else start + length, draw(st.integers(1, 5)))


def meet(a: LaneStay, b: LaneStay) -> bool:
    return (b.end is None or a.start < b.end) and (a.end is None or b.start < a.end)


def lanes(blocks: tuple[Block, ...]) -> set[int]:
    return {lane for low, high in blocks for lane in range(low, high)}


def demand(there: list[LaneStay], moment: Fraction) -> int:
    return sum(
        stay.gpus
        for stay in there
        if stay.start <= moment and (stay.end is None or moment < stay.end)
    )


@given(st.lists(stays(), max_size=12), st.integers(1, 12))
def test_nobody_shares_a_lane(there: list[LaneStay], gpus: int) -> None:
    found = [lanes(blocks) for blocks in assign_lanes(there, gpus)]
    assert [len(held) for held in found] == [stay.gpus for stay in there]
    for i, a in enumerate(there):
        for k, b in enumerate(there[:i]):
            assert not (meet(a, b) and found[i] & found[k])


@given(st.lists(stays(), max_size=12), st.integers(1, 12))
def test_excess_lanes_are_used_if_and_only_if_the_server_is_overfull(
    there: list[LaneStay], gpus: int
) -> None:
    highest = max((high for held in assign_lanes(there, gpus) for _, high in held), default=0)
    peak = max((demand(there, stay.start) for stay in there), default=0)
    assert (highest > gpus) == (peak > gpus)


@given(st.lists(stays(), max_size=12), st.integers(1, 12))
def test_nobody_gets_an_excess_lane_while_real_ones_are_free(
    there: list[LaneStay], gpus: int
) -> None:
    found = [lanes(blocks) for blocks in assign_lanes(there, gpus)]
    real = set(range(gpus))
    for stay, held in zip(there, found, strict=True):
        if held - real:
            present = [
                other
                for other, by in zip(found, there, strict=True)
                if by.start <= stay.start and (by.end is None or stay.start < by.end)
            ]
            assert set.union(*present) >= real


def test_excess_lanes_stay_excess_when_they_become_free() -> None:
    # At 3, lanes 0 and 1 are free, and so is lane 3, which does not exist.
    times = [(0, 3, 2), (1, 9, 1), (1, 2, 1), (3, 4, 1)]
    there = [LaneStay(Fraction(start), Fraction(end), gpus) for start, end, gpus in times]
    assert assign_lanes(there, 3)[2:] == [((3, 4),), ((0, 1),)]


@pytest.mark.parametrize("ends", [(2, 3), (3, 2)])
def test_freed_lanes_join_into_one_block(ends: tuple[int, int]) -> None:
    first, second = (LaneStay(Fraction(i), Fraction(4), 2) for i in range(2))
    first, second = replace(first, end=Fraction(ends[0])), replace(second, end=Fraction(ends[1]))
    found = assign_lanes([first, second, LaneStay(Fraction(5), None, 4)], 4)
    assert found[-1] == ((0, 4),)


def test_blocks_that_become_free_together_lie_together() -> None:
    short, long = (LaneStay(Fraction(0), Fraction(end), 1) for end in (1, 9))
    wide = LaneStay(Fraction(1), Fraction(2), 3)
    found = assign_lanes([short, long, short, long, short, wide], 5)
    assert len(found[-1]) == 1


def test_the_tightest_block_is_taken() -> None:
    # At 3, lanes 0 to 2 and lane 4 are free: one GPU must not break the large block.
    times = [(0, 3, 3), (1, 9, 1), (2, 3, 1), (3, 9, 1), (4, 9, 3)]
    there = [LaneStay(Fraction(start), Fraction(end), gpus) for start, end, gpus in times]
    assert assign_lanes(there, 5)[-2:] == [((4, 5),), ((0, 3),)]


def test_a_server_may_be_of_any_size() -> None:
    most = 10**9
    there = [LaneStay(Fraction(0), None, most), LaneStay(Fraction(1), None, most)]
    assert assign_lanes(there, most) == [((0, most),), ((most, 2 * most),)]
