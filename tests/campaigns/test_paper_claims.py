"""Claims of papers: every paper has some, and each verdict follows from what decides it."""

import ast
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ringyard.analysis.tables import to_markdown
from ringyard.campaigns.reproductions import Settings, filled
from ringyard.papers.claims import CLAIMS, claims_of, report, summary
from ringyard.papers.claims.deciders import (
    ByAll,
    ByColumns,
    ByLead,
    ByNumber,
    ByRange,
    ByRun,
    BySentence,
    ByTest,
    ByTheorem,
    ClaimVerdict,
    MeasuredParts,
    PaperClaim,
    Reproduced,
    ReproducedElsewhere,
    Undecided,
)
from ringyard.papers.claims.pd_ors import ByUtility
from ringyard.papers.claims.sjf_bco import ByModels
from ringyard.papers.claims.tiresias import ByNear, ByRatio
from ringyard.papers.reproductions import REPRODUCTIONS

TESTS = Path(__file__).parents[1]
DOCS = TESTS.parent / "docs"
REPRODUCED, ELSEWHERE = ClaimVerdict.REPRODUCED, ClaimVerdict.ELSEWHERE
DIFFERS, NO_POWER, FALSE = ClaimVerdict.DIFFERS, ClaimVerdict.NO_POWER, ClaimVerdict.FALSE
UNTRIED, UNCHECKABLE = ClaimVerdict.UNTRIED, ClaimVerdict.UNCHECKABLE


def told() -> Iterator[PaperClaim]:
    for part in CLAIMS:
        yield from claims_of(part)


def test_no_seed_is_without_claims_and_none_is_made_twice() -> None:
    papers = {one.paper for one in told()}
    named = {"SJF-BCO", "PD-ORS", "OASiS", "SMD", "GADGET", "BOA, theory", "BOA Constrictor"}
    others = {"Tiresias", "coded computation", "coded shuffling", "MLfabric", "ONES", "Launchpad"}
    assert papers >= named | others
    claims = [(one.paper, one.source, one.says) for one in told()]
    assert len(set(claims)) == len(claims)


@pytest.mark.parametrize(
    "test", sorted({one.decider.test for one in told() if isinstance(one.decider, ByTest)})
)
def test_tests_that_decide_are_there(test: str) -> None:
    path, _, name = test.partition("::")
    tree = ast.parse((TESTS / path).read_text(encoding="utf-8"))
    there = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
    assert not name or name in there


def test_reproductions_that_decide_are_there_and_leave_what_decides() -> None:
    """With the pages, nothing is open for want of results."""
    names = {one.name for one in REPRODUCTIONS}
    measured = MeasuredParts(docs=DOCS)
    for one in told():
        if isinstance(one.decider, Reproduced):
            assert one.decider.by in names
            assert one.decider.ruled(measured) != one.decider.missing, one.says


def test_what_is_not_tried_or_not_checkable_says_why() -> None:
    assert all(one.decider.why for one in told() if isinstance(one.decider, Undecided))
    held = {one.decider.verdict for one in told() if isinstance(one.decider, Undecided)}
    assert held <= {UNTRIED, UNCHECKABLE}


def test_the_page_follows_from_the_other_pages() -> None:
    """If this fails, `ringyard reproduce claims --docs docs` is due."""
    page, made = (DOCS / "studies/claims.md").read_text(encoding="utf-8"), report(Settings())
    parts = {name: to_markdown(table) for name, table in made.tables.items()}
    parts["statements"] = "".join(f"- {text}\n" for text in made.statements)
    for name, part in parts.items():
        assert filled(page, name, part) == page, name


def test_without_results_what_rests_on_them_is_not_tried(tmp_path: Path) -> None:
    nothing = MeasuredParts(out=tmp_path)
    resting = [one.decider for one in told() if isinstance(one.decider, Reproduced)]
    assert resting
    assert {one.ruled(nothing).verdict for one in resting} == {UNTRIED}


def test_results_in_a_folder_count_where_there_are_no_pages(tmp_path: Path) -> None:
    table = "| policy | makespan |\n|---|--:|\n| LS | 590 (580 to 600) |\n"
    number = _number(595)
    assert number.ruled(_left(tmp_path, "mobihoc", "figure-4", table)).verdict is REPRODUCED
    there = summary(DOCS, tmp_path).measured
    assert "(580 to 600)" not in number.ruled(there).why, "pages go before the folder"


def numbers() -> Iterator[tuple[str, Any]]:
    """Yield claims of numbers, and their deciders."""
    for one in told():
        if getattr(one.decider, "paper", None) is not None or hasattr(one.decider, "first"):
            yield f"{one.paper}, {one.source}: {one.says}", one.decider


def times(decider: Any, factor: float) -> Any | None:
    """Return the decider of a number that is `factor` times the paper's, or None without one."""
    changed = {
        name: found
        for name in ("first", "there")
        if (inner := getattr(decider, name, None)) is not None
        and (found := times(inner, factor)) is not None
    }
    if getattr(decider, "paper", None) is not None:
        changed["paper"] = factor * decider.paper
    return replace(decider, **changed) if changed else None


NO_INTERVAL = "Tiresias, testbed: testbed, "
"""Times and stops of the testbed are shown without an interval, so no number differs from them."""


@pytest.mark.parametrize("factor", [0.01, 100.0])
def test_numbers_of_the_papers_are_found_wrong_if_they_are(factor: float) -> None:
    """Every number that is 100 times too small or too large differs from what is measured."""
    measured, tried = MeasuredParts(docs=DOCS), 0
    for about, decider in numbers():
        if (wrong := times(decider, factor)) is None:
            continue
        tried += 1
        found = wrong.ruled(measured)
        if "without an interval" in found.why and about.startswith(NO_INTERVAL):
            assert found.verdict is NO_POWER
        else:
            assert found.verdict is DIFFERS, (about, found)
    assert tried > 50


def _left(folder: Path, name: str, part: str, text: str) -> MeasuredParts:
    (folder / name).mkdir(exist_ok=True)
    (folder / name / f"{part}.md").write_text(text, encoding="utf-8")
    return MeasuredParts(out=folder)


def _number(paper: float) -> ByNumber:
    at = {"policy": "LS"}
    return ByNumber(
        by="mobihoc", part="figure-4", at=at, column="makespan", paper=paper, slack=10.0
    )


FIGURE = (
    "| policy | makespan |\n|---|--:|\n| LS | 590 ({}) |\n\n"
    "In slots, means over 8 seeds with 95 % intervals.\n"
)
"""A further draw lies three times as far from the mean as the interval of 8 seeds reaches."""
MODELS = (
    "| transfer | model | SJF-BCO before LS (makespan) |\n|---|---|---|\n"
    "| at most 15 % | paper | {} |\n| as long as computation | paper | {} |\n"
)
RATIOS = (
    "| jobs | policy | measure | paper | here | direction |\n|---|---|---|--:|--:|---|\n"
    "| trace | SRTF | mean | 1.50 | {} |\n"
)
MODEL = ByModels(conclusion="SJF-BCO before LS (makespan)")
KNOWN = ByColumns(by="boa", part="oracle", columns=(("known", "here"),), otherwise=FALSE)
WITHIN = ByAll(by="boa", part="long-run", column="within", word="yes", names=("law",))
UTILITY = (
    "| jobs | method | than | utility more |\n|--:|---|---|--:|\n"
    "| 25 | PD-ORS | FIFO | {} |\n| 50 | PD-ORS | FIFO | {} |\n"
)
FLAT = ByNear(part="queues", columns=("a", "b"), paper=0.99)
QUEUES = (
    "| idle GPUs | jobs | conditions | a | b |\n|---|---|---|--:|--:|\n"
    "| kept | trace | load 1 | 1.00 (0.96 to 1.03) | 0.98 |\n"
    "| offered | trace | load 1 | 1.00 | {} |\n"
)
AHEAD = ByLead(by="sheets", part="gains", column="ours", others=("a", "b"), names=("one",))
GAINS = "| one | ours | a | b |\n|---|--:|--:|--:|\n| x | 5 | 4 | 3 |\n| y | 5 | 4 | {} |\n"
NO_GAIN = "| one | ours | a | b |\n|---|--:|--:|--:|\n| x | 4 | 4 | 3 |\n"
BETWEEN = ByRange(by="oasis", part="ratio", column="ratio", least=1.1, most=1.5, names=("n", "m"))
SPANS = "| n | m | ratio |\n|--:|--:|--:|\n| 1 | 2 | 1.10 |\n| 2 | 2 | {} |\n"
THEOREM = (
    "| theorem | holds | violated | largest ratio / factor |\n|---|--:|--:|--:|\n"
    "| ascending | 7 | {} | {} |\n"
)
SENTENCE = BySentence(by="boa", begins="hunt|search", stands="none of", otherwise=FALSE)


@pytest.mark.parametrize(
    ("decider", "part", "text", "verdict"),
    [
        (_number(630), "figure-4", FIGURE.format("580 to 600"), REPRODUCED),
        (_number(631), "figure-4", FIGURE.format("580 to 600"), DIFFERS),
        (_number(549), "figure-4", FIGURE.format("580 to 600"), DIFFERS),
        (_number(590), "figure-4", FIGURE.format("495 to 685"), NO_POWER),
        (_number(590), "figure-4", FIGURE.format("496 to 684"), REPRODUCED),
        (_number(590), "figure-4", FIGURE.replace(" ({})", ""), REPRODUCED),
        (_number(601), "figure-4", FIGURE.replace(" ({})", ""), NO_POWER),
        (MODEL, "conclusions", MODELS.format("holds: 0.9", "open: 1"), REPRODUCED),
        (MODEL, "conclusions", MODELS.format("open: 1", "holds: 0.9"), ELSEWHERE),
        (MODEL, "conclusions", MODELS.format("open: 1", "reversed: 2"), NO_POWER),
        (MODEL, "conclusions", MODELS.format("reversed: 2", "open: 1"), DIFFERS),
        (KNOWN, "oracle", "| known | here |\n|---|---|\n| 1.5 | 1.54 |\n", REPRODUCED),
        (KNOWN, "oracle", "| known | here |\n|---|---|\n| 1.5 | 1.56 |\n", FALSE),
        (WITHIN, "long-run", "| law | within |\n|---|---|\n| a | yes |\n", REPRODUCED),
        (WITHIN, "long-run", "| law | within |\n|---|---|\n| a | yes |\n| b | no |\n", ELSEWHERE),
        (WITHIN, "long-run", "| law | within |\n|---|---|\n| b | no |\n", DIFFERS),
        (AHEAD, "gains", GAINS.format(4), REPRODUCED),
        (AHEAD, "gains", GAINS.format(5), ELSEWHERE),
        (AHEAD, "gains", NO_GAIN, DIFFERS),
        (AHEAD, "gains", GAINS.format("4.6 (4 to 5.2)"), ELSEWHERE),
        (AHEAD, "gains", NO_GAIN.replace("| 4 | 3 |", "| 3.9 (3 to 4.8) | 3 |"), NO_POWER),
        (BETWEEN, "ratio", SPANS.format("1.50"), REPRODUCED),
        (BETWEEN, "ratio", SPANS.format("1.51"), ELSEWHERE),
        (BETWEEN, "ratio", SPANS.format("1.50").replace("1.10", "1.09"), ELSEWHERE),
        (BETWEEN, "ratio", SPANS.format("1.6").replace("1.10", "1.09"), DIFFERS),
        (BETWEEN, "ratio", SPANS.format("1.4 (1.2 to 1.6)"), ELSEWHERE),
        (ByTheorem(theorem="ascending"), "theorems", THEOREM.format(0, 0.9), REPRODUCED),
        (ByTheorem(theorem="ascending"), "theorems", THEOREM.format(0, 0.018), NO_POWER),
        (ByTheorem(theorem="ascending"), "theorems", THEOREM.format(1, 1.1), DIFFERS),
        (SENTENCE, "statements", "- hunt: none of 7 is below\n", REPRODUCED),
        (SENTENCE, "statements", "- hunt: 1 of 7 is below\n", FALSE),
        (SENTENCE, "statements", "- search: none of 7 is below\n", REPRODUCED),
        (
            ByUtility(other="FIFO"),
            "pairs",
            UTILITY.format("7.0 (6.0 to 7.9)", "1.0 (0.1 to 1.1)"),
            REPRODUCED,
        ),
        (
            ByUtility(other="FIFO"),
            "pairs",
            UTILITY.format("7.0 (6.0 to 8.1)", "1.0 (-0.1 to 1.1)"),
            ELSEWHERE,
        ),
        (
            ByUtility(other="FIFO"),
            "pairs",
            UTILITY.format("7.0 (-6.0 to 8.1)", "1.0 (-0.1 to 1.1)"),
            NO_POWER,
        ),
        (
            ByUtility(other="FIFO"),
            "pairs",
            UTILITY.format("-7.0 (-8.0 to -6.1)", "1.0 (-0.1 to 1.1)"),
            DIFFERS,
        ),
        (FLAT, "queues", QUEUES.format("0.99 (0.94 to 1.04)"), REPRODUCED),
        (FLAT, "queues", QUEUES.format("0.99 (0.94 to 1.05)"), ELSEWHERE),
        (FLAT, "queues", QUEUES.format("1").replace("0.98", "0.92"), ELSEWHERE),
        (FLAT, "queues", QUEUES.format("1.2").replace("0.98", "0.92"), DIFFERS),
        (
            ByRatio(at=("trace", "SRTF", "mean")),
            "directions",
            RATIOS.format("1.6 | holds"),
            REPRODUCED,
        ),
        (
            ByRatio(at=("trace", "SRTF", "mean")),
            "directions",
            RATIOS.format("0.6 | reversed"),
            DIFFERS,
        ),
        (
            ByRatio(at=("trace", "SRTF", "mean")),
            "directions",
            RATIOS.format("1.01 | open"),
            NO_POWER,
        ),
        (
            ByRatio(at=("trace", "SRTF", "mean"), paper=1.5),
            "directions",
            RATIOS.format("1.6 (1.4 to 1.7) | holds"),
            REPRODUCED,
        ),
        (
            ByRatio(at=("trace", "SRTF", "mean"), paper=1.5),
            "directions",
            RATIOS.format("1.6 (1.58 to 1.62) | holds"),
            DIFFERS,
        ),
    ],
)
def test_a_verdict_follows_from_what_is_shown(
    decider: Reproduced, part: str, text: str, verdict: ClaimVerdict, tmp_path: Path
) -> None:
    assert decider.ruled(_left(tmp_path, decider.by, part, text)).verdict is verdict


def test_a_ratio_may_hold_where_directions_were_looked_for(tmp_path: Path) -> None:
    _left(tmp_path, "tiresias", "directions", RATIOS.format("0.6 | reversed"))
    there = _left(tmp_path, "tiresias-region", "confirmed", RATIOS.format("1.6 | holds"))
    found = ByRatio(at=("trace", "SRTF", "mean")).ruled(there)
    assert found.verdict is ELSEWHERE
    assert "0.6" in found.why
    assert "1.6" in found.why


@pytest.mark.parametrize(
    ("here", "there", "verdict"),
    [(40, 50, REPRODUCED), (30, 40, ELSEWHERE), (30, 50, DIFFERS)],
)
def test_a_number_may_come_out_elsewhere(
    here: int, there: int, verdict: ClaimVerdict, tmp_path: Path
) -> None:
    first, other = (
        ByNumber(by="ones", part=part, at={"a": "x"}, column="b", paper=40, slack=1)
        for part in ("orders", "confirmed")
    )
    decider = ReproducedElsewhere(by="ones", first=first, there=other, under="elsewhere")
    for part, value in (("orders", here), ("confirmed", there)):
        shown = f"{value} ({value - 1} to {value + 1})"
        left = _left(tmp_path, "ones", part, f"| a | b |\n|---|--:|\n| x | {shown} |\n")
    assert decider.ruled(left).verdict is verdict


@pytest.mark.parametrize(
    ("ratio", "verdict"),
    [("0.970 (0.950 to 0.999)", ELSEWHERE), ("0.970 (0.950 to 1.001)", NO_POWER)],
)
def test_an_open_direction_may_be_decided_by_more_seeds(
    ratio: str, verdict: ClaimVerdict, tmp_path: Path
) -> None:
    tail = RATIOS.replace("SRTF | mean", "Tiresias-G | 95th percentile").format("0.99 | open")
    _left(tmp_path, "tiresias", "directions", tail)
    more = f"| threshold | measure | ratio |\n|---|---|--:|\n| 9 | 95th percentile | {ratio} |\n"
    there = _left(tmp_path, "tiresias-options", "tail", more)
    found = ByRatio(at=("trace", "Tiresias-G", "95th percentile")).ruled(there)
    assert found.verdict is verdict
    assert ratio in found.why


@pytest.mark.parametrize(
    ("again", "verdict"),
    [
        ("5.40 (5.20 to 5.60)", ELSEWHERE),
        ("4.90 (4.80 to 5.00)", DIFFERS),
    ],
)
def test_a_number_of_the_testbed_may_come_out_elsewhere(
    again: str, verdict: ClaimVerdict, tmp_path: Path
) -> None:
    at = ("testbed", "YARN-CS", "mean")
    numbers = RATIOS.replace("trace | SRTF", "testbed | YARN-CS").format("2.3 (2.1 to 2.5) | holds")
    _left(tmp_path, "tiresias", "directions", numbers)
    _left(tmp_path, "tiresias-testbed", "statements", "- all four: at 0 of 9 points\n")
    heads = "| ratio | nearest setting, rerun | nearest setting |\n|---|--:|---|\n"
    found = f"{heads}| mean | {again} | x |\n"
    there = _left(tmp_path, "tiresias-testbed", "ratios", found)
    ruled = ByRatio(at=at, paper=5.5).ruled(there)
    assert ruled.verdict is verdict
    assert "at 0 of 9 points" in ruled.why


@pytest.mark.parametrize(("theorem", "verdict"), [("theorem-5", FALSE), ("ascending", UNTRIED)])
def test_a_counterexample_has_to_be_one(theorem: str, verdict: ClaimVerdict) -> None:
    """Loads 3 + 3 and 2 + 2 + 2 end at 6, SJF-BCO at 7: too late for a factor of 1, not of 3/2."""
    one = ByRun(instance="hand-theorem5", method="sjf-bco", theorem=theorem)
    assert one.ruled(MeasuredParts()).verdict is verdict
