"""Jobs that exclude each other: weights that never lie, and values by hand."""

from hypothesis import given
from hypothesis import strategies as st
from search.small_instances import jobs_on

from ringyard.search.makespan.bounds.counting import (
    MOST_PLACES,
    best_bound,
    combinatorial_bounds,
    weight,
)


@given(st.data())
def test_what_fits_side_by_side_weighs_no_more_than_its_places(data: st.DataObject) -> None:
    total = data.draw(st.integers(1, 30))
    places = data.draw(st.integers(1, MOST_PLACES))
    free, weighed = total, 0
    while free:
        gpus = data.draw(st.integers(1, free))
        free, weighed = free - gpus, weighed + weight(gpus, total, places)
        assert weighed <= places * total


def test_two_of_three_fit_side_by_side() -> None:
    """Of 5 GPUs a job of 2 needs more than a third: 10 of one slot take 5, their area 4."""
    instance = jobs_on(5, *[(2, 1, 0)] * 10)
    bound = best_bound(instance)
    assert (bound.name, bound.value) == ("exclusion", 5)
    assert bound.argument == "10 jobs each need more than 1/3 of 5 GPUs"


def test_jobs_of_exactly_half_pair_up_but_not_beside_larger_ones() -> None:
    """One place for 6 slots, half of one for 2 + 2: 8 slots; the area of 26 on 4 GPUs takes 7."""
    rows = [(3, 6, 0), (2, 2, 0), (2, 2, 0)]
    bound = best_bound(jobs_on(4, *rows))
    assert (bound.name, bound.value) == ("exclusion", 8)
    assert bound.argument == "3 jobs each need half or more of 4 GPUs"


def test_from_a_release_on() -> None:
    """Three jobs of 2 of 3 GPUs released at 4 follow each other; alone the first ends at 6."""
    rows = [(1, 2, 0), (2, 2, 4), (2, 2, 4), (2, 2, 4)]
    bound = best_bound(jobs_on(3, *rows))
    assert (bound.name, bound.value) == ("exclusion", 10)


def test_it_is_left_out_where_it_says_no_more_than_the_area() -> None:
    names = {bound.name for bound in combinatorial_bounds(jobs_on(4, *[(2, 3, 0)] * 4))}
    assert names == {"area", "longest job"}
