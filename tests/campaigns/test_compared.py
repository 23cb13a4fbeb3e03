"""Rows of methods side by side: means, ratios and bounds by hand, and what is an error."""

from typing import Any

import pytest

from ringyard.campaigns.runs import BOUND, Run
from ringyard.instances.catalogue import load
from ringyard.papers.study import Compared, compared, in_order
from ringyard.run import ContradictionError

ONE = Compared(
    rows={
        "quick": [{"objective": 2, "end": 1}, {"objective": 4, "end": 3}],
        "slow": [{"objective": 4}, {"objective": 32}],
        "slower": [{"objective": 5}, {"objective": 32}],
    },
    bounds=(2, 2),
)


def test_numbers_by_hand() -> None:
    assert (ONE.mean("quick").mean, ONE.mean("quick", "end").mean) == (3, 2)
    assert ONE.ratio("slow", "quick").mean == pytest.approx(4)
    assert ONE.over_bound("slow") == [2, 16]
    assert ONE.above_bound("quick") == [0, 100]
    assert ONE.ratio_to_bound("slow").mean == pytest.approx(32**0.5)


def test_an_order_says_what_is_told_apart() -> None:
    assert ONE.order(["slower", "slow"]) == "slow ~ slower"
    values = {"a": 3.0, "b": 1.0, "c": 1.5}
    assert in_order(values, lambda less, more: values[more] - values[less] > 1) == "b ~ c < a"


@pytest.mark.parametrize(("bound", "fits"), [(6, True), (5, False)])
def test_the_bound_of_a_seed_is_the_best_of_all_its_rows(bound: int, fits: bool) -> None:
    runs = {name: [Run(instance=load("hand-lpt"), method=name)] for name in ("few", "many")}
    worth = {"few": {"objective": 3, "bound": bound}, "many": {"objective": 6, "bound": 8}}

    def answers(run: Run) -> dict[str, Any]:
        row = {
            "instance": "x",
            "method": run.method,
            "bound": 7,
            "bound_kind": "dual",
            "certificate": "area",
        }
        return row | {"valid": run.method != BOUND} | worth.get(run.method, {})

    bounding = [Run(instance=load("hand-lpt"), method=BOUND)]
    if fits:
        assert list(compared(runs, answers, bounding, maximize=True).bounds) == [bound]
        return
    with pytest.raises(ContradictionError, match="many gave a valid 6, above a certified bound"):
        compared(runs, answers, bounding, maximize=True)


@pytest.mark.parametrize("word", ["searched", "computed", "claimed", "none"])
def test_a_bound_without_a_certificate_does_not_count(word: str) -> None:
    def answers(run: Run) -> dict[str, Any]:
        row = {"instance": "x", "method": run.method, "objective": 9, "valid": run.method != BOUND}
        proved = {"bound": 7, "certificate": "area, loads"}
        return row | (proved if run.method == BOUND else {"bound": 8, "certificate": word})

    runs = {"few": [Run(instance=load("hand-lpt"), method="few")]}
    bounding = [Run(instance=load("hand-lpt"), method=BOUND)]
    assert list(compared(runs, answers, bounding).bounds) == [7]
