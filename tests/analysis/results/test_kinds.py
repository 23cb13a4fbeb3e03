"""What each kind of table makes of rows: what counts, what is averaged, what is left out."""

from typing import Any

import pytest
from stats_rows import failed, run

from ringyard.analysis.guarantees import Guarantee
from ringyard.analysis.intervals import Interval, mean_above
from ringyard.analysis.rows import Row
from ringyard.analysis.table_kinds import KINDS, NOTHING, Sources
from ringyard.analysis.table_kinds.quality import blocks, group_of
from ringyard.analysis.tables import Cell
from ringyard.instances import Instance
from ringyard.instances.catalogue import load
from ringyard.instances.errors import InputError


def lines(kind: str, rows: list[Row], sources: Sources = NOTHING) -> list[dict[str, Cell]]:
    """Return the rows of a table by the names of its columns."""
    table = KINDS[kind](rows, sources)
    names = [column.name for column in table.columns]
    return [dict(zip(names, row, strict=True)) for row in table.rows]


@pytest.mark.parametrize(
    ("name", "group"),
    [
        ("mobihoc-10-s3", "mobihoc-10"),
        ("small-06x3", "small"),
        ("small-06x3-fluid", "small-fluid"),
        ("pdors-small-06x3x6", "pdors-small"),
        ("hand-lpt", "hand-lpt"),
    ],
)
def test_a_group_is_what_names_have_in_common(name: str, group: str) -> None:
    assert group_of(name) == group


def test_a_block_holds_problems_on_which_the_same_methods_ran() -> None:
    rows = [run("a", "x-s0"), run("b", "x-s0"), run("a", "x-s1"), run("bound", "x-s1")]
    found = blocks(rows, grouped=True)
    assert [(block.methods, len(block.problems)) for block in found] == [
        (("a",), 1),
        (("a", "b"), 1),
    ]


def test_ratios_are_means_over_what_all_answered() -> None:
    rows = [
        run("a", "x-s0", objective=20, bound=5, bound_kind="combinatorial"),
        run("a", "x-s1", objective=40, bound=5, bound_kind="combinatorial"),
        run("b", "x-s0", objective=10),
        failed("b", "x-s1"),
        failed("c", "x-s0"),
        failed("c", "x-s1"),
    ]
    a, b, c = lines("ratios", rows)
    assert (a["mean"], a["worst"], a["compared"], a["proved by"]) == (
        pytest.approx(2),
        8,
        1,
        "combinatorial, searched",
    )
    assert (b["mean"], b["answered"]) == (pytest.approx(1), 1)
    assert (c["mean"], c["worst"], c["compared"]) == (None, None, 0)


def test_a_ratio_of_what_is_to_be_large_is_bound_over_value() -> None:
    common: dict[str, Any] = {"sense": "max", "bound": 12, "bound_kind": "dual"}
    rows = [run("a", objective=6, **common), run("b", objective=0, **common)]
    a, b = lines("ratios", rows)
    assert (a["mean"], a["worst"]) == (pytest.approx(2), 2)
    assert (b["mean"], b["worst"]) == (None, float("inf"))


def test_solvers_charge_the_limit_for_what_is_not_solved() -> None:
    rows = [
        run("a", "x", seconds=1.0, gap=0.0, memory_mb=50.0),
        run("b", "x", status="feasible", gap=0.25, memory_mb=70.0, seconds=100.0),
        failed("c", "x", status="out of memory"),
    ]
    a, b, c = lines("solvers", rows)
    assert (a["solved"], b["solved"], b["feasible"], c["out of memory"]) == (1, 0, 1, 1)
    assert [one["seconds: time"] for one in (a, b, c)] == pytest.approx([1, 100, 100])
    assert [one["seconds: PAR10"] for one in (a, b, c)] == pytest.approx([1, 1000, 1000])
    assert [one["gap, %"] for one in (a, b, c)] == [0, 25, 100]
    assert [one["MB"] for one in (a, b, c)] == [50, 70, None]


def test_heuristics_have_the_time_of_their_runs_and_it_is_never_the_best() -> None:
    quick = {"status": "feasible", "termination": "done", "gap": 0.5}
    rows = [
        *(run("exact", name, seconds=5.0) for name in "xy"),
        *(run("slow", name, seconds=9.0) for name in "xy"),
        *(run("heuristic", name, seconds=0.001, **quick) for name in "xy"),
    ]
    exact, heuristic, _ = lines("solvers", rows)
    assert heuristic["seconds: time"] == pytest.approx(0.001)
    assert heuristic["seconds: PAR10"] is None
    table = KINDS["solvers"](rows, NOTHING)
    place = [column.name for column in table.columns].index("seconds: time")
    assert [(i, place) in table.best() for i in range(3)] == [True, False, False]
    assert table.text(1, place) == "< 0.01"
    assert exact["seconds: time"] == pytest.approx(5)


def test_pairs_have_a_ratio_an_effect_and_a_corrected_p() -> None:
    values = {"a": 1.0, "b": 2.0, "c": 2.0}
    rows = [
        run(name, f"x-s{i}", objective=(10 + i) * factor)
        for i in range(6)
        for name, factor in values.items()
    ]
    rows.append(run("c", "y", objective=1))
    ab, ac, bc = lines("pairs", rows)
    assert [one["method"] for one in (ab, ac, bc)] == ["a", "a", "b"]
    assert [one["other"] for one in (ab, ac, bc)] == ["b", "c", "c"]
    assert [ab[name] for name in ("wins", "ties", "losses", "effect")] == [6, 0, 0, 1]
    assert [bc[name] for name in ("wins", "ties", "losses", "effect")] == [0, 6, 0, 0]
    # Both outer sign patterns of six equal signs, of 2^6; Holm multiplies the least by three pairs.
    assert (ab["p: raw"], ab["p: Holm"]) == (pytest.approx(2 / 64), pytest.approx(6 / 64))
    assert bc["p: Holm"] == 1
    assert isinstance(ab["ratio"], Interval)
    assert (ab["ratio"].mean, ab["ratio"].low) == (pytest.approx(0.5), pytest.approx(0.5))


def test_a_ratio_of_two_instances_has_no_interval() -> None:
    rows = [
        run(name, f"x-s{i}", objective=10 + i * len(name)) for i in (1, 2) for name in ("a", "bb")
    ]
    (one,) = lines("pairs", rows)
    assert isinstance(one["ratio"], Interval)
    assert not one["ratio"].bounded


def test_pairs_of_times_are_of_methods_that_attempt_proofs() -> None:
    rows = [run("a", f"x-s{i}", seconds=1.0) for i in range(3)]
    rows += [run("b", f"x-s{i}", seconds=12.0) for i in range(3)]
    rows += [run("h", f"x-s{i}", status="feasible", termination="done") for i in range(3)]
    (one,) = lines("pair-times", rows)
    assert (one["method"], one["other"], one["wins"]) == ("a", "b", 3)
    assert isinstance(one["ratio"], Interval)
    assert one["ratio"].mean == pytest.approx(11 / 22)


def test_pairs_that_cannot_be_compared_are_named_with_the_reason() -> None:
    rows = [run("a", "x-s0", key="1"), run("a", "x-s0", key="2", time_limit=5.0), run("b", "x-s0")]
    table = KINDS["pairs"](rows, NOTHING)
    assert table.rows == ()
    assert "x is left out: " in table.notes[0]
    assert "differ in time_limit" in table.notes[0]


def test_solvers_without_a_limit_have_no_mean_time_where_they_fail() -> None:
    rows = [run("a", "x", time_limit=None), failed("b", "x", time_limit=None)]
    a, b = lines("solvers", rows)
    assert (a["seconds: time"], b["seconds: time"]) == (pytest.approx(5), None)
    assert "No mean time: " in KINDS["solvers"](rows, NOTHING).paragraphs[0]


def test_a_method_that_refused_every_instance_has_no_time_and_no_gap() -> None:
    refused = {"status": "refused", "termination": "failed", "seconds": 0.5, "memory_mb": 179.0}
    rows = [
        *(failed("no", name, **refused) for name in "xy"),
        *(run("yes", name, memory_mb=10.0) for name in "xy"),
        *(run("some", "x"), failed("some", "y", **refused)),
    ]
    never, some, always = lines("solvers", rows)
    measured = ("seconds: time", "seconds: PAR10", "seconds: longest", "gap, %", "MB")
    assert (never["cases"], never["refused"], some["refused"]) == (2, 2, 1)
    assert [never[name] for name in measured] == [None] * 5
    assert None not in [some[name] for name in measured[:4]]
    assert None not in [always[name] for name in measured]
    note = KINDS["solvers"](rows, NOTHING).paragraphs[0]
    assert "No mean time for a method that refused every instance: it did not run." in note


def test_methods_on_different_instances_are_not_compared() -> None:
    rows = [run("a", "x"), run("b", "x"), run("a", "y"), run("c", "y")]
    found = lines("solvers", rows)
    assert [(one["instances"], one["method"]) for one in found] == [
        ("x", "a"),
        ("x", "b"),
        ("y", "a"),
        ("y", "c"),
    ]


def test_seeds_that_not_all_ran_are_left_out_and_counted() -> None:
    rows = [run("a", seed=0), run("a", seed=1), run("b", seed=0)]
    table = KINDS["solvers"](rows, NOTHING)
    assert [row[2] for row in table.rows] == [1, 1]
    assert table.notes[-1].startswith("Left out: 1 case ")


def test_the_run_of_a_method_without_lots_stands_for_every_seed() -> None:
    rows = [run("lots", seed=0, seconds=2.0), run("lots", seed=1, seconds=4.0), run("plain")]
    known = Sources(random=lambda row: row["method"] == "lots")
    lots, plain = lines("solvers", rows, known)
    assert (lots["cases"], plain["cases"], plain["solved"]) == (2, 2, 2)
    assert lots["seconds: PAR10"] == 3
    assert len(KINDS["solvers"](rows, known).notes) == 1


def test_two_runs_of_one_thing_are_refused() -> None:
    rows = [run("a", key="1"), run("a", key="2", time_limit=5.0)]
    with pytest.raises(InputError, match="differ in time_limit"):
        KINDS["solvers"](rows, NOTHING)


def test_policies_average_runs_first_and_then_instances() -> None:
    rows = [
        *(run("a", "x-s0", seed=seed, objective=value) for seed, value in ((0, 10), (1, 30))),
        run("a", "x-s1", objective=40),
        *(run("b", f"x-s{i}", objective=10) for i in (0, 1)),
    ]
    a, b = lines("policies", rows)
    assert (a["count"], a["runs"], a["objective"]) == (2, 3, mean_above([20, 40], 0))
    assert (a["ratio"], b["ratio"]) == (mean_above([2, 4], 1), mean_above([1, 1], 1))


def test_no_interval_of_policies_is_below_what_is_possible() -> None:
    values = (10, 11, 60)
    (line,) = lines("policies", [run("a", f"x-s{i}", objective=v) for i, v in enumerate(values)])
    assert line["objective"] == mean_above(values, 0)
    assert line["ratio"] == mean_above([v / 10 for v in values], 1)
    assert 0 < line["objective"].low < line["objective"].mean
    assert 1 < line["ratio"].low < line["ratio"].mean


def test_policies_on_one_instance_average_its_runs() -> None:
    rows = [run("a", seed=seed, objective=value) for seed, value in ((0, 10), (1, 30))]
    assert lines("policies", rows)[0]["objective"] == mean_above([10, 30], 0)


def test_policies_have_no_mean_over_what_was_not_answered() -> None:
    (line,) = lines("policies", [run("a", "x-s0"), failed("a", "x-s1")])
    assert (line["objective"], line["ratio"]) == (None, None)


@pytest.mark.parametrize(("value", "digits"), [(768.0, 0), (768.5, 1)])
@pytest.mark.parametrize(
    ("kind", "place"), [("policies", 4), ("runs", 4), ("runs", 5), ("frontier", 3)]
)
def test_objectives_have_decimals_only_where_some_are_not_whole(
    kind: str, place: int, value: float, digits: int
) -> None:
    rows = [run("a", "x", objective=10, bound=10), run("a", "y", objective=value, bound=value)]
    assert KINDS[kind](rows, NOTHING).columns[place].digits == digits


def test_the_better_objective_is_that_of_the_family() -> None:
    def direction(*senses: str) -> str | None:
        rows = [run("a", f"x{i}", sense=sense) for i, sense in enumerate(senses)]
        return KINDS["policies"](rows, NOTHING).columns[4].best

    assert [direction("min"), direction("max"), direction("min", "max")] == ["min", "max", None]


def no_hypothesis(guarantee: Guarantee, row: Row, instance: Instance) -> str | None:
    del guarantee, instance
    return "needs more: of it" if row["instance"] == "unmet" else None


@pytest.mark.parametrize(
    ("objective", "columns", "held"),
    [
        (6, {}, "holds"),
        (7, {}, "violated"),
        (7, {"termination": "time_limit"}, "silent"),
        (6, {"instance": "unmet"}, "silent"),
    ],
)
def test_a_theorem_is_held_against_a_run(
    objective: int, columns: dict[str, Any], held: str
) -> None:
    known = Sources(instance=lambda _: load("hand-theorem5"), unmet=no_hypothesis)
    common: dict[str, Any] = {"termination": "done", "digest": "d"}
    rows = [
        run("branch-and-bound", **{**common, "objective": objective, "bound": None, **columns}),
        run("other", **{**common, "objective": 6, "bound": 6}),
    ]
    found = lines("verdicts", rows, known)
    assert [(one["theorem"], one["method"]) for one in found] == [("optimal", "branch-and-bound")]
    assert {name: found[0][name] for name in ("holds", "violated", "open", "silent")} == {
        name: int(name == held) for name in ("holds", "violated", "open", "silent")
    }


def test_without_instances_theorems_are_silent_and_say_why() -> None:
    table = KINDS["verdicts"]([run("branch-and-bound", termination="done")], NOTHING)
    assert table.rows[0][7] == 1
    assert "the instance is not available" in table.paragraphs[0]


def test_the_frontier_goes_from_small_to_large() -> None:
    known = Sources(
        instance=lambda digest: load(digest.removeprefix("digest of ")),
        exact=lambda row: row["method"] != "lucky",
    )
    rows = [
        run("exact", "small-10x3", seconds=50.0),
        failed("weak", "small-10x3", status="out of memory"),
        run("exact", "small-04x2", seconds=2.0),
        run("weak", "small-04x2", seconds=3.0),
        run("weak", "small-04x2", seed=1, status="feasible"),
        run("lucky", "small-04x2"),
        run("never", "small-04x2", status="feasible"),
    ]
    small, large = lines("frontier", rows, known)
    assert (small["instance"], small["jobs"], small["servers"]) == ("small-04x2", 4, 2)
    assert (small["exact"], small["weak"]) == (2, "1 of 2")
    assert (large["exact"], large["weak"]) == (50, "out of memory")
    assert "lucky" not in small
    assert "never" not in small
    assert [one["instance"] for one in lines("frontier", rows)] == ["small-04x2", "small-10x3"]


def test_failures_tell_every_run_without_an_answer_and_why() -> None:
    rows = [
        run("a"),
        run("a", "y", status="infeasible", objective=None, valid=False),
        failed("b", note="x" * 1000),
        run("c", objective=9, bound=10),
        run("bound", objective=None, valid=False, status="unknown", bound=8),
    ]
    found = lines("failures", rows)
    assert [(one["status"], one["method"]) for one in found] == [
        ("crashed", "b"),
        ("wrong", "a"),
        ("wrong", "c"),
    ]
    assert "(1,000 characters)" in str(found[0]["reason"])
    assert not KINDS["failures"]([run("a")], NOTHING).rows


def test_runs_tell_every_run() -> None:
    found = lines("runs", [run("a", gap=0.5), failed("b")])
    assert [(one["method"], one["gap, %"]) for one in found] == [("a", 50), ("b", None)]


@pytest.mark.parametrize(
    ("families", "head"),
    [(["fleet", "rental"], "objective, h"), (["trace"], "objective, s"), (["online"], "objective"),
     (["fleet", "trace"], "objective"), ([], "objective")],
)  # fmt: skip
def test_the_objective_has_its_unit_where_all_rows_share_it(families: list[str], head: str) -> None:
    rows = [run("a", 1.0) | {"family": family} for family in families]
    assert [column.name for column in KINDS["runs"](rows, NOTHING).columns][4] == head


def starred(count: int, better: int) -> list[tuple[str, str]]:
    """Return methods and stars where `a` is better than `b` on some of so many instances."""
    rows = [
        run(
            method,
            f"x-s{i}",
            objective=10 + (method == "b") * (1 + i) * (1 if i < better else -1) / 20,
        )
        for i in range(count)
        for method in "ab"
    ]
    rows = [row | {"bound": 5.0} for row in rows]
    return [(line["method"], line.get("stars", "no column")) for line in lines("ratios", rows)]


@pytest.mark.parametrize("kind", KINDS)
def test_every_column_is_described_where_its_kind_is_defined(kind: str) -> None:
    """The page of tables is made of these descriptions, and a test compares it with them."""
    rows = [run("a", "x-s0", seconds=1.0), run("b", "x-s0", objective=20), failed("c", "x-s0")]
    rows += [
        run(name, f"x-s{i}", objective=10 + i * (name == "b")) for i in range(1, 9) for name in "ab"
    ]
    defined = KINDS[kind].columns
    assert all(column.about for column in defined)
    assert len({column.head for column in defined}) == len(defined)
    shown = [column.about for column in KINDS[kind](rows).columns]
    order = [column.about for column in defined]
    assert list(dict.fromkeys(shown)) == [about for about in order if about in shown]
    assert {*order} - {*shown} <= {column.about for column in defined if column.head == "stars"}


def test_stars_say_who_is_surely_worse_than_the_best() -> None:
    # All of n differences have one sign with chance 2 / 2^n: 1/16, 1/32, 1/128, 1/1024, 1/2048.
    for count, mark in ((5, "no column"), (6, "*"), (8, "**"), (11, "***")):
        assert starred(count, count)[1] == ("b", mark)
    assert starred(6, 6)[0] == ("a", "")
    assert starred(6, 3)[1] == ("b", "no column")
    table = KINDS["ratios"]([run("a"), run("b", objective=20)], NOTHING)
    assert not any("Stars" in sentence for sentence in table.marks())


def test_stars_are_explained_and_corrected_for_all_pairs() -> None:
    rows = [
        run(method, f"x-s{i}", objective=10 + place * (1 + i), bound=5.0)
        for i in range(6)
        for place, method in enumerate("abc")
    ]
    table = KINDS["ratios"](rows, NOTHING)
    # Three pairs: the least p is 3 / 32.
    assert not any("Stars" in sentence for sentence in table.marks())
    two = KINDS["ratios"]([row for row in rows if row["method"] != "c"], NOTHING)
    assert "* p < 0.05, ** p < 0.01, *** p < 0.001" in " ".join(two.marks())


def test_runs_that_cannot_be_compared_have_no_stars() -> None:
    rows = [run("a", f"x-s{i}", objective=10 + i, bound=5.0) for i in range(7)]
    rows += [run("b", f"x-s{i}", objective=20 + i, bound=5.0) for i in range(7)]
    assert "stars" in lines("ratios", rows)[1]
    again = run("b", "x-s0", objective=21, bound=5.0, key="2", time_limit=7.0)
    assert "stars" not in lines("ratios", [*rows, again])[1]
