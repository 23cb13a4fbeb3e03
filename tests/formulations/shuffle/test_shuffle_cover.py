"""The program of covers: its cliques are all there are, and it says what a plan says."""

from fractions import Fraction
from itertools import combinations

import pytest
from hypothesis import given, settings
from shuffle_small import CYCLE, exchange, exchanges

from ringyard.analysis.check import check
from ringyard.formulations.catalogue import find_formulation
from ringyard.formulations.shuffle.cover import cliques_of
from ringyard.instances import InputError, RefusedError, ShuffleInstance
from ringyard.policies.shuffle import load_of
from ringyard.run import solve


@settings(max_examples=20, deadline=None)
@given(exchanges(rows=4, workers=4))
def test_the_cliques_are_all_largest_sets_that_share_a_sum(instance: ShuffleInstance) -> None:
    found = cliques_of(instance)
    nodes = [(found.rows[kind][0], k) for kind, k in found.nodes]

    def shares(some: tuple[int, ...]) -> bool:
        """Return True if each worker lacks one row of the sum, and that is its own."""
        rows = {nodes[v][0] for v in some}
        return len({nodes[v][1] for v in some}) == len(some) and all(
            rows - set(instance.workers[nodes[v][1]].has) == {nodes[v][0]} for v in some
        )

    sets = [
        set(some)
        for size in range(2, len(nodes) + 1)
        for some in combinations(range(len(nodes)), size)
        if shares(some)
    ]
    largest = [some for some in sets if not any(some < other for other in sets)]
    assert sorted(map(sorted, largest)) == sorted(map(sorted, found.members))


def test_what_is_read_is_no_dearer_than_what_is_written() -> None:
    """A sum may take in more workers than before, so that later ones need fewer."""
    instance = exchange(([1, 2], [0, 3]), ([0, 2, 3], [1]), ([0, 1], [2]), multicast="1.5")
    program, plan = find_formulation("cover"), solve(instance, "greedy-cover").schedule
    model = program.build(instance)
    program.write(model, plan)
    verdict = check(instance, program.read(model))
    assert verdict.valid
    assert verdict.objective == Fraction("2.5") < load_of(instance, plan)


def test_sums_of_sums_are_not_in_the_program() -> None:
    instance = exchange(*CYCLE)
    model = find_formulation("cover").build(instance)
    with pytest.raises(InputError, match="teach each receiver"):
        find_formulation("cover").write(model, solve(instance, "exact").schedule)


def test_nothing_to_send_is_refused() -> None:
    with pytest.raises(RefusedError, match="no worker lacks a row"):
        find_formulation("cover").build(exchange(([0], [0])))
