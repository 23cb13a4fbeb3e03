"""Claims on SJF-BCO that do not come out as regenerated are looked for in the search."""

from dataclasses import replace
from pathlib import Path

import pytest

from ringyard.papers.claims.deciders import ByNumber, BySentence, ClaimVerdict, MeasuredParts
from ringyard.papers.claims.sjf_bco import SJF_BCO_CLAIMS, ByNumbers, ByOrders
from ringyard.papers.mobihoc.conditions import figure_orders
from ringyard.papers.mobihoc.region import shown_numbers

REPRODUCED, ELSEWHERE = ClaimVerdict.REPRODUCED, ClaimVerdict.ELSEWHERE
DIFFERS = ClaimVerdict.DIFFERS

CURVE = ByOrders(
    first=BySentence(by="mobihoc", begins="Figure 5", stands="the same order"),
    orders=("Figure 5: 2 < 1", "Figure 5: 1 < 16"),
)
NUMBER = ByNumbers(
    first=ByNumber(
        by="mobihoc",
        part="figure-4",
        at={"policy": "LS"},
        column="makespan",
        paper=595,
        slack=10,
    ),
    figure=4,
    at="LS",
    measure="makespan",
    paper=595,
    slack=10,
)


def left(folder: Path, points: int, draws: int) -> None:
    """Leave what the search says of Figure 5."""
    heads = ("figures", "settings", "of settings", "draws", "of draws", "the first")
    table = f"| {' | '.join(heads)} |\n|---|--:|--:|--:|--:|---|\n"
    own = f"| 5 | {points} | 9 | {draws} | 27 | 7, seed 2 |\n"
    leave(folder, "sjf-bco-region", "figures", f"{table}| 4 | 8 | 9 | 20 | 27 | 1 |\n{own}")


def leave(folder: Path, name: str, part: str, text: str) -> None:
    (folder / name).mkdir(exist_ok=True)
    (folder / name / f"{part}.md").write_text(text, encoding="utf-8")


@pytest.mark.parametrize(
    ("sentence", "verdicts", "points", "draws", "expected"),
    [
        ("the same order", ("open", "open"), 0, 0, REPRODUCED),
        ("here 1 < 2", ("holds", "holds"), 0, 0, ELSEWHERE),
        ("here 1 < 2", ("holds", "reversed"), 3, 9, ELSEWHERE),
        ("here 1 < 2", ("holds", "reversed"), 0, 2, DIFFERS),
        ("here 1 < 2", ("holds", "reversed"), 0, 0, DIFFERS),
    ],
)
def test_an_order_is_looked_for_at_one_point_and_at_all_and_a_draw_alone_does_not_count(
    sentence: str,
    verdicts: tuple[str, str],
    points: int,
    draws: int,
    expected: ClaimVerdict,
    tmp_path: Path,
) -> None:
    leave(tmp_path, "mobihoc", "statements", f"- Figure 5, least first: {sentence}\n")
    rows = "".join(
        f"| {name.replace('<', chr(92) + '<')} | {verdict} |\n"
        for name, verdict in zip(CURVE.orders, verdicts, strict=True)
    )
    leave(tmp_path, "sjf-bco-region", "confirmed", f"| order | verdict |\n|---|---|\n{rows}")
    left(tmp_path, points, draws)
    found = CURVE.ruled(MeasuredParts(out=tmp_path))
    assert found.verdict is expected
    assert ("Figure 5: 1 < 16" in found.why) == (
        sentence != "the same order" and verdicts[1] != "holds"
    )


@pytest.mark.parametrize(("draws", "expected"), [(2, ELSEWHERE), (0, DIFFERS)])
def test_a_draw_counts_where_the_claim_is_of_one(
    draws: int, expected: ClaimVerdict, tmp_path: Path
) -> None:
    leave(tmp_path, "mobihoc", "statements", "- Figure 5, least first: here 1 < 2\n")
    rows = "".join(f"| {name.replace('<', chr(92) + '<')} | open |\n" for name in CURVE.orders)
    leave(tmp_path, "sjf-bco-region", "confirmed", f"| order | verdict |\n|---|---|\n{rows}")
    left(tmp_path, 0, draws)
    found = replace(CURVE, alone=True).ruled(MeasuredParts(out=tmp_path))
    assert found.verdict is expected


@pytest.mark.parametrize(
    ("regenerated", "confirmed", "expected"),
    [
        ("590 (580 to 600)", "900 (800 to 950)", REPRODUCED),
        ("522 (518 to 526)", "640 (628 to 652)", ELSEWHERE),
        ("522 (518 to 526)", "640 (630 to 650)", DIFFERS),
    ],
)
def test_a_number_is_looked_for_at_the_point_that_all_seeds_were_run_at(
    regenerated: str, confirmed: str, expected: ClaimVerdict, tmp_path: Path
) -> None:
    figure = f"| policy | makespan |\n|---|--:|\n| LS | {regenerated} |\n"
    leave(tmp_path, "mobihoc", "figure-4", figure)
    heads = "| figure | at | measure | paper | confirmed | nearest |\n|---|---|---|--:|--:|--:|\n"
    row = f"| 4 | LS | makespan | 595 | {confirmed} | 600 |\n"
    leave(tmp_path, "sjf-bco-region", "numbers", heads + row)
    assert NUMBER.ruled(MeasuredParts(out=tmp_path)).verdict is expected


def test_without_the_search_a_claim_is_as_it_was_regenerated(tmp_path: Path) -> None:
    figure = "| policy | makespan |\n|---|--:|\n| LS | 522 (518 to 526) |\n"
    leave(tmp_path, "mobihoc", "figure-4", figure)
    assert NUMBER.ruled(MeasuredParts(out=tmp_path)).verdict is DIFFERS


def test_claims_name_orders_and_numbers_that_are_looked_for() -> None:
    orders = {one.name for one in figure_orders()}
    numbers = {
        (key[0], " ".join(map(str, key[1:])), measure) for key, measure, _ in shown_numbers()
    }
    deciders = [decider for _, _, decider in SJF_BCO_CLAIMS["SJF-BCO"]]
    named = {name for one in deciders if isinstance(one, ByOrders) for name in one.orders}
    assert named <= orders
    assert orders - named == {"Figure 4: SJF-BCO < RAND, completion"}
    asked = {(one.figure, one.at, one.measure) for one in deciders if isinstance(one, ByNumbers)}
    assert asked == numbers
