"""The runs that come with Ringyard, and the page that is made of them."""

import re
from collections import Counter
from pathlib import Path

import pytest

from ringyard.analysis.rows import Row
from ringyard.analysis.tables import to_markdown
from ringyard.campaigns.reproductions import Results
from ringyard.engines.compared import EngineRuns, by_engine
from ringyard.engines.engine import LICENSED
from ringyard.engines.kept import KEPT, kept_rows
from ringyard.engines.verdicts import phases
from ringyard.formulations.corpus.index import corpus
from ringyard.papers.solvers import report_of

PAGE = Path(__file__).parents[2] / "docs/studies/solvers.md"
PART = re.compile(r"<!-- (?!end)(\S+) -->\n(.*?)<!-- end -->", re.DOTALL)


@pytest.fixture(scope="module")
def rows() -> list[Row]:
    return kept_rows()


@pytest.fixture(scope="module")
def report(rows: list[Row]) -> Results:
    return report_of(rows)


def test_the_page_says_what_the_runs_say(report: Results) -> None:
    parts = {name: text.strip() for name, text in PART.findall(PAGE.read_text(encoding="utf-8"))}
    made = {name: to_markdown(table).strip() for name, table in report.tables.items()}
    made["statements"] = "\n".join(f"- {text}" for text in report.statements)
    # Which engines are missing depends on the machine.
    assert parts.keys() == made.keys()
    for name in parts.keys() - {"engines"}:
        assert parts[name] == made[name], name


def test_there_are_enough_runs(rows: list[Row]) -> None:
    free = [row for row in rows if row["solver"] not in LICENSED]
    assert len(by_engine(free)) >= 10
    orders = Counter(program for program, _ in {(row["instance"], row["seed"]) for row in free})
    assert sum(count >= 3 for count in orders.values()) >= 200
    assert KEPT.stat().st_size < 3_000_000


def test_every_program_was_asked_of_all_engines_of_its_class(rows: list[Row]) -> None:
    runs = EngineRuns(tuple(rows), corpus())
    for kind in ("LP", "MILP", "ip", "NL", "conic"):
        asked = {
            name: {(row["instance"], row["seed"]) for row in own}
            for name, own in by_engine(runs.of(kind)).items()
        }
        assert len({frozenset(cases) for cases in asked.values()}) == 1, kind


def test_many_optima_have_two_independent_provers(rows: list[Row]) -> None:
    known = EngineRuns(tuple(rows), corpus()).known.values()
    assert sum(len(one.provers) > 1 for one in known) >= 120


def test_they_name_no_machine(rows: list[Row]) -> None:
    assert {row["host"] for row in rows} == {None}
    assert {row["writer"] for row in rows} == {None}


def test_times_have_the_set_up_in_them(rows: list[Row]) -> None:
    """Otherwise Exact, whose set-up is longer than its search, would be first on `ip`."""
    runs = EngineRuns(tuple(rows), corpus())
    assert [row["seconds"] for row in runs.plain(rows)] == [row["seconds"] for row in rows]
    assert any(phases(row).get("setup", 0.0) > 0 for row in rows)


def test_no_table_ranks_by_difficulty(report: Results) -> None:
    """The difficulty of a program depends on the times of two of the engines."""
    heads = {column.name for table in report.tables.values() for column in table.columns}
    assert "difficulty" not in heads


def test_what_one_code_solves_by_two_settings_it_solves_alone(report: Results) -> None:
    """Only SCIP's two settings solve non-convex programs."""
    best = {row[1]: row for row in report.tables["best"].rows if row[0] == "NL"}
    solved = {row[0]: row[1] for row in report.tables["nl"].rows}
    heads = [column.name for column in report.tables["best"].columns]
    alone = heads.index("solved by its code alone")
    for name in ("scip", "scip-no-presolve"):
        assert best[name][alone] == solved[name]
