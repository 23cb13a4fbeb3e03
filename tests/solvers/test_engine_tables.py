"""Means, penalties and pairs of a table of six runs, worked out on paper."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from campaigns.runs_at_hand import engine_row

from ringyard.analysis.rows import Row, whole_row
from ringyard.engines.choice import ranking
from ringyard.engines.compared import EngineRuns
from ringyard.engines.engine import read_engines
from ringyard.engines.program_run import run_of
from ringyard.engines.programs import find_programs
from ringyard.engines.report import report_on
from ringyard.formulations.corpus.build import build
from ringyard.formulations.corpus.index import CorpusEntry
from ringyard.formulations.files.mps import mps_lines
from ringyard.formulations.files.write import write_lines
from ringyard.formulations.program import Matrix

TIMES = {"slow": (1.0, 3.0, None), "quick": (2.0, 1.0, 4.0)}
"""Seconds of two engines on three programs. None: not solved within the limit of 10 s."""


def entry(name: str) -> CorpusEntry:
    sizes: dict[str, Any] = {"columns": 2, "rows": 1, "nonzeros": 2, "integers": 2}
    ends: dict[str, Any] = {"smallest": 1.0, "largest": 2.0, "digest": name}
    return CorpusEntry(name=name, family="program", kind="MILP", **sizes, **ends)


def made(engine: str, program: int, seconds: float | None) -> Row:
    solved = seconds is not None
    status = "optimal" if solved else "nothing"
    return whole_row(
        {
            "v": 3,
            "key": f"{engine} {program}",
            "instance": f"p{program}",
            "digest": f"p{program}",
            "family": "program",
            "sense": "min",
            "method": engine,
            "solver": engine,
            "random": True,
            "seed": 0,
            "repetition": 0,
            "threads": 1,
            "time_limit": 10.0,
            "status": "optimal" if solved else "unknown",
            "solution_status": status,
            "objective": 7.0 if solved else None,
            "bound": 7.0 if solved else None,
            "valid": solved,
            "violations": 0,
            "seconds": 10.0 if seconds is None else seconds,
            "phases": '{"setup": 0.5, "base_mb": 50.0, "base_cpu": 0.3}',
            "cpu_seconds": 1.0 + program,
            "memory_mb": 10.0 * (1 + program),
            "trajectory": [],
        }
    )


@pytest.fixture(name="runs")
def six_rows() -> EngineRuns:
    rows = (made(name, i, s) for name, times in TIMES.items() for i, s in enumerate(times))
    return EngineRuns(tuple(rows), {f"p{i}": entry(f"p{i}") for i in range(3)}, frozenset())


def test_the_table_of_a_class(runs: EngineRuns) -> None:
    table = report_on(runs).tables["milp"]
    heads = [column.name for column in table.columns]
    lines = {str(row[0]): dict(zip(heads, row, strict=True)) for row in table.rows}
    assert list(lines) == ["quick", "slow"]
    assert lines["slow"]["runs: solved"] == 2
    assert lines["slow"]["PAR10"] == pytest.approx((1 + 3 + 100) / 3)
    assert lines["quick"]["PAR10"] == pytest.approx(7 / 3)
    means = [lines[name]["mean s, shifted by: 1 s"] for name in ("slow", "quick")]
    assert means == pytest.approx([88 ** (1 / 3) - 1, 30 ** (1 / 3) - 1])
    assert lines["slow"]["mean s, shifted by: 10 s"] == pytest.approx(2860 ** (1 / 3) - 10)
    assert lines["quick"]["median s: set-up"] == 0.5
    assert lines["quick"]["median: processor s"] == 2.0
    assert (lines["quick"]["median: MB"], lines["quick"]["largest: MB"]) == (20.0, 30.0)


def test_the_pairs(runs: EngineRuns) -> None:
    table = report_on(runs).tables["milp-pairs"]
    assert table.rows == (("quick", None, "2"), ("slow", "1", None))
    first, other = ranking(runs, runs.commons["MILP"]).leaders  # Three programs tell nothing apart.
    assert (first.engine, other.engine) == ("quick", "slow")
    said = [one for one in report_on(runs).statements if "not told apart" in one]
    assert said == ["programs with integers: quick and slow are not told apart, 2.11 to 3.45 s"]


def test_the_first_is_named_if_a_test_tells_it_apart() -> None:
    rows = [made(name, i, 1.0 + (name == "b")) for name in "ab" for i in range(8)]
    runs = EngineRuns(tuple(rows), {f"p{i}": entry(f"p{i}") for i in range(8)}, frozenset())
    assert [one.engine for one in ranking(runs, runs.commons["MILP"]).leaders] == ["a"]
    assert any("a first, 100% solved" in one for one in report_on(runs).statements)


PAIR = ("hand-contend.linearised.h7", "hand-contend.columns.h7")
"""Two programs of one instance."""


@pytest.mark.parametrize("exported", [True, False])
def test_exported_programs_of_one_instance_count_as_two(exported: bool, tmp_path: Path) -> None:
    """Nobody knows how a file was made. In the corpus, both are about one instance."""
    chosen = find_programs(PAIR)
    if exported:
        for name, one in chosen.entries.items():
            program = build(one.recipe)
            assert isinstance(program, Matrix)
            write_lines(tmp_path / f"{name}.mps", mps_lines(program))
        chosen = find_programs([str(tmp_path)])
    (engine,) = read_engines("scip")
    files = {name: str(chosen.files.get(name, "")) for name in PAIR}
    asked = [run_of(engine, chosen.entries[n], 0, 5.0, file=file) for n, file in files.items()]
    known = {"value": 7.0}
    rows = [engine_row(replace(one, entry=replace(one.entry, **known))) for one in asked]
    runs = EngineRuns(tuple(rows), chosen.entries, frozenset())
    places = runs.places(runs.common(rows))
    assert {place[2] for place in places} == {*PAIR}
    assert {place[:2] for place in places} == (
        {("program", name) for name in PAIR} if exported else {("makespan", "hand-contend")}
    )


def test_the_virtual_best(runs: EngineRuns) -> None:
    lines = {row[1]: row for row in report_on(runs).tables["best"].rows}
    assert lines["virtual best"][-1] == pytest.approx((2 * 2 * 5) ** (1 / 3) - 1)
    assert lines["quick"][3:6] == (2, 2, 1)
    assert lines["slow"][3:6] == (1, 1, 0)
