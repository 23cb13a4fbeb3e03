"""The page says how many lines of the checker a reader has to believe."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[3] / "benchmarks"))
sys.path.append(str(Path(__file__).parents[3] / "docs"))

import checker_lines
from mutants import alike, every_mutant, without_line
from mutants_alike import ALIKE


def test_the_page_says_how_many_lines_there_are() -> None:
    """Else run `python docs/generate.py`."""
    page = checker_lines.PAGE.read_text(encoding="utf-8")
    assert checker_lines.renewed(page) == page


def test_every_file_is_in_the_table() -> None:
    names = [*checker_lines.COMMON, *(name for row in checker_lines.ROWS.values() for name in row)]
    assert checker_lines.files(names) == {*checker_lines.CHECKER.rglob("*.py")}


def test_a_certificate_of_one_family_takes_less_than_1500_lines() -> None:
    common = checker_lines.files(checker_lines.COMMON)
    for names in checker_lines.ROWS.values():
        assert checker_lines.lines_of(checker_lines.files(names) | common) < 1_500


def test_what_is_said_to_change_no_verdict_is_in_the_checker() -> None:
    found = [one.name for one in every_mutant() if alike(one.name)]
    # Both signs of `a < b < c` change at one place.
    assert len({*found}) == len(ALIKE) == 61
    assert {*map(without_line, found)} == {*ALIKE}
