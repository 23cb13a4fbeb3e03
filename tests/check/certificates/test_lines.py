"""The page says how many lines have to be believed; its table is held to the files."""

import re
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[3] / "benchmarks"))

from mutants import alike, every_mutant, without_line
from mutants_alike import ALIKE

ROOT = Path(__file__).parents[3]
CHECKER = ROOT / "analysis/check/certificates"
PAGE = ROOT / "docs/concepts/certificates.md"


def rows() -> list[list[str]]:
    """Return the cells of the table."""
    text = PAGE.read_text(encoding="utf-8").split("| to follow |")[1].split("\n\n")[0]
    lines = text.splitlines()[2:]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def files(cell: str) -> set[Path]:
    """Return the files of a cell; a folder stands for all that are in it."""
    names = re.findall(r"`([^`]+)`", cell)
    found = {CHECKER / f"{name}.py" for name in names if not (CHECKER / name).is_dir()}
    return found.union(*((CHECKER / name).glob("*.py") for name in names))


def lines_of(some: set[Path]) -> int:
    """Return the lines of files."""
    return sum(len(path.read_text(encoding="utf-8").splitlines()) for path in some)


def test_the_table_says_how_many_lines_there_are() -> None:
    (_, common, first, _), *others, (_, _, rules, every) = rows()
    assert int(first) == lines_of(files(common))
    named = files(common)
    for what, cell, own, together in others:
        some = files(cell)
        named |= some
        assert (int(own), int(together)) == (lines_of(some), lines_of(some | files(common))), what
    assert named == {*CHECKER.rglob("*.py")}
    assert (int(rules), int(every)) == (lines_of(named - files(common)), lines_of(named))


def test_a_certificate_of_a_makespan_takes_less_than_1500_lines() -> None:
    together = {what: int(cells[-1]) for what, *cells in rows()[1:-1]}
    assert max(together.values()) < 1_500
    assert f"believe {together['`makespan`: all']:,} lines" in PAGE.read_text(encoding="utf-8")


def test_what_is_said_to_change_no_verdict_is_in_the_checker() -> None:
    found = [one.name for one in every_mutant() if alike(one.name)]
    # Both signs of `a < b < c` change at one place.
    assert len({*found}) == len(ALIKE) == 61
    assert {*map(without_line, found)} == {*ALIKE}
