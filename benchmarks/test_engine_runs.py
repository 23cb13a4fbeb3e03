"""The cost of a separate process for each run of an engine, and of the audit of its answer.

Most of the cost is the import of Ringyard, numpy and the solver in that process. None of it is in
the engine's time.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from ringyard.campaigns.perform_program import perform_program
from ringyard.engines.engine import engine_of
from ringyard.engines.program_run import run_of
from ringyard.engines.programs import find_programs
from ringyard.formulations.corpus.build import build
from ringyard.formulations.corpus.index import corpus, recipe_of
from ringyard.formulations.files.mps import mps_lines
from ringyard.formulations.files.write import write_lines
from ringyard.formulations.program import Caps, Matrix
from ringyard.formulations.solver_interface.call import plain_answer
from ringyard.formulations.solver_interface.solve import find_solver

NAME = "hand-contend.linearised.h7"


@pytest.mark.parametrize("apart", [False, True], ids=["here", "apart"])
def test_the_call_of_an_engine(benchmark: Any, apart: bool) -> None:
    program = build(recipe_of(NAME))
    caps = Caps(time_s=60.0, own_process=apart)
    found = benchmark(plain_answer, find_solver("highs"), program, caps)
    assert found.bound == pytest.approx(7)


def test_a_run_with_its_audit(benchmark: Any) -> None:
    task = json.loads(json.dumps(run_of(engine_of("highs"), corpus()[NAME], 0, 60.0).task()))
    columns = benchmark(perform_program, task)["columns"]
    assert (columns["objective"], columns["valid"]) == (7.0, True)


def test_reading_thirty_files(benchmark: Any, tmp_path: Path) -> None:
    program = build(recipe_of(NAME))
    assert isinstance(program, Matrix)
    for i in range(30):
        write_lines(tmp_path / f"copy-{i}.mps", mps_lines(program))
    assert len(benchmark(find_programs, [str(tmp_path)]).entries) == 30
