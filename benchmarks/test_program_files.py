"""Reading a program of a million nonzeros from a file, and stating a large one."""

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array

from ringyard.formulations.files.lp import lp_lines
from ringyard.formulations.files.mps import mps_lines
from ringyard.formulations.files.read import read_program
from ringyard.formulations.files.write import write_lines
from ringyard.formulations.program import Matrix
from ringyard.formulations.trace import tickwise

sys.path.insert(0, str(Path(__file__).parent))
from layers_arrays import tickwise as bare_arrays
from layers_data import numbers, subject

ROWS, COLUMNS, NONZEROS_PER_ROW = 20_000, 50_000, 50
WRITERS = {".mps": mps_lines, ".mps.gz": mps_lines, ".lp": lp_lines}


@pytest.fixture(scope="module")
def million(size: Callable[[int], int]) -> Matrix:
    """Return a program with a random matrix and a box around half of its columns."""
    rng, rows, columns = np.random.default_rng(0), size(ROWS), size(COLUMNS)
    nonzeros = rows * NONZEROS_PER_ROW
    places = rng.choice(rows * columns, nonzeros, replace=False)
    values = rng.integers(1, 1000, nonzeros) / 8
    a = csr_array((values, np.divmod(places, columns)), shape=(rows, columns))
    return Matrix(
        columns=tuple(f"x[{j}]" for j in range(columns)),
        rows=tuple(f"row[{i}]" for i in range(rows)),
        cost=np.ones(columns),
        lower=np.zeros(columns),
        upper=np.where(rng.random(columns) < 0.5, 5.0, np.inf),
        integer=rng.random(columns) < 0.5,
        a=a,
        row_lower=np.full(rows, -np.inf),
        row_upper=np.full(rows, 100.0),
    )


@pytest.mark.parametrize("suffix", WRITERS)
@pytest.mark.benchmark(group="read a program", timer=time.process_time)
def test_read_a_million(benchmark: Any, million: Matrix, suffix: str, tmp_path: Path) -> None:
    file = tmp_path / f"a{suffix}"
    write_lines(file, WRITERS[suffix](million))
    found = benchmark.pedantic(read_program, (file,), rounds=3)
    assert found.a.nnz == million.a.nnz


@pytest.mark.parametrize("way", ["package", "bare arrays"])
@pytest.mark.benchmark(group="state tickwise, 720,000 nonzeros", timer=time.process_time)
def test_state_tickwise(benchmark: Any, way: str) -> None:
    """Beside the same numbers in bare arrays without names, handed to HiGHS."""
    one = subject("tickwise", "large" if benchmark.enabled else "small")
    found = numbers("tickwise", one)
    state = {"package": lambda: tickwise.twin(*one), "bare arrays": lambda: bare_arrays(found)}
    assert benchmark.pedantic(state[way], rounds=5, warmup_rounds=1) is not None
