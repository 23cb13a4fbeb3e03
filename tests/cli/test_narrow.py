"""Tables on a terminal that is narrower than they are: nothing sticks out, nothing is lost."""

import re
import sys
from collections.abc import Callable
from typing import Any

import pytest

from ringyard.analysis.tables.model import Column, Table
from ringyard.cli.shared.output import LEAST, folded, paragraph, show_table

Call = Callable[..., Any]
WHATS = ("instances", "methods", "options", "guarantees", "formulations", "solvers", "rules")


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Return a function that makes standard output a terminal of so many columns."""

    def wide(columns: int) -> None:
        monkeypatch.setenv("COLUMNS", str(columns))
        monkeypatch.setattr(type(sys.stdout), "isatty", lambda _: True, raising=False)

    return wide


def words(text: str) -> list[str]:
    """Return what stands in a table, without its rules, whatever the order."""
    return sorted("".join(c for c in text if c.isalnum()))


@pytest.mark.parametrize("what", WHATS)
@pytest.mark.parametrize("columns", [80, 120])
def test_no_line_is_wider_than_the_terminal(
    ringyard: Call, terminal: Callable[[int], None], what: str, columns: int
) -> None:
    terminal(columns)
    lines = ringyard("list", what).out.splitlines()
    assert max(map(len, lines)) <= columns


@pytest.mark.parametrize(
    "line",
    [
        "locality hand-spread --regions 2",
        "rent boa-two-types --curve --simulate --jobs 50",
        "shuffle tiny-shuffle-12x5",
    ],
)
def test_tables_of_numbers_fold(ringyard: Call, terminal: Callable[[int], None], line: str) -> None:
    terminal(1000)
    wide = ringyard(*line.split()).out
    columns = max(map(len, re.findall(r"^(?:-+  )*-+$", wide, re.M))) - 1
    terminal(columns)
    narrow = ringyard(*line.split()).out
    rules = re.findall(r"^(?:-+  )*-+$", narrow, re.M)
    assert all(len(rule) <= columns for rule in rules)
    assert set(re.findall(r"\d+\.\d+", wide)) == set(re.findall(r"\d+\.\d+", narrow))


def test_elsewhere_tables_are_whole(ringyard: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    rows = ringyard("list", "guarantees", "--json").json["guarantees"]
    _, _, *lines = ringyard("list", "guarantees").out.splitlines()
    assert [line.split()[0] for line in lines] == [row["name"] for row in rows]


def test_a_folded_table_says_the_same(ringyard: Call, terminal: Callable[[int], None]) -> None:
    rows = ringyard("list", "guarantees", "--json").json["guarantees"]
    terminal(140)
    out = ringyard("list", "guarantees").out
    head = sorted("namefactorprovedneedssourcemethods")
    told = [row[k] for row in rows for k in ("name", "factor", "needs", "source", "methods")]
    assert words(out) == sorted(words("".join(told)) + head)


def test_paragraphs_say_the_same(ringyard: Call, terminal: Callable[[int], None]) -> None:
    rows = ringyard("list", "rules", "--json").json["rules"]
    terminal(40)
    lines = ringyard("list", "rules").out.splitlines()
    assert lines.count("makespan") == sum(row["kind"] == "makespan" for row in rows)


def test_the_widest_texts_give_way_and_numbers_stay() -> None:
    assert folded([20, 8, 60, 40], [False, True, False, False], 100) == [20, 8, 33, 33]
    assert folded([20, 8, 25, 60], [False, True, False, False], 100) == [20, 8, 25, 41]
    # The first column gives way last.
    assert folded([40, 8, 60], [False, True, False], 60) == [24, 8, 24]
    assert folded([40, 8, 60], [False, True, False], 2 * LEAST + 11) is None
    assert folded([4, 8, 6], [True, True, True], 22) == [4, 8, 6]


def test_a_paragraph_holds_what_says_something() -> None:
    cells = ["bco", "1", "", "*", "a text that is longer than the others are"]
    lines = [*paragraph(["name", "jobs", "needs", "exact", "about"], cells, 30)]
    assert lines == [
        "bco",
        "  jobs: 1  exact",
        "  about: a text that is longer",
        "    than the others are",
    ]


def test_columns_of_numbers_that_find_no_room_are_named(
    ringyard: Call, terminal: Callable[[int], None]
) -> None:
    terminal(50)
    out = ringyard("locality", "hand-spread", "--regions", "2").out
    assert "\nhidden, because the terminal is too narrow: " in out
    assert "all jobs free: bound" in out.replace("\n", " ")
    assert max(map(len, out.splitlines())) <= 50


def test_long_notes_do_not_break_a_table_that_fits(
    capsys: pytest.CaptureFixture[str], terminal: Callable[[int], None]
) -> None:
    """Marks and heads above heads stay, and a table may lose optional columns first."""
    columns = (
        Column(head="mean", over="wait, h", best="min"),
        Column(head="p95", over="wait, h", optional=1),
        Column(head="makespan of all jobs, h", optional=2),
    )
    note = "Wait: from arrival to first start, without the time of restarts."
    one = Table(caption="Waits", columns=columns, rows=((1, 3, 9), (2, 4, 9)), notes=(note,))
    terminal(40)
    show_table(one)
    whole = capsys.readouterr().out
    assert "wait, h" in whole
    assert "1^" in whole
    assert max(map(len, whole.splitlines())) <= 40
    terminal(30)
    show_table(one, 120)
    narrow = capsys.readouterr().out
    assert "1^" in narrow
    hidden = "hidden, because the terminal is too narrow: makespan of all jobs, h"
    assert hidden in " ".join(narrow.split())
    assert max(map(len, narrow.splitlines())) <= 30
