"""What a LaTeX table says: columns for siunitx, bold, groups, parts, pages, a width."""

import re
from dataclasses import replace
from itertools import pairwise

import pytest
from made_tables import EMPTY, MIXED, NAMES, TABLES, groups, wide
from stats_rows import run

from ringyard.analysis.intervals import student
from ringyard.analysis.table_kinds import KINDS, NOTHING
from ringyard.analysis.tables import Cell, Column, Table, texts, to_document, to_latex
from ringyard.analysis.tables.latex import PREAMBLE
from ringyard.analysis.tables.latex_text import in_lines, text_width
from ringyard.analysis.tables.layout import compact, lay_out


def body(latex: str) -> list[str]:
    """Return the rows between the rules of the first tabular."""
    lines = latex.splitlines()
    return lines[lines.index(r"\midrule") + 1 : lines.index(r"\bottomrule")]


def one_column(*cells: Cell, digits: int = 2) -> str:
    columns = (Column(head="x", digits=digits),)
    return to_latex(Table(caption="", columns=columns, rows=tuple((cell,) for cell in cells)))


@pytest.mark.parametrize(
    ("cells", "form"),
    [
        ((1.5, 22.25), "2.2"),
        ((-1.5, 3), "-1.2"),
        ((-0.001,), "1.2"),
        ((1e6, None, "killed"), "7.2"),
    ],
)
def test_numbers_stand_in_columns_of_their_format(cells: tuple[Cell, ...], form: str) -> None:
    assert rf"\begin{{tabular}}{{@{{}}S[table-format={form}]@{{}}}}" in one_column(*cells)


def test_gaps_texts_and_infinities_are_braced() -> None:
    found = body(one_column(1, None, "a_b", float("inf"), 1e22))
    assert found == [r"1.00 \\", r"{--} \\", r"{a\_b} \\", r"{inf} \\", r"{1e+22} \\"]


def test_an_interval_stands_in_a_column_of_its_own() -> None:
    found = one_column(student([1, 2, 3]), student([4]))
    assert r"S[table-format=1.2]@{\hspace{3pt}}>{\scriptsize}r" in found
    assert body(found) == [r"2.00 & [-0.48, 4.48] \\", r"4.00 &  \\"]


def test_the_best_is_bold() -> None:
    rows = body(to_latex(MIXED))
    assert [r"\bfseries 1.25" in row for row in rows] == [True, True, False, False]
    assert [r"\bfseries 7" in row for row in rows] == [False, True, True, False]


def test_what_neighbours_share_stands_above_them() -> None:
    assert r"\multicolumn{2}{@{}c@{}}{all runs}" in to_latex(MIXED)
    assert r"\cmidrule(lr){2-3}" in to_latex(MIXED)


def test_a_word_above_a_narrow_column_stays_whole() -> None:
    columns = (*texts("x"), Column(head="y", over="seconds"))
    latex = to_latex(Table(caption="", columns=columns, rows=(("a", 1.0),)))
    assert r"\multicolumn{1}{@{}c@{}}{seconds}" in latex


def test_groups_name_what_they_share_once() -> None:
    rows = body(to_latex(groups(2)))
    starts = [row.partition(" & ")[0] for row in rows]
    assert starts == ["group-0", "", "", "", r"\addlinespace", "group-1", "", "", ""]


def test_no_row_begins_with_an_option_of_the_line_before() -> None:
    for latex in map(to_latex, TABLES.values()):
        assert not re.search(r"^\s*[\[*]", latex, re.MULTILINE)


def test_a_table_higher_than_a_page_has_its_heads_on_each_and_whole_groups() -> None:
    table = groups(40)
    latex = to_latex(table, "tab:x")
    first, _, rest = latex.partition(r"\endfirsthead")
    again, _, rows = rest.partition(r"\endhead")
    for head in (first, again):
        assert re.search(r"\\toprule\n.*group & .*method & .*\n\\midrule", head)
        assert r"\caption" in head
    assert latex.count(r"\label{tab:x}") == 1
    lines = [line for line in rows.splitlines() if "method-" in line]
    assert len(lines) == len(table.rows)
    # Behind the last row of a group only, a page may end.
    assert [line.endswith("*") for line in lines] == [True, True, True, False] * 40


def test_a_group_that_no_page_holds_is_named_again() -> None:
    rows = tuple(("same", f"method-{i}", float(i)) for i in range(90))
    columns = (*texts("group", "method"), Column(head="x"))
    table = Table(caption="", columns=columns, rows=rows, shared=1)
    lines = [line for line in to_latex(table).splitlines() if " & method-" in line]
    named = [i for i, line in enumerate(lines) if line.startswith("same")]
    assert len(lines) == 90
    assert 5 < len(named) < 9
    assert max(b - a for a, b in pairwise([*named, 90])) < 20
    ends = [i for i, line in enumerate(lines) if not line.endswith("*")]
    assert ends == [*(i - 1 for i in named[1:]), 89]


def test_pages_of_columns_begin_with_whole_groups() -> None:
    table = groups(40)
    pages = to_latex(table, width=240).split(r"\begin{table}")[1:]
    assert len(pages) > 2
    assert all(len(re.findall("method-", page)) % 4 == 0 for page in pages)


def test_the_short_caption_leaves_out_what_marks_mean() -> None:
    table = replace(MIXED, caption="Times [s]", bold="the best")
    assert r"\caption[{Times [s]}]{Times [s]. Bold: the best.}" in to_latex(table)
    assert r"\caption{Numbers of all kinds}" in to_latex(MIXED)


def test_no_column_of_short_texts_wraps_in_every_row_if_smaller_type_helps() -> None:
    names = (f"a-long-name-of-a-group-{i}-with-more" for i in range(3))
    rows = tuple(
        (name, "some-method-of-a-solver", *[1.5] * 5, "combinatorial, dual") for name in names
    )
    columns = (*texts("instances", "method"), *(Column(head="mean", digits=3),) * 5, *texts("by"))
    layout = lay_out(Table(caption="", columns=columns, rows=rows, shared=1), 345)
    (last,) = [shape for part in layout.parts for shape in part if shape.place == 7]
    assert (
        last.squeezed is None
        or last.squeezed >= text_width("combinatorial, dual") * layout.step.scale
    )


def test_a_table_higher_than_a_column_goes_on_below_the_same_number() -> None:
    table = groups(40)
    latex = to_latex(table, "tab:x", width=240)
    pages = latex.split(r"\begin{table}")[1:]
    assert len(pages) > 2
    assert sum(len(re.findall("method-", page)) for page in pages) == len(table.rows)
    assert [page.count(r"\addtocounter{table}{-1}") for page in pages[:3]] == [0, 1, 1]
    assert latex.count(r"\label{tab:x}") == 1
    assert [page.count("So.") for page in pages] == [0] * (len(pages) - 1) + [1]
    assert all(body(page)[0].startswith("group-") for page in pages)


def test_type_grows_smaller_before_a_table_comes_in_parts() -> None:
    sizes = [lay_out(wide(count), 345).step.size for count in (2, 5, 6)]
    assert sizes == sorted(sizes, key=["normalsize", "small", "footnotesize"].index)
    parts = lay_out(wide(17), 345).parts
    assert [shape.place for part in parts for shape in part if shape.place] == [*range(1, 18)]
    assert all(part[0].place == 0 for part in parts)


def test_all_columns_are_shown_whatever_the_width() -> None:
    for width in (60.0, 240.0, 500.0):
        for table in TABLES.values():
            parts = lay_out(table, width).parts
            places = {shape.place for part in parts for shape in part}
            assert places == set(range(len(table.columns)))


OPTIONAL = replace(
    wide(5),
    columns=tuple(replace(one, optional=i) for i, one in enumerate(wide(5).columns)),
)


def test_a_column_of_a_page_leaves_out_optional_columns_the_least_important_first() -> None:
    heads = [column.head for column in OPTIONAL.columns]
    whole, none = compact(OPTIONAL, 500)
    assert (whole, none) == (OPTIONAL, ())
    lengths = []
    for width in (480, 320, 240, 160):
        found, left_out = compact(OPTIONAL, width)
        kept = [column.head for column in found.columns]
        assert kept == heads[: len(kept)]
        assert left_out == tuple(heads[len(kept) :])
        assert len(lay_out(found, width).parts) == 1
        lengths.append(len(kept))
    assert lengths == sorted(lengths, reverse=True)
    assert lengths[-1] < lengths[0]
    assert compact(wide(17), 240) == (wide(17), ())
    assert "% left out to fit 160 points: " in to_latex(OPTIONAL, width=160)


def starred(*more: Column) -> Table:
    """Return a table of means with stars, and more columns behind them."""
    stars = Column(head="stars", digits=None, beside=True)
    columns = (*texts("method"), Column(head="mean", digits=2), stars, *more)
    rows = (("a", 1.5, "", *[2.0] * len(more)), ("b", 12.25, "***", *[3.0] * len(more)))
    return Table(caption="Means", columns=columns, rows=rows)


@pytest.mark.parametrize("more", range(9))
def test_stars_stand_beside_their_mean_whatever_columns_follow(more: int) -> None:
    latex = to_latex(starred(*(Column(head=f"column-{i}") for i in range(more))))
    assert r"S[table-format=2.2]@{\hspace{0pt}}>{\scriptsize}l" in latex
    assert r"\multicolumn{2}{@{}c@{}}{mean}" in latex
    assert "{stars}" not in latex
    assert [row.split(" & ")[1:3] for row in body(latex.replace(r" \\", ""))] == [
        ["1.50", ""],
        ["12.25", "***"],
    ]


def test_quantities_are_italic_in_words_only() -> None:
    rows = (("p", 0.5), ("a p b", 0.0002))
    columns = (*texts("p or t"), Column(head="p", digits=3, floor=0.001, notes=("Student's t.",)))
    caption = "A ratio r with p < 0.05 and a p-value (p) of sharp-p, x=p and p.m"
    latex = to_latex(Table(caption=caption, columns=columns, rows=rows))
    assert (
        r"\caption{A ratio $r$ with $p$ \textless{} 0.05 and a $p$-value ($p$) of sharp-p," in latex
    )
    assert r"p or t & {$p$} \\" in latex
    assert body(latex) == [r"p & 0.500 \\", r"a p b & {\textless{} 0.001} \\"]
    assert "Student's $t$." in latex


def test_a_caption_has_three_lines_and_the_rest_goes_below() -> None:
    table = replace(
        MIXED, caption="Times", bold="the best of a group", legend="Marks are words. " * 9
    )
    assert r"\caption[{Times}]{Times. Marks" in to_latex(table, width=2000)
    narrow = to_latex(table, width=240)
    assert r"\caption{Times}" in narrow
    assert "raggedright Marks are words." in narrow


@pytest.mark.parametrize("width", [240, 345])
@pytest.mark.parametrize("kind", KINDS)
def test_captions_of_campaigns_have_at_most_three_lines(kind: str, width: float) -> None:
    means = {"a": 10, "b": 11, "c": 12}
    rows = [
        run(name, f"x-s{i}", objective=mean + i, seconds=mean * 2.0**i)
        for i in range(12)
        for name, mean in means.items()
    ]
    latex = to_latex(KINDS[kind](rows, NOTHING), width=width)
    caption = re.search(r"\\caption(?:\[.*?\])?\{(.*)\}", latex)[1]  # type: ignore[index]
    plain = caption.replace(r"\textless{}", "<").replace("$", "").replace("\\", "")
    assert len(in_lines(f"Table 10: {plain}", 0.95 * width)) <= 3


def test_a_table_without_rows_says_so() -> None:
    assert body(to_latex(EMPTY)) == [r"\multicolumn{2}{c}{--} \\"]


def test_labels_hold_nothing_that_latex_would_take_for_a_command() -> None:
    assert r"\label{tab:a-b-50--}" in to_latex(NAMES, "tab:a_b-50%}")


def test_what_a_document_needs_stands_in_each_file_and_before_all() -> None:
    needs = list(PREAMBLE)
    assert to_latex(MIXED).splitlines()[: len(needs)] == [f"% needs {line}" for line in needs]
    assert to_document({"tab:x": MIXED}).splitlines()[1 : len(needs) + 1] == needs
