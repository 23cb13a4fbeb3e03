"""Claims of papers: every paper has some, and what decides them is there and can fail."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import isfinite
from pathlib import Path
from typing import Any

import pytest

from ringyard.analysis.tables import to_markdown
from ringyard.campaigns.reproductions import Settings, filled
from ringyard.papers.claims import CLAIMS, claims_of, report
from ringyard.papers.claims.deciders import (
    ByColumns,
    ByFormula,
    ByLimit,
    ByNumber,
    ByRange,
    OnlyElsewhere,
    Reproduced,
    ReproducedElsewhere,
)
from ringyard.papers.claims.measured import MeasuredParts
from ringyard.papers.claims.tiresias import ByRatio
from ringyard.papers.claims.verdicts import ByTest, ClaimVerdict, PaperClaim, Undecided
from ringyard.papers.reproductions import REPRODUCTIONS

TESTS = Path(__file__).parents[1]
DOCS = TESTS.parent / "docs"
DIFFERS, SLIP = ClaimVerdict.DIFFERS, ClaimVerdict.SLIP
NO_POWER = ClaimVerdict.NO_POWER
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
    for one in test.split():
        path, _, name = one.partition("::")
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
    assert all(one.decider.missing for one in told() if isinstance(one.decider, Undecided))
    held = {one.decider.verdict for one in told() if isinstance(one.decider, Undecided)}
    assert held <= {UNTRIED, UNCHECKABLE}


def test_every_verdict_is_defined_on_the_page_and_no_other_one() -> None:
    text = (DOCS / "studies/text/claims.md").read_text(encoding="utf-8")
    assert re.findall(r"^\| \*(.+?)\* \| ", text, re.MULTILINE) == list(ClaimVerdict)


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Mistaken(MeasuredParts):
    """The pages, with other numbers in the columns that show what the paper says."""

    factor: float
    heads: frozenset[str]

    def rows(self, name: str, part: str) -> list[dict[str, str]]:
        """Return the rows of a table, with numbers that are `factor` times the paper's."""
        return [
            {
                head: f"{self.factor * float(cell):.9g}" if self._is_paper(head, cell) else cell
                for head, cell in row.items()
            }
            for row in super(Mistaken, self).rows(name, part)
        ]

    def _is_paper(self, head: str, cell: str) -> bool:
        return head in self.heads and cell != "-"


def times(decider: Any, factor: float) -> tuple[Any, frozenset[str]] | None:
    """Return a decider with numbers that are `factor` times the paper's, or None without numbers.

    Some are in columns of a table, whose heads are returned.
    """
    changed, heads = dict[str, Any](), set[str]()
    for name in ("first", "second", "there"):
        if (inner := getattr(decider, name, None)) and (found := times(inner, factor)):
            changed[name] = found[0]
            heads |= found[1]
    if getattr(decider, "paper", None) is not None:
        changed["paper"] = factor * decider.paper
    if isinstance(decider, ByRange):
        ranges = {head: ends for head, ends in decider.columns.items() if _is_number(ends)}
        moved = {head: (factor * low, factor * high) for head, (low, high) in ranges.items()}
        changed |= {"columns": {**decider.columns, **moved}} if moved else {}
    if isinstance(decider, ByLimit):
        changed["columns"] = {head: factor * limit for head, limit in decider.columns.items()}
    if isinstance(decider, ByColumns):
        heads |= {known for known, _ in decider.columns}
    if isinstance(decider, ByFormula):
        heads.add(decider.formula)
    return (replace(decider, **changed), frozenset(heads)) if changed or heads else None


def _is_number(ends: tuple[float, float]) -> bool:
    """Return True if a range is around a number of the paper, and not a side."""
    return all(map(isfinite, ends)) and min(ends) > 0


@pytest.mark.parametrize("factor", [0.01, 100.0])
def test_numbers_of_the_papers_are_found_wrong_if_they_are(factor: float) -> None:
    """Every number that is 100 times too small or too large differs from what is measured.

    What was run under other conditions only says nothing of the paper's number.
    """
    tried, kinds = 0, set[type]()
    for one in told():
        if (wrong := times(one.decider, factor)) is None:
            continue
        decider, heads = wrong
        found = decider.ruled(Mistaken(docs=DOCS, factor=factor, heads=heads))
        tried += 1
        kinds.add(type(one.decider))
        wrong_verdicts = (NO_POWER,) if isinstance(decider, OnlyElsewhere) else (DIFFERS, SLIP)
        assert found.verdict in wrong_verdicts, (one.says, found)
    assert tried > 70
    assert kinds >= {ByNumber, ByRatio, ByRange, ByColumns, ByFormula, ByLimit, ReproducedElsewhere}
