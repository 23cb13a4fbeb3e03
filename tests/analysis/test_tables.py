"""One table in three notations: whatever names hold, LaTeX compiles and cells stay in place."""

import csv
import re
import shutil
import subprocess
from io import StringIO
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ringyard.analysis.intervals import Interval, student
from ringyard.analysis.tables import Column, Table, latex_text, to_csv, to_latex, to_markdown

HOSTILE = [
    r"\input{secret} & 50 % of #1 \\",
    "[4pt] * {a_b}^2 ~ $x$ | <b> `c` \"d\" 'e'",
    "[first](http://example.org) --- \\end{tabular}",
    "tab\there, line\nbreak, \x07, κ, 環",
    "*starred",
    "",
]
TABLE = Table(
    caption="Names & all: " + HOSTILE[0],
    columns=(Column(head="name_1", digits=None), Column(head="a | b"), Column(head="%", digits=2)),
    rows=tuple((name, student([1, 2, 3]), None) for name in HOSTILE),
    notes=(HOSTILE[1],),
)
COMMAND = re.compile(r"\\[a-zA-Z]+(?:\{\})?|\\[#$%&_{}]")
BACK = {
    r"\textbackslash{}": "\\",
    r"\textasciitilde{}": "~",
    r"\textasciicircum{}": "^",
    r"\textless{}": "<",
    r"\textgreater{}": ">",
    r"\textbar{}": "|",
}


def read_latex(text: str) -> str:
    """Read back a text as LaTeX would print it, refusing what has a meaning of its own."""
    rest = COMMAND.sub("", text)
    assert not set(rest) & set("\\{}#$%&_~^"), text
    return COMMAND.sub(lambda found: BACK.get(found[0], found[0][-1]), text)


def body(latex: str) -> list[str]:
    """Return the rows between the rules."""
    lines = latex.splitlines()
    return lines[lines.index(r"\midrule") + 1 : lines.index(r"\bottomrule")]


@given(st.text(st.characters(min_codepoint=32, max_codepoint=126)))
def test_latex_prints_what_stands_there(text: str) -> None:
    assert read_latex(latex_text(text)) == text


@given(st.text())
def test_latex_gets_printable_ascii_only(text: str) -> None:
    found = latex_text(text)
    assert found.isascii()
    assert found.isprintable()
    read_latex(found)


def test_rows_and_cells_stay_what_they_are() -> None:
    rows = body(to_latex(TABLE))
    assert len(rows) == len(HOSTILE)
    for row, name in zip(rows, HOSTILE, strict=True):
        assert row.endswith(r" \\")
        cells = re.split(r"(?<!\\)&", row.removesuffix(r"\\"))
        assert [cell.strip().removeprefix("{}") for cell in cells] == [
            latex_text(name),
            "2 (0 to 4)",
            "-",
        ]


def test_no_row_begins_with_an_option_of_the_line_before() -> None:
    assert not any(re.match(r"\s*[\[*]", row) for row in body(to_latex(TABLE)))


def test_texts_are_left_and_numbers_right() -> None:
    assert r"\begin{tabular}{lrr}" in to_latex(TABLE)
    assert to_markdown(TABLE).splitlines()[1] == "|---|--:|--:|"


def test_markdown_cells_stay_in_place() -> None:
    lines = to_markdown(TABLE).splitlines()[: len(HOSTILE) + 2]
    assert all(len(re.findall(r"(?<!\\)\|", line)) == 4 for line in lines)
    assert "](http" not in to_markdown(TABLE).replace(r"\]", "")


def test_csv_is_read_back_with_all_digits() -> None:
    head, *rows = csv.reader(StringIO(to_csv(TABLE)))
    assert head == ["name_1", "a | b", "a | b low", "a | b high", "%"]
    interval = student([1, 2, 3])
    for row, name in zip(rows, HOSTILE, strict=True):
        assert [row[0], row[4]] == [name, ""]
        assert tuple(map(float, row[1:4])) == (interval.mean, interval.low, interval.high)


def test_without_an_interval_the_mean_stands_alone() -> None:
    table = Table(caption="", columns=(Column(head="x", digits=1),), rows=((student([2.25]),),))
    assert body(to_latex(table)) == [r"2.2 \\"]
    assert to_csv(table) == "x,x low,x high\n2.25,,\n"


@pytest.mark.parametrize(
    ("value", "text"), [(-0.4, "0"), (-0.6, "-1"), (1234567, "1234567"), (0.5, "0")]
)
def test_numbers_are_rounded_without_a_minus_before_zero(value: float, text: str) -> None:
    table = Table(caption="", columns=(Column(head="x"),), rows=((value,),))
    assert body(to_latex(table)) == [rf"{text} \\"]


def test_an_interval_keeps_its_order() -> None:
    found = Interval(mean=-1.0, low=-2.0, high=-0.2, count=3)
    table = Table(caption="", columns=(Column(head="x"),), rows=((found,),))
    assert body(to_latex(table)) == [r"-1 (-2 to 0) \\"]


def test_a_row_of_another_length_is_refused() -> None:
    with pytest.raises(ValueError, match="2 cells for 1"):
        Table(caption="", columns=(Column(head="x"),), rows=((1, 2),))


def test_it_compiles(tmp_path: Path) -> None:
    latex = next(filter(None, map(shutil.which, ("pdflatex", "lualatex", "tectonic"))), None)
    if latex is None:
        pytest.skip("no LaTeX is installed here; only its notation was checked")
    source = (
        "\\documentclass{article}\\usepackage{booktabs}\\begin{document}\n"
        f"{to_latex(TABLE, 'tab:x')}\\end{{document}}\n"
    )
    (tmp_path / "table.tex").write_text(source, encoding="utf-8")
    options = [] if latex.endswith("tectonic") else ["-interaction=nonstopmode", "-halt-on-error"]
    done = subprocess.run(
        [latex, *options, "table.tex"], cwd=tmp_path, capture_output=True, check=False
    )
    assert done.returncode == 0, done.stdout.decode(errors="replace")
