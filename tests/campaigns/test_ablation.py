"""What the parts earn: who is left out where, and what is made of the rows."""

from typing import Any, get_args

import pytest
from campaigns.test_reproductions import made_up

from ringyard.campaigns.reproductions import Settings
from ringyard.campaigns.runs import Run
from ringyard.instances.catalogue import load
from ringyard.methods import find_method
from ringyard.papers import ablation
from ringyard.search.makespan.annealing import nested
from ringyard.search.makespan.bounds.counting import best_bound
from ringyard.search.makespan.bounds.slow_bounds import slow_bounds
from ringyard.search.makespan.diving import block_dive
from ringyard.search.makespan.portfolio import PortfolioPart

LITTLE = Settings(seeds=1, points=1)


def test_every_part_is_left_out_somewhere_and_can_be() -> None:
    parts = {part for group in ablation.groups() for part in group.parts}
    assert parts == {*get_args(PortfolioPart)}
    for part in parts:
        assert find_method(f"portfolio:without={part}", "makespan").options.without == part


def test_blocks_are_left_out_where_there_are_some() -> None:
    for group in ablation.groups():
        (one,) = ablation.drawn(group.drawn, 1)
        some = nested.refuses(one) is None and block_dive.refuses(one) is None
        assert some == ({*ablation.FOR_BLOCKS} <= {*group.parts})


def test_costs_are_differences_to_the_whole() -> None:
    """Local search alone is missed: three slots and the proof."""

    def answers(run: Run) -> dict[str, Any]:
        row, missed = made_up(run), run.method.endswith("=local-search")
        return row | {
            "objective": 103 if missed else 100,
            "termination": "limit" if missed else "done",
        }

    found = ablation.report(LITTLE, answers)
    slots, proofs = (dict(found.tables[name].rows) for name in ("slots", "proofs"))
    assert (slots["all on"], slots["local-search"], slots["loads"]) == ("0.0", "+3.0", "+0.0")
    assert (proofs["all on"], proofs["local-search"]) == ("1 of 1", "0 of 1")
    cost, rest = found.statements
    assert cost.endswith("leaving out local-search costs most, 3.0 slots on average.")
    assert "local-search" not in rest
    assert "loads" in rest


@pytest.mark.parametrize("name", ["hand-exclusion", "hand-contend", "small-08x4"])
def test_what_a_bound_is_missed_by_is_what_the_others_prove_less(name: str) -> None:
    """As the default counts without it; the others are not given the time that this took."""
    instance = load(name)
    values = ablation.values_of(instance)
    whole = max(values.values())
    for part in ("exclusion", "loads", "server configurations"):
        left = slow_bounds(instance, ablation.NO_LIMITS, None, part).best.value
        assert whole - ablation.lost(values, part) == left
    assert whole >= best_bound(instance).value
