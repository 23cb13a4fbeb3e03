"""The pages say how many steps the checker's searches take, and which limits there are."""

import re
import sys
from fractions import Fraction
from pathlib import Path
from types import ModuleType

import pytest
from check.certificates.proofs import checked
from check.certificates.test_limits import stated

from ringyard.analysis.check.certificates import rental, shuffle, transfers
from ringyard.analysis.check.certificates.makespan import every
from ringyard.analysis.check.certificates.trace import ticks as every_tick
from ringyard.analysis.check.certificates.transfers import every as every_plan
from ringyard.instances.catalogue import entries, load

DOCS = Path(__file__).parents[3] / "docs"
PAGE = (DOCS / "reference/certificate-rules.md").read_text(encoding="utf-8")
STUDY = (DOCS / "studies/certificates.md").read_text(encoding="utf-8")

SEARCHES = {"makespan": every, "trace": every_tick, "transfers": every_plan}
RULES = {"makespan": "every schedule", "trace": "every tick", "transfers": "every plan"}
QUICK = 10_000
"""Steps; what takes more is a slow test."""


def taken() -> list[tuple[str, str, int]]:
    """Return the names, values and steps of the study's tables."""
    found = []
    for line in STUDY.splitlines():
        row = re.fullmatch(r"\| (`.*) \| ([0-9./]+) \| ([0-9,]+) \| [0-9.]+ \|", line)
        if row is not None:
            names = re.findall(r"`([^`]+)`", row[1])
            found += [(name, row[2], int(row[3].replace(",", ""))) for name in names]
    return found


def test_all_tables_are_read() -> None:
    assert len(taken()) == 7 + 9 + 3


@pytest.mark.parametrize(
    ("name", "value", "steps"),
    [
        row if row[2] <= QUICK else pytest.param(*row, marks=pytest.mark.slow)
        for row in taken()
        if row[0] not in ("tiny-transfers-s0", "tiny-transfers-s3")
    ],
)
def test_a_search_takes_the_steps_that_the_study_says(
    name: str, value: str, steps: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    # With one less it is refused: so what is the same is tried once, and what cannot be is not.
    instance, number = load(name), value
    if "." in value:  # Rounded on the page: the search is the same a little above.
        number = str(entries()[name].upper[0].value)
    lines = stated(instance, rule=RULES[instance.kind], at_least=number)
    monkeypatch.setattr(SEARCHES[instance.kind], "MOST_WORK", steps)
    assert checked(instance, lines).accepted
    monkeypatch.setattr(SEARCHES[instance.kind], "MOST_WORK", steps - 1)
    refused = checked(instance, lines).refused
    assert refused is not None
    assert "takes more than" in refused.why


CONFIGURATIONS = sys.modules["ringyard.analysis.check.certificates.makespan.configurations"]
LIMITS: list[tuple[str, ModuleType, str]] = [
    ("configurations", CONFIGURATIONS, "MOST_PLACEMENTS"),
    ("every schedule", every, "MOST_WORK"),
    ("every tick", every_tick, "MOST_WORK"),
    ("all sums", shuffle, "MOST_ROWS"),
    ("chains", transfers, "MOST"),
    ("every plan", every_plan, "MOST_WORK"),
    ("every plan", every_plan, "MOST_UPDATES"),
]


def numbers_of(rule: str) -> set[str]:
    """Return the whole numbers in the page's row of a rule, links apart."""
    rows = re.findall(rf"^\| `{rule}` \|.*$", PAGE, re.M)
    assert rows, f"the page has no row for {rule}"
    return set(re.findall(r"\d[\d,]*\d|\d", re.sub(r"\]\([^)]*\)", "]", " ".join(rows))))


@pytest.mark.parametrize(("rule", "module", "name"), LIMITS)
def test_the_row_of_a_rule_has_its_limit(rule: str, module: ModuleType, name: str) -> None:
    assert f"{getattr(module, name):,}" in numbers_of(rule)


def test_powers_are_rounded_up_by_more_than_their_error() -> None:
    # A power in `UP` has 60 digits, the last of which may be wrong.
    error = Fraction(2, 10 ** (rental.UP.prec - 1))
    assert 1 + error <= rental.MARGIN <= 1 + Fraction(1, 10**55)
