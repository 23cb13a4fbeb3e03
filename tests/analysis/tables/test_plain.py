"""A table for a terminal."""

from ringyard.analysis.tables import Column, Table, to_plain


def test_columns_are_aligned_and_the_best_is_marked() -> None:
    table = Table(
        caption="two policies",
        columns=(
            Column(head="policy", digits=None),
            Column(head="mean", over="JCT, s", digits=1, best="min"),
            Column(head="p99", over="JCT, s"),
            Column(head="status", digits=None),
        ),
        rows=(("srtf", 9.25, 15.0, "feasible"), ("las\x1b", 112.0, None, "refused")),
        notes=("what it means",),
    )
    assert to_plain(table).splitlines() == [
        "two policies",
        "",
        "            JCT, s",
        "policy    mean   p99  status",
        "-------  ------  ---  --------",
        "srtf       9.2^   15  feasible",
        "las\\x1b  112.0     -  refused",
        "",
        "what it means",
        "^ best value among otherwise equal rows.",
    ]


def test_what_is_called_bold_elsewhere_is_marked_in_the_same_words() -> None:
    table = Table(
        caption="two policies",
        columns=(Column(head="policy", digits=None), Column(head="mean", best="min")),
        rows=(("srtf", 9.0), ("las", 112.0)),
        legend="Stars: worse.",
        bold="the best of a group",
    )
    told = to_plain(table)
    assert " 9^\n" in told
    assert told.endswith("\nStars: worse. ^: the best of a group.\n")


def test_a_table_without_rows_has_its_heads() -> None:
    table = Table(caption="none", columns=(Column(head="policy", digits=None),), rows=())
    assert to_plain(table).splitlines() == ["none", "", "policy", "------", ""]
