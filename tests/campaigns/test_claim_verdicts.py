"""Verdicts on claims of papers follow from the tables that decide them."""

from dataclasses import replace
from math import inf
from pathlib import Path
from typing import Any

import pytest

from ringyard.papers.claims import CLAIMS, claims_of, summary
from ringyard.papers.claims.deciders import (
    ByBounds,
    ByColumns,
    ByFormula,
    ByNumber,
    ByRange,
    ByRun,
    ByTheorem,
    Reproduced,
    ReproducedElsewhere,
    elsewhere,
)
from ringyard.papers.claims.measured import MeasuredParts, Scale, span, widened
from ringyard.papers.claims.pd_ors import ByPairs
from ringyard.papers.claims.sjf_bco import by_models
from ringyard.papers.claims.tiresias import ByRatio
from ringyard.papers.claims.verdicts import ByBoth, ByTest, ClaimVerdict, Ruled

DOCS = Path(__file__).parents[2] / "docs"
REPRODUCED, ELSEWHERE = ClaimVerdict.REPRODUCED, ClaimVerdict.ELSEWHERE
OPEN_ELSEWHERE = ClaimVerdict.OPEN_ELSEWHERE
DIFFERS, NO_POWER, FALSE = ClaimVerdict.DIFFERS, ClaimVerdict.NO_POWER, ClaimVerdict.FALSE
UNTRIED = ClaimVerdict.UNTRIED


def decider_of(says: str) -> Any:
    """Return what decides a claim."""
    (found,) = (one.decider for part in CLAIMS for one in claims_of(part) if one.says == says)
    return found


def _left(folder: Path, name: str, part: str, text: str) -> MeasuredParts:
    (folder / name).mkdir(exist_ok=True)
    (folder / name / f"{part}.md").write_text(text, encoding="utf-8")
    return MeasuredParts(out=folder)


def _number(paper: float) -> ByNumber:
    at = {"policy": "LS"}
    return ByNumber(
        by="mobihoc", part="figure-4", at=at, column="makespan", paper=paper, slack=10.0
    )


NOTE = "In slots, means over 8 seeds with 95 % intervals (Student's t).\n"
FIGURE = f"| policy | makespan |\n|---|--:|\n| LS | 590.0 ({{}}) |\n\n{NOTE}"
"""A further draw lies three times as far from the mean as the interval of 8 seeds reaches."""
MODELS = (
    "| transfer | model | SJF-BCO before LS (makespan) |\n|---|---|---|\n"
    "| at most 15 % | paper | {} |\n| as long as computation | paper | {} |\n"
)
LESS, EVEN = "open: 0.90 (0.85 to 0.95)", "holds: 1.00 (0.98 to 1.02)"
SAME, MUCH = "open: 1.000 (0.995 to 1.005)", "holds: 2.00 (1.90 to 2.10)"
"""Words and intervals that contradict each other: intervals count."""
RATIOS = (
    "| jobs | policy | measure | paper | here | direction |\n|---|---|---|--:|--:|---|\n"
    "| trace | SRTF | mean | 1.50 | {} |\n\n"
    "Geometric means over 8 seeds, with 95 % intervals (Student's t on logarithms).\n"
)
NEAREST = (
    "| jobs | policy | measure | paper | nearest setting, rerun | nearest setting |\n"
    "|---|---|---|--:|--:|---|\n| trace | SRTF | mean | 1.50 | {} | load 2 |\n\n"
    "Geometric means over 8 other seeds, with 95 % intervals (Student's t on logarithms).\n"
)
MODEL: Any = by_models("SJF-BCO before LS (makespan)")
KNOWN = ByColumns(by="boa", part="oracle", columns=(("known", "here"),), otherwise=FALSE)
LONG = ByFormula(by="boa", part="long-run", formula="f", measured="m", names=("law",))
LAWS = "| law | f | m |\n|---|--:|--:|\n| a | 4.00 | 4.05 (3.95 to 4.15) |\n| b | 4.00 | {} |\n"
MORE = ByRange(
    by="pd-ors-pairs",
    part="pairs",
    at={"method": "PD-ORS", "than": "FIFO"},
    columns={"utility more": (0, inf)},
    names=("jobs",),
)
UTILITY = (
    "| jobs | method | than | utility more |\n|--:|---|---|--:|\n"
    "| 25 | PD-ORS | FIFO | {} |\n| 50 | PD-ORS | FIFO | {} |\n"
)
FLAT = ByRange(by="tiresias-options", part="queues", columns={"a": (0.94, 1.04), "b": (0.94, 1.04)})
QUEUES = (
    "| idle GPUs | jobs | conditions | a | b |\n|---|---|---|--:|--:|\n"
    "| kept | trace | load 1 | 1.00 (0.97 to 1.02) | 0.98 (0.97 to 0.99) |\n"
    "| offered | trace | load 1 | 1.00 (0.99 to 1.01) | {} |\n"
)
AHEAD = ByPairs(by="sheets", part="gains", column="ours", others=("a", "b"), name="one")
GAINS = "| one | ours | a | b |\n|---|--:|--:|--:|\n| x | 5 | 4 | 3 |\n| y | 5 | 4 | {} |\n"
BETWEEN = ByRange(
    by="oasis", part="ratio", columns={"ratio": (1.1, 1.5)}, names=("n", "m"), exact=True
)
SURE = replace(BETWEEN, exact=False)
OPEN = replace(SURE, conditions=True)
ALL = replace(MORE, every=True)
SPANS = "| n | m | ratio |\n|--:|--:|--:|\n| 1 | 2 | 1.10 |\n| 2 | 2 | {} |\n"
BOUNDED = ByBounds(by="gadget", part="overloads", bounds={"full": "factor"})
GROWING = replace(BOUNDED, order=True)
LOADS = "| full | factor |\n|--:|--:|\n| 1.0 | 4.0 |\n| {} | 4.0 |\n"
THEOREM = (
    "| theorem | holds | violated | largest ratio / factor |\n|---|--:|--:|--:|\n"
    "| ascending | 7 | {} | {} |\n"
)


@pytest.mark.parametrize(
    ("decider", "part", "text", "verdict"),
    [
        (_number(619), "figure-4", FIGURE.format("580.0 to 600.0"), REPRODUCED),
        (_number(630), "figure-4", FIGURE.format("580.0 to 600.0"), NO_POWER),
        (
            _number(590),
            "figure-4",
            FIGURE.format("580.0 to 600.0").replace("8 seeds", ""),
            NO_POWER,
        ),
        (_number(631), "figure-4", FIGURE.format("580.0 to 600.0"), DIFFERS),
        (_number(549), "figure-4", FIGURE.format("580.0 to 600.0"), DIFFERS),
        (_number(590), "figure-4", FIGURE.format("495.0 to 685.0"), NO_POWER),
        (_number(590), "figure-4", FIGURE.format("496.0 to 684.0"), REPRODUCED),
        (_number(590), "figure-4", FIGURE.replace(" ({})", ""), NO_POWER),
        (MODEL, "conclusions", MODELS.format(LESS, EVEN), REPRODUCED),
        (MODEL, "conclusions", MODELS.format(EVEN, LESS), OPEN_ELSEWHERE),
        (MODEL, "conclusions", MODELS.format(MUCH, LESS), OPEN_ELSEWHERE),
        (MODEL, "conclusions", MODELS.format(SAME, LESS), OPEN_ELSEWHERE),
        (MODEL, "conclusions", MODELS.format(SAME, MUCH), DIFFERS),
        (MODEL, "conclusions", MODELS.format(EVEN, MUCH), NO_POWER),
        (MODEL, "conclusions", MODELS.format(MUCH, EVEN), NO_POWER),
        (MODEL, "conclusions", MODELS.format(MUCH, MUCH), DIFFERS),
        (KNOWN, "oracle", "| known | here |\n|---|---|\n| 1.5 | 1.54 |\n", REPRODUCED),
        (KNOWN, "oracle", "| known | here |\n|---|---|\n| 1.5 | 1.56 |\n", FALSE),
        (LONG, "long-run", LAWS.format("4.0 (3.9 to 4.1)"), REPRODUCED),
        (LONG, "long-run", LAWS.format("-"), REPRODUCED),
        (LONG, "long-run", LAWS.format("4.2 (4.1 to 4.3)"), ELSEWHERE),
        (LONG, "long-run", LAWS.format("4.2 (2.0 to 6.4)"), OPEN_ELSEWHERE),
        (LONG, "long-run", LAWS.replace("4.05 (3.95", "4.05 (2.00").format("5 (2 to 8)"), NO_POWER),
        (LONG, "long-run", LAWS.replace("4.00", "5.00").format("4.00 (3.80 to 4.20)"), DIFFERS),
        (AHEAD, "gains", GAINS.format(3), REPRODUCED),
        (AHEAD, "gains", GAINS.format(5), NO_POWER),
        (AHEAD, "gains", GAINS.format(3).replace("| 5 | 4", "| 3.9 | 4"), DIFFERS),
        (BOUNDED, "overloads", LOADS.format(3.6), REPRODUCED),
        (BOUNDED, "overloads", LOADS.format(3.5), NO_POWER),
        (BOUNDED, "overloads", LOADS.format(4.1), DIFFERS),
        (GROWING, "overloads", LOADS.format(3.6), DIFFERS),
        (GROWING, "overloads", LOADS.replace("| 1.0", "| 3.7").format(3.9), REPRODUCED),
        (BETWEEN, "ratio", SPANS.format("1.50"), REPRODUCED),
        (BETWEEN, "ratio", SPANS.format("1.51"), ELSEWHERE),
        (BETWEEN, "ratio", SPANS.format("1.50").replace("1.10", "1.09"), ELSEWHERE),
        (BETWEEN, "ratio", SPANS.format("1.6").replace("1.10", "1.09"), DIFFERS),
        (SURE, "ratio", SPANS.format("1.40 (1.20 to 1.49)"), NO_POWER),
        (SURE, "ratio", SPANS.format("1.40 (1.30 to 1.48)"), OPEN_ELSEWHERE),
        (SURE, "ratio", SPANS.format("1.40 (1.20 to 1.50)"), NO_POWER),
        (SURE, "ratio", SPANS.format("1.60 (1.51 to 1.70)"), NO_POWER),
        (SURE, "ratio", SPANS.format("1.60 (1.52 to 1.70)"), DIFFERS),
        (OPEN, "ratio", SPANS.format("1.60 (1.52 to 1.70)"), NO_POWER),
        (OPEN, "ratio", SPANS.format("1.60 (1.51 to 1.70)").replace("1.10", "-"), DIFFERS),
        (
            OPEN,
            "ratio",
            SPANS.format("1.60 (1.52 to 1.70)").replace("1.10", "1.30 (1.20 to 1.40)"),
            OPEN_ELSEWHERE,
        ),
        (ByTheorem(theorem="ascending"), "theorems", THEOREM.format(0, 0.9), REPRODUCED),
        (ByTheorem(theorem="ascending"), "theorems", THEOREM.format(0, 0.89), NO_POWER),
        (ByTheorem(theorem="ascending"), "theorems", THEOREM.format(1, 1.1), DIFFERS),
        (
            MORE,
            "pairs",
            UTILITY.format("7.0 (6.0 to 7.9)", "1.0 (0.1 to 1.1)"),
            REPRODUCED,
        ),
        (
            MORE,
            "pairs",
            UTILITY.format("7.0 (6.0 to 8.1)", "1.0 (-0.1 to 1.1)"),
            OPEN_ELSEWHERE,
        ),
        (
            MORE,
            "pairs",
            UTILITY.format("7.0 (6.0 to 8.1)", "-1.0 (-1.2 to -0.8)"),
            ELSEWHERE,
        ),
        (
            MORE,
            "pairs",
            UTILITY.format("7.0 (-6.0 to 8.1)", "1.0 (-0.1 to 1.1)"),
            NO_POWER,
        ),
        (
            MORE,
            "pairs",
            UTILITY.format("-7.0 (-8.0 to -6.1)", "1.0 (-0.1 to 1.1)"),
            DIFFERS,
        ),
        (ALL, "pairs", UTILITY.format("7.0 (6.0 to 8.1)", "1.0 (0.1 to 1.1)"), REPRODUCED),
        (ALL, "pairs", UTILITY.format("7.0 (6.0 to 8.1)", "1.0 (-0.1 to 1.1)"), NO_POWER),
        (ALL, "pairs", UTILITY.format("7.0 (6.0 to 8.1)", "-1.0 (-1.2 to -0.8)"), DIFFERS),
        (FLAT, "queues", QUEUES.format("0.99 (0.95 to 1.03)"), REPRODUCED),
        (FLAT, "queues", QUEUES.format("0.99 (0.94 to 1.05)"), OPEN_ELSEWHERE),
        (FLAT, "queues", QUEUES.format("0.90 (0.89 to 0.91)"), ELSEWHERE),
        (FLAT, "queues", QUEUES.format("0.99"), OPEN_ELSEWHERE),
        (
            ByRatio(at=("trace", "SRTF", "mean"), paper=1.5),
            "directions",
            RATIOS.format("1.6 (1.4 to 1.7) | holds"),
            REPRODUCED,
        ),
        (
            ByRatio(at=("trace", "SRTF", "mean"), paper=1.5),
            "directions",
            RATIOS.format("1.600 (1.580 to 1.620) | holds"),
            DIFFERS,
        ),
        (
            ByRatio(at=("trace", "SRTF", "mean"), paper=1.1),
            "directions",
            RATIOS.format("1.05 (1.00 to 1.1025) | holds"),
            NO_POWER,
        ),
        (
            ByRatio(at=("trace", "SRTF", "mean"), paper=1.1),
            "directions",
            RATIOS.format("1.05 (1.02 to 1.08088) | holds"),
            REPRODUCED,
        ),
    ],
)
def test_a_verdict_follows_from_what_is_shown(
    decider: Reproduced, part: str, text: str, verdict: ClaimVerdict, tmp_path: Path
) -> None:
    left = _left(tmp_path, decider.by, part, f"{text}\nOver 1000000 seeds.\n")
    _left(tmp_path, "tiresias-region", "nearest", NEAREST.format("9.00 (8.90 to 9.10)"))
    assert decider.ruled(left).verdict is verdict


def test_results_in_a_folder_count_where_there_are_no_pages(tmp_path: Path) -> None:
    table = FIGURE.format("580.0 to 600.0")
    number = _number(595)
    assert number.ruled(_left(tmp_path, "mobihoc", "figure-4", table)).verdict is REPRODUCED
    there = summary(DOCS, tmp_path).measured
    assert "(580.0 to 600.0)" not in number.ruled(there).why, "pages go before the folder"


ABOVE = ByRatio(at=("trace", "SRTF", "mean"), paper=1.5)


def test_a_ratio_may_hold_where_directions_were_looked_for(tmp_path: Path) -> None:
    _left(tmp_path, "tiresias", "directions", RATIOS.format("0.60 (0.50 to 0.70) | -"))
    there = _left(
        tmp_path, "tiresias-region", "confirmed", RATIOS.format("1.60 (1.40 to 1.80) | -")
    )
    found = ABOVE.ruled(there)
    assert found.verdict is OPEN_ELSEWHERE, "the paper's trace is not known"
    assert "0.60" in found.why
    assert "1.60" in found.why
    assert found.why.endswith("(for information, above Tiresias-L: no, yes)")


@pytest.mark.parametrize("here", ["0.90 (0.75 to 1.08)", "0.60 (0.50 to 0.70)"])
@pytest.mark.parametrize("there", ["0.90 (0.75 to 1.08)", "0.90 (0.85 to 0.95)"])
@pytest.mark.parametrize(
    "rerun", ["2.00 (1.20 to 3.20)", "1.60 (1.40 to 1.80)", "2.00 (1.95 to 2.05)"]
)
def test_all_settings_count_alike_where_the_papers_are_not_known(
    here: str, there: str, rerun: str, tmp_path: Path
) -> None:
    """One that shows it is enough, and only if all exclude it, it differs."""
    _left(tmp_path, "tiresias", "directions", RATIOS.format(f"{here} | -"))
    _left(tmp_path, "tiresias-region", "confirmed", RATIOS.format(f"{there} | -"))
    left = _left(tmp_path, "tiresias-region", "nearest", NEAREST.format(rerun))
    found = ABOVE.ruled(left)
    if rerun.startswith("1.60"):
        assert found.verdict is OPEN_ELSEWHERE
    else:
        wide = "0.75" in here or "0.75" in there or rerun.startswith("2.00 (1.20")
        assert found.verdict is (NO_POWER if wide else DIFFERS)
    assert "with other seeds, load 2" in found.why


@pytest.mark.parametrize("here", [NO_POWER, DIFFERS])
@pytest.mark.parametrize("there", [REPRODUCED, NO_POWER, DIFFERS])
def test_verdicts_of_two_conditions_are_those_of_the_definitions(
    here: ClaimVerdict, there: ClaimVerdict
) -> None:
    """Other conditions never hide what those of the paper exclude, nor exclude it for them."""
    found = elsewhere(Ruled(here, ""), Ruled(there, ""), "")
    if there is REPRODUCED:
        assert found.verdict is (ELSEWHERE if here is DIFFERS else OPEN_ELSEWHERE)
    else:
        assert found.verdict is found.here is here
    if there is not REPRODUCED:
        all_alike = elsewhere(Ruled(here, ""), Ruled(there, ""), "", known=False).verdict
        assert all_alike is (DIFFERS if {here, there} == {DIFFERS} else NO_POWER)
    else:
        found = elsewhere(Ruled(here, ""), Ruled(there, ""), "", known=False)
        assert found.verdict is OPEN_ELSEWHERE


@pytest.mark.parametrize("second", [REPRODUCED, NO_POWER, DIFFERS])
def test_a_claim_of_two_parts_is_reproduced_if_both_are(second: ClaimVerdict) -> None:
    parts = (ByTest(test="x", why="one"), ByTest(test="y", why="two", verdict=second))
    both = ByBoth(first=parts[0], second=parts[1]).ruled(MeasuredParts())
    assert both == (second, "one; two", None, True)
    assert ByBoth(first=parts[1], second=parts[0]).ruled(MeasuredParts()).verdict is second


def test_rows_that_hold_with_their_own_intervals_only_are_counted_apart(tmp_path: Path) -> None:
    rows = SPANS.format("1.30 (1.14 to 1.46)") + "\nMeans over 5 seeds.\n"
    found = OPEN.ruled(_left(tmp_path, "oasis", "ratio", rows))
    assert found.why.startswith("in 0 of 2 rows with intervals that hold together, in 1 with their")


def test_a_quotient_has_the_interval_of_what_was_sampled(tmp_path: Path) -> None:
    """Of one row, no interval is widened: 104 (103 to 105) over 100 ends at 1.05."""
    decider: Any = decider_of(
        "the number of messages that are sent, as many as a set's longest queue is long: within "
        "5 % of this"
    )
    heads = "| n | q | padded: measured | coded: formula |\n|--:|--:|--:|--:|\n"
    for high, verdict in (("104.9", REPRODUCED), ("105.1", NO_POWER)):
        row = f"| 5 | 9 | 104.0 (103.1 to {high}) | 100.0 |\n"
        found = decider.ruled(_left(tmp_path, "shuffle", "messages", f"{heads}{row}"))
        assert found.verdict is verdict
        assert f"1.040 (1.031 to {float(high) / 100:.3f})" in found.why


def test_a_claim_looked_for_in_two_studies_names_both() -> None:
    command = decider_of("3 queues gain 1 % over 2, within 0.05").command()
    assert command == "ringyard reproduce tiresias, ringyard reproduce tiresias-options"


TAIL = (
    "| threshold | measure | ratio |\n|---|---|--:|\n| 9 | 95th percentile | {} |\n\n"
    "Over 8 seeds, with 95 % intervals (Student's t on logarithms).\n"
)


@pytest.mark.parametrize(
    ("first", "verdict"),
    [("0.60 (0.50 to 0.70)", OPEN_ELSEWHERE), ("0.60 (0.30 to 1.20)", OPEN_ELSEWHERE)],
)
def test_where_the_first_conditions_have_no_power_the_verdict_says_so(
    first: str, verdict: ClaimVerdict, tmp_path: Path
) -> None:
    """Whatever lies between: the point looked at second has no power here."""
    at = ("trace", "Tiresias-G", "95th percentile")
    rows = RATIOS.replace("SRTF | mean", "Tiresias-G | 95th percentile")
    _left(tmp_path, "tiresias", "directions", rows.format(f"{first} | -"))
    _left(tmp_path, "tiresias-region", "confirmed", rows.format("1.00 (0.90 to 1.10) | -"))
    there = _left(tmp_path, "tiresias-options", "tail", TAIL.format("1.20 (1.15 to 1.25)"))
    assert ByRatio(at=at, paper=1.2).ruled(there).verdict is verdict


def test_one_row_of_several_has_to_hold_beside_all_of_them(tmp_path: Path) -> None:
    """Of 5 seeds, 2 intervals together are 3.495 / 2.776 = 1.26 times as wide as one.

    So 1.30 (1.15 to 1.45) reaches down to 1.11, and 1.30 (1.14 to 1.46) below 1.1.
    """
    for row, verdict in (("1.15 to 1.45", OPEN_ELSEWHERE), ("1.14 to 1.46", NO_POWER)):
        rows = SPANS.format(f"1.30 ({row})") + "\nMeans over 5 seeds.\n"
        there = _left(tmp_path, "oasis", "ratio", rows)
        assert OPEN.ruled(there).verdict is verdict


def test_a_table_that_does_not_name_its_seeds_may_have_the_fewest(tmp_path: Path) -> None:
    """Of 3 seeds, 2 intervals together are 6.205 / 4.303 = 1.44 times as wide as one.

    On logarithms, 1.30 (1.18 to 1.43) reaches up to 1.491, and 1.30 (1.17 to 1.44) above 1.5.
    """
    note = "\n20 draws in a slot. With 95 % intervals (Student's t on logarithms).\n"
    for row, verdict in (("1.180 to 1.430", OPEN_ELSEWHERE), ("1.170 to 1.440", NO_POWER)):
        rows = SPANS.format(f"1.300 ({row})") + note
        there = _left(tmp_path, "oasis", "ratio", rows)
        assert OPEN.ruled(there).verdict is verdict


def test_an_interval_too_wide_for_a_number_has_no_end() -> None:
    wide = widened(span("1.00 (0.01 to 1e+40)"), 16.0, Scale.RATIOS)
    assert wide.high == inf


def test_the_conditions_of_the_paper_are_not_counted_among_other_ones(tmp_path: Path) -> None:
    found = MODEL.ruled(_left(tmp_path, "sensitivity", "conclusions", MODELS.format(EVEN, EVEN)))
    rows = MODELS.format(EVEN, EVEN) + "| as long as computation | fluid | " + LESS + " |\n"
    more = MODEL.ruled(_left(tmp_path, "sensitivity", "conclusions", rows))
    assert "in 1 of 2 rows: as long as computation x fluid; intervals do not tell in 1" in more.why
    assert found.verdict is NO_POWER
    assert "(left out: at most 15 % x paper)" in found.why


def test_a_slack_that_decides_is_named(tmp_path: Path) -> None:
    """A draw comes to 560 to 620, and rounding moves its ends by 0.25 at most. 623 is within 10."""
    left = _left(tmp_path, "mobihoc", "figure-4", FIGURE.format("580.0 to 600.0"))
    found = _number(623).ruled(left)
    assert found.verdict is NO_POWER
    assert found.why.endswith("so 623 agrees only within its slack of +-10")
    assert "digits that are not shown" in _number(630).ruled(left).why


def test_a_claim_on_all_rows_is_looked_for_elsewhere_as_a_whole(tmp_path: Path) -> None:
    """Some numbers of jobs are not every number, and the paper's gain is not known."""
    decider = decider_of("more utility than DRF, for every number of jobs")
    more, less = "9 (8 to 10)", "-9 (-10 to -8)"
    table = UTILITY.replace("FIFO", "DRF")
    printed = table.replace("PD-ORS", "PD-ORS as printed").format(less, more)
    for repaired, verdict in ((more, OPEN_ELSEWHERE), (less, NO_POWER)):
        rows = table.format(more, repaired).partition("|--:|\n")[2]
        left = _left(tmp_path, "pd-ors-pairs", "pairs", f"{printed}{rows}\nOver 40 seeds.\n")
        assert decider.ruled(left).verdict is verdict


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
        text = f"| a | b |\n|---|--:|\n| x | {shown} |\n\n{NOTE}"
        left = _left(tmp_path, "ones", part, text)
    assert decider.ruled(left).verdict is verdict


@pytest.mark.parametrize(
    ("ratio", "verdict"),
    [("0.970 (0.962 to 0.978)", OPEN_ELSEWHERE), ("0.970 (0.950 to 1.001)", NO_POWER)],
)
def test_an_open_number_may_be_decided_by_more_seeds(
    ratio: str, verdict: ClaimVerdict, tmp_path: Path
) -> None:
    shown = "0.99 (0.96 to 1.02) | -"
    tail = RATIOS.replace("SRTF | mean", "Tiresias-G | 95th percentile").format(shown)
    _left(tmp_path, "tiresias", "directions", tail)
    there = _left(tmp_path, "tiresias-options", "tail", TAIL.format(ratio))
    _left(tmp_path, "tiresias-region", "nearest", NEAREST.format("9.00 (8.90 to 9.10)"))
    found = ByRatio(at=("trace", "Tiresias-G", "95th percentile"), paper=0.97).ruled(there)
    assert found.verdict is verdict
    assert ratio in found.why


@pytest.mark.parametrize(
    ("again", "verdict"),
    [
        ("5.40 (5.20 to 5.60)", OPEN_ELSEWHERE),
        ("4.90 (4.80 to 5.00)", DIFFERS),
        ("4.90 (2.00 to 12.00)", NO_POWER),
    ],
)
def test_a_number_of_the_testbed_may_come_out_elsewhere(
    again: str, verdict: ClaimVerdict, tmp_path: Path
) -> None:
    at = ("testbed", "YARN-CS", "mean")
    numbers = RATIOS.replace("trace | SRTF", "testbed | YARN-CS").format("2.3 (2.1 to 2.5) | holds")
    _left(tmp_path, "tiresias", "directions", numbers)
    _left(tmp_path, "tiresias-testbed", "again", RATIOS)
    heads = "| ratio | nearest setting, rerun | nearest setting |\n|---|--:|---|\n"
    found = f"{heads}| mean | {again} | x |\n"
    _left(tmp_path, "tiresias-region", "nearest", NEAREST.format("9.00 (8.90 to 9.10)"))
    there = _left(tmp_path, "tiresias-testbed", "ratios", found)
    ruled = ByRatio(at=at, paper=5.5).ruled(there)
    assert ruled.verdict is verdict
    assert f"{again}, one draw" in ruled.why


@pytest.mark.parametrize(("theorem", "verdict"), [("theorem-5", FALSE), ("ascending", UNTRIED)])
def test_a_counterexample_has_to_be_one(theorem: str, verdict: ClaimVerdict) -> None:
    """Loads 3 + 3 and 2 + 2 + 2 end at 6, SJF-BCO at 7: too late for a factor of 1, not of 3/2."""
    one = ByRun(instance="hand-theorem5", method="sjf-bco", theorem=theorem)
    assert one.ruled(MeasuredParts()).verdict is verdict
