"""`ringyard verify` and `ringyard list guarantees`."""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from ringyard.analysis.guarantees import all_guarantees
from ringyard.campaigns.verifying import theorems as random_runs
from ringyard.campaigns.verifying import theorems as verify


def test_rows_say_what_is_measured_and_what_is_proved(ringyard: Callable[..., Any]) -> None:
    done = ringyard("verify", "hand-theorem5", "--method", "list-scheduling", "--json")
    assert done.code == 0
    row = next(row for row in done.json["rows"] if row["guarantee"] == "longest-first")
    assert row == {
        "instance": "hand-theorem5",
        "method": "list-scheduling",
        "guarantee": "longest-first",
        "proved": True,
        "value": 7,
        "bound": 6,
        "bound_kind": "combinatorial",
        "best": 7,
        "ratio": 7 / 6,
        "factor": 7 / 6,
        "verdict": "holds",
        "remark": "",
    }


def test_the_table_leaves_out_theorems_that_do_not_speak(ringyard: Callable[..., Any]) -> None:
    done = ringyard("verify", "hand-contend", "--method", "gang-lpt")
    assert "any-order" in done.out
    rows, _, told = done.out.partition("\n\n")
    assert "longest-first" not in rows
    assert "longest-first: hypothesis not met on 1 run" in told


def test_the_table_gives_the_reason_where_no_theorem_speaks(ringyard: Callable[..., Any]) -> None:
    done = ringyard("verify", "hand-timing-continuous", "--method", "gang-lpt")
    assert "needs whole slots: progress is continuous" in done.out
    assert "inconclusive" in done.out


@pytest.mark.parametrize("again", [("--theorem", "any-order"), ("--method", "gang-lpt")])
def test_what_is_named_twice_has_one_row(ringyard: Callable[..., Any], again: Any) -> None:
    words = ("verify", "hand-contend", "--theorem", "any-order", "--method", "gang-lpt", *again)
    assert len(ringyard(*words, "--json").json["rows"]) == 1


@pytest.mark.parametrize(("proved", "code"), [(True, 1), (False, 0)])
def test_exit_code_1_where_something_proved_is_violated(
    ringyard: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, proved: bool, code: int
) -> None:
    wrong = replace(all_guarantees()[0], factor=lambda _: Fraction(1), hypotheses=(), proved=proved)
    monkeypatch.setattr(verify, "guarantees_of", lambda *_: (wrong,))
    done = ringyard("verify", "hand-theorem5", "--method", "list-scheduling")
    assert done.code == code
    sentence = "list-scheduling ends at 7, 6 is possible, and the factor is 1"
    assert sentence in done.out
    assert ("although it is proved" in done.err) is proved


def test_runs_are_counted_by_theorem_and_repeat(ringyard: Callable[..., Any]) -> None:
    words = ("verify", "--runs", 24, "--seed", 5, "--method", "random", "--method", "gang-lpt")
    done = ringyard(*words, "--json")
    assert done.code == 0
    assert done.json["rows"] == []
    counts = {row["guarantee"]: row for row in done.json["guarantees"]}
    assert counts["any-order"]["holds"] + counts["any-order"]["silent"] == 12
    assert counts["any-order"]["violated"] == counts["any-order"]["inconclusive"] == 0
    assert {mean["method"] for mean in done.json["means"]} == {"random", "gang-lpt"}
    assert sum(mean["runs"] for mean in done.json["means"]) == done.json["runs"]
    for mean in done.json["means"]:
        assert mean["low"] <= mean["mean"] <= mean["high"] <= mean["largest"]
    assert ringyard(*words, "--json").out == done.out
    table = ringyard(*words)
    assert "95 %\nconfidence limits, by Student's t on log(mean - 1)" in table.out
    assert f"{done.json['runs']} runs, {done.json['settled']} of them settled" in table.out


def test_columns_are_explained_and_a_sentence_for_each_theorem_comes_last(
    ringyard: Callable[..., Any],
) -> None:
    done = ringyard("verify", "hand-theorem5", "hand-contend", "--method", "sjf-bco")
    first, second = done.out.splitlines()[:2]
    assert first == "hand-theorem5: bound 6 (combinatorial)"
    assert max(map(len, done.out.splitlines())) <= 80
    assert "\nbound: proved bound on the best value, with its evidence\n" in done.out
    for head in ("value", "ratio", "factor", "verdict"):
        assert head in second.split()
        assert f"\n{head}:" in done.out
    # The factor of 3/2 against 7/6, and 81/20 against 7/5; the docs derive both factors.
    assert done.out.splitlines()[-4:] == [
        "theorem-5: held on 1 of 2 runs, violated on 1",
        "ascending: held on 2 runs, the ratio reached at most 77.8 % of the factor",
        "longest-first: held on 1 run, the ratio reached at most 100 % of the factor,",
        "  hypothesis not met on 1 run",
    ]


def test_sentences_count_named_and_random_instances_together(ringyard: Callable[..., Any]) -> None:
    """One of five random instances has unlike servers, which the theorem leaves out."""
    random = ("--method", "gang-lpt", "--runs", 5)
    (told,) = (one for one in ringyard("verify", *random).out.splitlines() if "any-order:" in one)
    both = ringyard("verify", "hand-theorem5", *random).out
    assert told.startswith("any-order: held on 4 runs, the ratio reached at most ")
    assert "any-order: held on 5 runs, the ratio reached at most " in both
    for head in ("silent", "median_factor", "nearest"):
        assert f"{head}:" in both.partition("settled\n")[2]


def test_rounding_explains_its_columns_and_ends_with_a_sentence_for_each_form(
    ringyard: Callable[..., Any],
) -> None:
    out = ringyard("verify", "pdors-roomy-s0", "--method", "pd-ors").out
    table, _, told = out.partition("\ngain: ")
    assert " usable " in table
    for head in ("form", "favours", "W_b", "cover", "packing", "limit 99 %", "stated", "usable"):
        assert f"{head}:" in told or f"{head}, " in told
    assert out.splitlines()[-2:] == [
        "random rounding, printed gains: held for 2 gains",
        "random rounding, chernoff gains: held for 3 gains",
    ]


def test_an_interrupt_shows_what_is_done(
    ringyard: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    true, calls = random_runs.verify, []

    def interrupted(*words: Any, **named: Any) -> Any:
        calls.append(words)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return true(*words, **named)

    monkeypatch.setattr(random_runs, "verify", interrupted)
    done = ringyard("verify", "--runs", 20, "--method", "gang-lpt", "--json")
    assert done.code == 130
    assert sum(row["holds"] + row["silent"] for row in done.json["guarantees"]) in (3, 6)
    assert "interrupted" in done.err


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("--runs", 0), "an integer at least 1"),
        (("--seed", -1), "--seed"),
        (("--time-limit", 0), "seconds above 0"),
        (("no-such-instance",), "no-such-instance"),
        (("--method", "gang-ltp"), "gang-lpt"),
        (("--method", "gang-lpt", "--method", "nested"), "'nested', expected a method with a"),
        (("--method", "sjf-bco:kapa=2"), "Did you mean 'kappa'"),
        (("--method", "sjf-bco:kappa=0"), "an integer from 1"),
    ],
)
def test_what_cannot_be_verified_is_refused(
    ringyard: Callable[..., Any], words: tuple[object, ...], why: str
) -> None:
    done = ringyard("verify", *words)
    assert done.code == 2
    assert why in done.err
    assert "Traceback" not in done.err
    assert done.out == ""


def test_guarantees_are_listed_and_chosen_by_kind(ringyard: Callable[..., Any]) -> None:
    rows = ringyard("list", "guarantees", "--json").json["guarantees"]
    assert [row["name"] for row in rows] == [guarantee.name for guarantee in all_guarantees()]
    few = ringyard("list", "guarantees", "--kind", "gang-lpt", "--json").json["guarantees"]
    assert [row["name"] for row in few] == ["any-order", "widest-inside", "longest-first"]
