"""Wrong command lines name the next step, and help shows only what a reader needs."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ringyard.cli.app import whole_app
from ringyard.cli.imports import plans


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["explain", "hand-lpt"], "`--horizon` is required."),
        (["import"], "`FORMAT` is required."),
        (["generate"], "`FAMILY` is required."),
        (
            ["export", "hand-lpt", "--out", "x.foo"],
            "one of mps, lp, nl, sol, mzn, cpjson, csv, tiresias, sacct, slurm. Name",
        ),
        (["list", "tables", "--kind", "trace"], "tables have no family"),
        (["list", "solvers", "--family", "trace"], "solvers have no family"),
        (["compare", "hand-lpt,hand-spread"], "instances separated by blanks"),
        (
            ["solve", "hand-lpt", "--method", "fifo"],
            "fifo solves 'online', 'trace', 'transfers'",
        ),
        (["solve", "hand-lpt", "--method", "random-"], "Did you mean 'random'?"),
    ],
)
def test_a_wrong_command_line_names_the_next_step(
    ringyard: Callable[..., Any], words: list[str], text: str
) -> None:
    done = ringyard(*words)
    assert done.code == 2
    assert text in done.err


def test_an_unlike_name_suggests_no_method_of_another_family(ringyard: Callable[..., Any]) -> None:
    assert "Did you mean" not in ringyard("solve", "hand-lpt", "--method", "nope").err


def test_lists_of_theorems_and_rules_know_families(ringyard: Callable[..., Any]) -> None:
    by_kind, by_family = (
        ringyard("list", "guarantees", option, "shuffle", "--json").json["guarantees"]
        for option in ("--kind", "--family")
    )
    assert by_kind == by_family
    assert {one["name"] for one in by_kind} >= {"concerned", "padding"}
    assert "gang-lpt" not in str(by_kind)
    rules = ringyard("list", "rules", "--family", "coded", "--json").json["rules"]
    assert {one["kind"] for one in rules} == {"coded"}


def test_an_empty_list_of_bounds_says_what_it_lists(ringyard: Callable[..., Any]) -> None:
    assert "`ringyard bound INSTANCE` prints" in ringyard("list", "bounds").err


def test_the_format_of_an_export_follows_from_the_file(
    ringyard: Callable[..., Any], tmp_path: Path
) -> None:
    out = tmp_path / "small.lp"
    done = ringyard("export", "hand-lpt", "--formulation", "linearised", "--out", out, "--json")
    assert done.json["format"] == "lp"
    assert out.is_file()


def test_a_missing_point_is_noticed_before_the_program_is_built(
    ringyard: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(plans, "load_as")
    done = ringyard("import", "sol", "no.sol", "--instance", "x", "--formulation", "linearised")
    assert done.code == 2
    assert "expected an existing file. Check the path." in done.err


def test_help_has_no_negative_of_a_list_and_no_empty_default() -> None:
    page = whole_app().generate_docs()
    assert "--empty-" not in page
    assert "[default: ()]" not in page
    assert "[default: False]" not in page
    assert "[default: tiresias-l,yarn-cs,srtf]" in page
