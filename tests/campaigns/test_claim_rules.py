"""Rules that go before what a decider finds: counterexamples, premises, limits, conditions."""

from dataclasses import replace
from pathlib import Path

import pytest

from ringyard.papers.claims import CLAIMS, claims_of
from ringyard.papers.claims.deciders import (
    NEAREST_SETTING,
    OTHERWISE,
    ByLimit,
    ByRange,
    ByRows,
    OnlyElsewhere,
    ReproducedElsewhere,
)
from ringyard.papers.claims.measured import MeasuredParts
from ringyard.papers.claims.sjf_bco import ByNumbers
from ringyard.papers.claims.tiresias import SECONDS, ByRatio
from ringyard.papers.claims.verdicts import (
    ByBoth,
    ByTest,
    ClaimVerdict,
    Known,
    PaperClaim,
    Ruled,
)

DOCS = Path(__file__).parents[2] / "docs"
REPRODUCED, ELSEWHERE = ClaimVerdict.REPRODUCED, ClaimVerdict.ELSEWHERE
OPEN_ELSEWHERE, WEAKENED = ClaimVerdict.OPEN_ELSEWHERE, ClaimVerdict.WEAKENED
DIFFERS, NO_POWER, FALSE = ClaimVerdict.DIFFERS, ClaimVerdict.NO_POWER, ClaimVerdict.FALSE
UNTRIED, UNCHECKABLE = ClaimVerdict.UNTRIED, ClaimVerdict.UNCHECKABLE

BETWEEN = ByRange(
    by="oasis", part="ratio", columns={"ratio": (1.1, 1.5)}, names=("n", "m"), exact=True
)
SPANS = "| n | m | ratio |\n|--:|--:|--:|\n| 1 | 2 | {} |\n| 2 | 2 | {} |\n"


@pytest.fixture(scope="module")
def decided() -> list[tuple[PaperClaim, Ruled]]:
    """Return the claims of the page, decided."""
    measured = MeasuredParts(docs=DOCS)
    return [(one, one.ruled(measured)) for part in CLAIMS for one in claims_of(part)]


def _left(folder: Path, name: str, part: str, text: str) -> MeasuredParts:
    (folder / name).mkdir(exist_ok=True)
    (folder / name / f"{part}.md").write_text(text, encoding="utf-8")
    return MeasuredParts(out=folder)


def test_a_counterexample_goes_before_whatever_holds_elsewhere(tmp_path: Path) -> None:
    against, for_some = ByTest(test="x", why="", verdict=FALSE), ByTest(test="y", why="")
    part = replace(for_some, verdict=NO_POWER)
    for first, second in ((against, for_some), (for_some, against), (part, against)):
        assert ByBoth(first=first, second=second).ruled(MeasuredParts()).verdict is FALSE
    rows = _left(tmp_path, "oasis", "ratio", SPANS.format("1.10", "1.51"))
    general = PaperClaim("a paper", "always", "Theorem 1", BETWEEN)
    assert BETWEEN.ruled(rows).verdict is ELSEWHERE
    assert general.ruled(rows).verdict is FALSE
    for source in ("experiments", "Figure 3 (recalled)", "Theorem 1 (other jobs)"):
        assert general._replace(source=source).ruled(rows).verdict is ELSEWHERE
    sampled = SPANS.format("1.30 (1.20 to 1.40)", "1.60 (1.52 to 1.70)")
    rows = _left(tmp_path, "oasis", "ratio", f"{sampled}\nOver 1000000 seeds.\n")
    assert general._replace(decider=replace(BETWEEN, exact=False)).ruled(rows).verdict is DIFFERS


def test_a_premise_that_is_left_out_weakens_a_counterexample() -> None:
    test = ByTest(test="x", why="why", verdict=FALSE, premise="It is small")
    assert test.ruled(MeasuredParts())[:2] == (ClaimVerdict.WEAKENED, "why. It is small")
    assert replace(test, verdict=REPRODUCED).ruled(MeasuredParts()).verdict is REPRODUCED


LIMIT = ByLimit(by="coded", part="times", columns={"x": 4.0}, over={"x": "n"}, close=0.01)


@pytest.mark.parametrize(
    ("values", "verdict"),
    [
        ((5, 8.8, 12.3, 16.1), REPRODUCED),
        ((5, 8.8, 12.3, 16.5), DIFFERS),
        ((5, 8.0, 12.3, 16.1), DIFFERS),
    ],
)
def test_a_limit_is_decided_by_rows_that_approach_it(
    values: tuple[float, ...], verdict: ClaimVerdict, tmp_path: Path
) -> None:
    """Not by the last row alone: 8 / 2 is on the limit, and the next is farther from it."""
    rows = "".join(f"| {n} | {value} |\n" for n, value in enumerate(values, 1))
    left = _left(tmp_path, "coded", "times", f"| n | x |\n|--:|--:|\n{rows}")
    assert LIMIT.ruled(left).verdict is verdict
    two = "".join(rows.splitlines(keepends=True)[:2])
    assert LIMIT.ruled(_left(tmp_path, "coded", "times", f"| n | x |\n|--|--|\n{two}")) == (
        LIMIT.missing
    )


def test_what_was_run_under_other_conditions_only_says_nothing_of_the_papers(
    tmp_path: Path,
) -> None:
    decider = OnlyElsewhere(there=BETWEEN, unlike="20 slots")
    for ratio, verdict in (("1.2", OPEN_ELSEWHERE), ("1.6", NO_POWER)):
        left = _left(tmp_path, "oasis", "ratio", SPANS.format(ratio, ratio))
        assert decider.ruled(left).verdict is verdict
    assert decider.ruled(MeasuredParts(out=tmp_path / "none")) == BETWEEN.missing


NOTE = "Means over 8 seeds with 95 % intervals (Student's t).\n"


def test_a_number_is_not_decided_before_the_nearest_setting_was_run_again(tmp_path: Path) -> None:
    ratios = (
        "| jobs | policy | measure | here |\n|---|---|---|--:|\n"
        "| trace | SRTF | mean | 0.60 (0.50 to 0.70) |\n\nGeometric means over 8 seeds, with 95 % "
        "intervals (Student's t on logarithms).\n"
    )
    left = _left(tmp_path, "tiresias", "directions", ratios)
    _left(tmp_path, "tiresias-region", "confirmed", ratios)
    ratio = ByRatio(at=("trace", "SRTF", "mean"), paper=1.5)
    assert ratio.ruled(left) == ratio.missing
    table = "| policy | stops |\n|---|--:|\n| Tiresias-G | 99 (98 to 100) |\n"
    _left(tmp_path, "tiresias", "testbed", f"{table}\n{NOTE}")
    stops = next(one for says, _, one in SECONDS if says == "testbed, Tiresias-G, stops: 297")
    assert isinstance(stops, ReproducedElsewhere)
    assert stops.ruled(left) == stops.missing
    heads = "| policy | number | nearest setting, rerun | nearest setting |\n|---|---|--:|---|\n"
    seconds = f"{heads}| Tiresias-G | stops | 290 (280 to 300) | Pareto 3 |\n\n{NOTE}"
    found = stops.ruled(_left(tmp_path, "tiresias-testbed", "seconds", seconds))
    assert found.verdict is OPEN_ELSEWHERE
    assert found.why.endswith("Pareto 3")
    more = "| Tiresias-G | stops | 900 (890 to 910) | Pareto 4 |\n"
    two = seconds.replace("\n\n", f"\n{more}\n", 1)
    both = stops.ruled(_left(tmp_path, "tiresias-testbed", "seconds", two))
    assert both.verdict is OPEN_ELSEWHERE, "one of the two settings is enough"
    assert both.why.endswith("Pareto 4")


def test_no_claim_on_all_inputs_holds_under_some_conditions_only(
    decided: list[tuple[PaperClaim, Ruled]],
) -> None:
    """One counterexample refutes it. What is measured on runs is never false in this sense."""
    for one, ruled in decided:
        assert not (one.is_general and ruled.verdict is ELSEWHERE), one.says
        assert one.is_general or ruled.verdict not in (FALSE, WEAKENED), one.says


def test_only_a_named_premise_weakens_and_only_a_recalled_claim_may_have_it(
    decided: list[tuple[PaperClaim, Ruled]],
) -> None:
    for one, ruled in decided:
        first = one.decider.first if isinstance(one.decider, ByBoth) else one.decider
        premise = getattr(first, "premise", "")
        assert (ruled.verdict is WEAKENED) == bool(premise), one.says
        read = one.known in (Known.PRINTED, Known.OTHER_DATA)
        assert not (read and "not recalled" in premise), one.says


def test_no_number_differs_before_the_nearest_setting_of_a_search_was_run_again(
    decided: list[tuple[PaperClaim, Ruled]],
) -> None:
    alone, searched = [decider for _, _, decider in SECONDS], 0
    for one, ruled in decided:
        decider = one.decider.there if isinstance(one.decider, OnlyElsewhere) else one.decider
        if isinstance(decider, ByNumbers | ByRatio) or decider in alone:
            searched += 1
            assert ruled.verdict not in OTHERWISE or NEAREST_SETTING in ruled.why, one.says
    assert searched > 40


def test_conditions_of_the_paper_that_are_not_known_do_not_exclude(
    decided: list[tuple[PaperClaim, Ruled]],
) -> None:
    for one, ruled in decided:
        if {"another trace", "durations fitted"} & set(one.notes):
            assert ruled.verdict is not ELSEWHERE, one.says
        if isinstance(one.decider, OnlyElsewhere):
            assert ruled.verdict in (OPEN_ELSEWHERE, NO_POWER), one.says


def test_exact_claims_are_decided_by_all_rows_or_say_by_which(
    decided: list[tuple[PaperClaim, Ruled]],
) -> None:
    """A row picked out of a table, such as that of the most workers, is no claim on all inputs."""
    for one, _ in decided:
        if isinstance(one.decider, ByRows) and one.decider.exact and one.is_general:
            assert all(cell in one.says for cell in one.decider.at.values()), one.says


def test_what_was_not_run_is_not_decided(decided: list[tuple[PaperClaim, Ruled]]) -> None:
    for _, ruled in decided:
        if ruled.verdict not in (UNTRIED, UNCHECKABLE):
            assert "not rerun" not in ruled.why
            assert "was not run" not in ruled.why
