"""Markdown, CSV and HTML: whatever names hold, cells stay in place and nothing is carried out."""

import csv
import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from io import StringIO
from pathlib import Path

from made_tables import HOSTILE, MIXED, NAMES, TABLES, groups

from ringyard.analysis.intervals import student
from ringyard.analysis.tables import Column, Table, to_csv, to_html, to_markdown
from ringyard.analysis.tables.notations import FORMULA


def test_markdown_cells_stay_in_place() -> None:
    lines = to_markdown(NAMES).splitlines()[: len(HOSTILE) + 2]
    assert {len(re.findall(r"(?<!\\)(?:\\\\)*\|", line)) for line in lines} == {4}
    assert not any("<b>" in line for line in lines)
    assert lines[1] == "|---|--:|--:|"


def test_markdown_marks_the_best() -> None:
    table = Table(caption="", columns=(Column(head="x", best="min"),), rows=((2,), (1,)))
    assert to_markdown(table).splitlines()[2:] == ["| 2 |", "| **1** |"]
    assert "**1.25**" in to_markdown(MIXED)
    assert to_markdown(MIXED).startswith("| method | all runs: time | all runs: solved |")


def test_csv_keeps_names_and_all_digits() -> None:
    head, *rows = csv.reader(StringIO(to_csv(NAMES)))
    assert head == ["name_1", "a | b", "a | b low", "a | b high", "%"]
    for i, (row, name) in enumerate(zip(rows, HOSTILE, strict=True)):
        interval = student([1, 2, 3 + i])
        assert [row[0].removeprefix("'"), row[4]] == [name, ""]
        assert tuple(map(float, row[1:4])) == (interval.mean, interval.low, interval.high)


def test_no_text_in_csv_is_a_formula() -> None:
    rows = [*csv.reader(StringIO(to_csv(NAMES)))]
    assert not any(row[0].startswith(FORMULA) for row in rows)
    assert {row[0] for row in rows} >= {"'=cmd|' /C calc'!A0", "'+1 -1 @sum", "'-------"}
    table = Table(caption="", columns=(Column(head="x", digits=1),), rows=((-1.5,), (2,)))
    assert to_csv(table) == "x\n-1.5\n2\n"


def test_without_an_interval_the_mean_stands_alone() -> None:
    table = Table(caption="", columns=(Column(head="x", digits=1),), rows=((student([2.25]),),))
    assert to_csv(table) == "x,x low,x high\n2.25,,\n"


class Reader(HTMLParser):
    """Reads texts and attributes of cells, and checks that elements close as they opened."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.values: list[float] = []
        self.open: list[str] = []
        self.tags: set[str] = set()
        self.feed(text)
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open.append(tag)
        self.tags.add(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")
        self.values += [
            float((value or "").replace("Infinity", "inf"))
            for name, value in attrs
            if name == "data-value"
        ]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if {"td", "th"} & set(self.open):
            self.rows[-1][-1] += data


def test_html_shows_names_and_has_no_elements_of_theirs() -> None:
    found = Reader(to_html(NAMES))
    names = [row[0] for row in found.rows[1 : len(HOSTILE) + 1]]
    assert names[1] == HOSTILE[1]
    assert names[8] == HOSTILE[8]
    assert names[3] == "tab\\there, line\\nbreak, \\x07, κ, 環"
    assert not {"b", "script"} & found.tags
    assert found.values == [student([1, 2, 3 + i]).mean for i in range(len(HOSTILE))]


def test_html_fills_all_cells_so_that_rows_can_be_sorted() -> None:
    found = Reader(to_html(groups()))
    assert [row[0] for row in found.rows[1:5]] == ["group-0"] * 4
    assert '<td class="number best" data-value="0.0"><strong>0</strong></td>' in to_html(groups())
    assert 'data-value="Infinity"' in to_html(MIXED)
    assert '<th colspan="2" scope="colgroup">all runs</th>' in to_html(MIXED)


WRITE_ALL = """
from hashlib import sha256
from made_tables import TABLES
from ringyard.analysis.tables import to_csv, to_html, to_latex, to_markdown
for name, table in TABLES.items():
    for write in (to_latex, to_markdown, to_csv, to_html):
        print(name, write.__name__, sha256(repr(write(table)).encode()).hexdigest())
"""


def test_every_notation_is_the_same_in_every_process() -> None:
    # The seed of hashes decides the order of sets of texts.
    tests = Path(__file__).parents[2]
    written = set()
    for seed in ("1", "2", "3"):
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(tests)}
        command = [sys.executable, "-c", WRITE_ALL]
        written.add(subprocess.check_output(command, env=environment, text=True))
    (lines,) = written
    assert len(lines.splitlines()) == len(TABLES) * 4
