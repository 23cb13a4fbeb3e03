"""A table as a paper wants it: chosen columns, other names, methods as columns, whole numbers."""

import csv
from dataclasses import replace
from io import StringIO

import pytest
from made_tables import MIXED
from stats_rows import run

from ringyard.analysis.intervals import mean_above
from ringyard.analysis.table_kinds import KINDS, NOTHING
from ringyard.analysis.tables import (
    Column,
    Table,
    texts,
    to_csv,
    to_html,
    to_latex,
    to_markdown,
    to_plain,
)
from ringyard.analysis.tables.arrange import (
    renamed,
    transposed,
    with_columns,
    with_footnotes,
    without_zeros,
)
from ringyard.instances import InputError

TABLE = Table(
    caption="Two groups",
    columns=(
        *texts("group", "method"),
        Column(head="runs"),
        Column(head="time, s", digits=2, best="min", over="all"),
        Column(head="ratio", digits=3, best="min"),
    ),
    rows=(
        ("x", "a", 3, 1.5, 1.25),
        ("x", "b", 3, 0.5, mean_above([1.0, 1.5, 2.0], 1)),
        ("y", "b", 4, None, 1.0),
        ("y", "c", 4, 7.25, 2.0),
    ),
    shared=1,
)


def cells(table: Table) -> list[list[str]]:
    """Return heads and cells as a program reads them."""
    return [*csv.reader(StringIO(to_csv(table)))]


def test_columns_are_kept_in_the_order_of_their_names_and_groups_first() -> None:
    found = with_columns(TABLE, ["ratio, method", "group"])
    assert [column.head for column in found.columns] == ["group", "ratio", "method"]
    assert found.rows[0] == ("x", 1.25, "a")
    assert found.shared == 1


@pytest.mark.parametrize("name", ["time", "time, s", "all: time, s"])
def test_a_column_is_named_with_or_without_its_unit_and_what_is_above(name: str) -> None:
    assert with_columns(TABLE, ["group", name]).columns[1].head == "time, s"


def test_a_column_that_makes_groups_may_go_only_where_there_is_one() -> None:
    with pytest.raises(InputError, match="group among them: there are 2 groups"):
        with_columns(TABLE, ["method", "ratio"])
    one = Table(caption="", columns=TABLE.columns, rows=TABLE.rows[:2], shared=1)
    found = with_columns(one, ["method", "ratio"])
    assert found.shared == 0
    assert found.best() == one.best() - {(1, 3)} - {(0, 4)} | {(0, 1)}


def test_an_unknown_column_is_refused_by_its_like() -> None:
    with pytest.raises(InputError, match=r"columns: found 'tme'.*Did you mean 'time'"):
        with_columns(TABLE, ["tme"])


def test_heads_and_cells_get_other_names_in_every_notation() -> None:
    names = {"a": "SJF-BCO", "ratio": "gap_1", "all": "50 %"}
    found = renamed({"t": TABLE}, names)["t"]
    assert {"SJF-BCO", "b", "c"} == {row[1] for row in found.rows}
    assert r"gap\_1" in to_latex(found)
    assert r"50 \%" in to_latex(found)
    assert "gap\\_1" in to_markdown(found)
    assert "<td>SJF-BCO</td>" in to_html(found)


def test_a_name_that_stands_nowhere_is_refused() -> None:
    with pytest.raises(InputError, match=r"rename: found 'rato'.*Did you mean 'ratio'"):
        renamed({"t": TABLE}, {"rato": "x"})


def test_transposed_methods_are_columns_and_measures_lines() -> None:
    found = transposed(TABLE)
    assert [column.head for column in found.columns] == ["group", "measure", "a", "b", "c"]
    assert [row[:2] for row in found.rows] == [
        (group, measure) for group in "xy" for measure in ("runs", "all: time, s", "ratio")
    ]
    assert found.rows[1][2:] == (1.5, 0.5, None)
    assert [found.text(i, 2) for i in range(3)] == ["3", "1.50", "1.250"]
    # As before: in group x method b is quicker and a has the better ratio; in y it is b.
    assert found.best() == {(1, 3), (2, 2), (5, 3)}
    assert [len(group) for group in found.groups()] == [3, 3]


def test_a_single_measure_stands_in_the_caption() -> None:
    found = transposed(with_columns(TABLE, ["group", "method", "time"]))
    assert [column.head for column in found.columns] == ["group", "a", "b", "c"]
    assert found.caption == "Two groups: all: time, s"
    assert found.rows == (("x", 1.5, 0.5, None), ("y", None, None, 7.25))
    assert "**0.50**" in to_markdown(found)


def test_transposed_intervals_keep_their_digits_and_ends() -> None:
    head, *rows = cells(transposed(TABLE))
    assert head == ["group", "measure", "a", "b", "b low", "b high", "c"]
    interval = TABLE.rows[1][4]
    assert [*map(float, rows[2][3:6])] == [interval.mean, interval.low, interval.high]  # type: ignore[union-attr]
    assert r"\bfseries 1.250" in to_latex(transposed(TABLE))


def test_without_methods_the_lines_become_columns() -> None:
    columns = (*texts("instance"), Column(head="jobs"), Column(head="a", digits=2))
    table = Table(caption="", columns=columns, rows=(("i", 3, 0.5), ("j", 4, "limit")))
    found = transposed(table)
    assert cells(found) == [["measure", "i", "j"], ["jobs", "3", "4"], ["a", "0.5", "limit"]]


def test_two_lines_of_a_method_are_no_column() -> None:
    twice = Table(caption="", columns=TABLE.columns, rows=(TABLE.rows[0],) * 2)
    with pytest.raises(InputError, match=r"one line of a for x\. Choose one, such as one seed"):
        transposed(twice)


def test_nothing_but_names_is_not_transposed() -> None:
    with pytest.raises(InputError, match="no measure"):
        transposed(with_columns(TABLE, ["group", "method"]))


def test_whole_numbers_have_no_decimals_where_all_of_a_column_are_whole() -> None:
    rows = (("x", 2.0, 1.5, float("inf")), ("y", 3, 2.0, 4.0))
    columns = (*texts("name"), *(Column(head=head, digits=2) for head in "abc"))
    found = without_zeros(Table(caption="", columns=columns, rows=rows))
    assert [column.digits for column in found.columns] == [None, 0, 2, 2]
    assert without_zeros(MIXED).columns[1].digits == 2


def test_a_single_measure_stands_above_markdown() -> None:
    """No head says what the numbers are; with several measures a column does."""
    one = transposed(with_columns(TABLE, ["group", "method", "ratio"]))
    assert to_markdown(one).splitlines()[:3] == ["Two groups: ratio", "", "| group | a | b | c |"]
    assert to_markdown(transposed(TABLE)).startswith("| group | measure |")


ROWS = [run(method, name, seed=seed) for method in "ab" for name in "xyz" for seed in range(2)]


@pytest.mark.parametrize(
    ("kind", "columns", "said", "unsaid"),
    [
        ("ratios", "instances,mean", ["Mean:", "Ratio:", "Bold:"], ["Worst:"]),
        ("ratios", "instances,compared,worst", ["Worst:", "Compared:", "Ratio:"], ["Bold:"]),
        ("policies", "instances,objective", ["0 for objectives."], ["atio", "certified"]),
        ("policies", "instances,ratio", ["1 for ratios.", "Ratio:"], ["for objectives"]),
        ("solvers", "instances,method,gap", ["Gap:"], ["PAR10", "Solved", "Longest", "MB"]),
        ("solvers", "instances,method,time", ["Time:"], ["PAR10", "Gap"]),
        ("verdicts", "theorem,proved,holds", ["Holds:", "Proved:"], ["Open", "Silent"]),
    ],
)
def test_notes_speak_of_columns_that_are_there(
    kind: str, columns: str, said: list[str], unsaid: list[str]
) -> None:
    whole = KINDS[kind](ROWS, NOTHING)
    heads = [column.head for column in whole.columns]
    assert with_columns(whole, heads).below == whole.below
    below = " ".join(with_columns(whole, [columns]).below)
    assert [part for part in said if part not in below] == []
    assert [part for part in unsaid if part in below] == []


NOTED = replace(
    TABLE,
    columns=(
        *TABLE.columns[:3],
        replace(TABLE.columns[3], notes=("Both.", "Time.")),
        replace(TABLE.columns[4], notes=("Both.", "Ratio."), legend=("Intervals.",)),
    ),
    notes=("Always.",),
    bold="the best",
)


def test_a_sentence_of_several_columns_is_written_once_and_stays_with_any_of_them() -> None:
    assert NOTED.below == ("Intervals. Bold: the best.", "Both. Time. Ratio.", "Always.")
    some = with_columns(NOTED, ["group", "method", "ratio"])
    assert some.below == ("Intervals. Bold: the best.", "Both. Ratio.", "Always.")
    assert with_columns(NOTED, ["group", "method", "runs"]).below == ("Always.",)


def test_other_names_and_methods_as_columns_keep_the_notes() -> None:
    assert renamed({"t": NOTED}, {"ratio": "gap_1"})["t"].below == NOTED.below
    assert transposed(NOTED).below == NOTED.below
    one = transposed(with_columns(NOTED, ["group", "method", "time"]))
    assert one.below == ("Bold: the best.", "Both. Time.", "Always.")


def test_every_notation_has_the_notes_of_the_columns() -> None:
    for write in (to_html, to_latex, to_markdown, to_plain):
        assert "Both. Time. Ratio." in write(NOTED)
        assert "Both. Ratio." in write(with_columns(NOTED, ["group", "method", "ratio"]))
    assert r"\caption[{Two groups}]{Two groups. Intervals. Bold: the best.}" in to_latex(NOTED)


def test_letters_at_heads_name_the_notes_of_each_column() -> None:
    found = with_footnotes(NOTED, "letters")
    assert [column.head for column in found.columns[3:]] == ["time, sᵃᵇ", "ratioᵃᶜ"]
    assert found.below == ("Intervals. Bold: the best.", "ᵃBoth. ᵇTime. ᶜRatio.", "Always.")
    lines = with_footnotes(transposed(NOTED), "letters")
    assert [row[1] for row in lines.rows[:3]] == ["runs", "all: time, sᵃᵇ", "ratioᵃᶜ"]
    one = transposed(with_columns(NOTED, ["group", "method", "time"]))
    assert with_footnotes(one, "letters") == one
    assert with_footnotes(NOTED, "none").below == ("Intervals. Bold: the best.",)


def test_marks_follow_their_numbers_in_whatever_order_columns_are_chosen() -> None:
    marks = Column(head="stars", digits=None, beside=True)
    rows = tuple((*row[:4], "*", row[4]) for row in TABLE.rows)
    columns = (*TABLE.columns[:4], marks, TABLE.columns[4])
    table = replace(TABLE, columns=columns, rows=rows)
    found = with_columns(table, ["group", "stars", "ratio", "runs", "time"])
    heads = ["group", "ratio", "runs", "time, s", "stars"]
    assert [column.head for column in found.columns] == heads
    alone = with_columns(table, ["group", "stars", "ratio"])
    assert [column.head for column in alone.columns] == ["group", "stars", "ratio"]


def sentences() -> list[tuple[str, str]]:
    """Return all notes and legends of columns by kind."""
    return sorted(
        {
            (kind, sentence)
            for kind, made in KINDS.items()
            for column in made.columns
            for sentence in (*column.notes, *column.legend)
        }
    )


@pytest.mark.parametrize(("kind", "sentence"), sentences())
def test_a_note_is_made_of_whole_sentences(kind: str, sentence: str) -> None:
    assert sentence[0].isupper(), kind
    assert sentence.endswith("."), kind
