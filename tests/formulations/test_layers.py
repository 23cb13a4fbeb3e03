"""Every modelling layer of `benchmarks/layers.py` states the same programs as the package does."""

import subprocess
import sys
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parents[2] / "benchmarks"))

import layers
import layers_data
import layers_package
from layers_alike import fingerprint

from ringyard.formulations.files.mps_reader import read_mps
from ringyard.formulations.matrix import relaxed
from ringyard.formulations.program import Caps, Matrix
from ringyard.formulations.solver_interface.solve import solve


@cache
def own(program: str) -> Matrix:
    """Return the package's program."""
    return layers_package.stated(program, layers_data.subject(program, "small"))


QUICK = ("arrays",)

OTHERS = [
    name if name in QUICK else pytest.param(name, marks=pytest.mark.slow)
    for name in layers.LAYERS
    if name != "package"
]


@pytest.fixture(scope="module", params=OTHERS)
def stated(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the programs that a layer loaded.

    The layer has a process of its own: the libraries of OR-Tools and of HiGHS do not go together.
    """
    if layers.installed(layers.LAYERS[request.param]) is None:
        pytest.skip(f"{request.param} is not installed: pip install --group layers")
    folder = tmp_path_factory.mktemp(request.param)
    command = [sys.executable, layers.__file__, "write", request.param, str(folder)]
    subprocess.run(command, check=True, capture_output=True, timeout=600)
    return folder


@pytest.mark.parametrize("program", layers.PROGRAMS)
def test_a_layer_loads_the_rows_of_the_package(stated: Path, program: str) -> None:
    matrix, wanted = read_mps(stated / f"{program}.mps"), own(program)
    assert matrix.a.shape == wanted.a.shape
    assert matrix.a.nnz == wanted.a.nnz
    assert matrix.offset == wanted.offset
    assert fingerprint(matrix) == fingerprint(wanted)


@pytest.mark.parametrize("program", layers.PROGRAMS)
def test_a_layer_has_the_optimum_of_the_package(stated: Path, program: str) -> None:
    values = [
        solve(relaxed(matrix), "highs", Caps(seed=0)).value
        for matrix in (read_mps(stated / f"{program}.mps"), own(program))
    ]
    assert values[0] == pytest.approx(values[1], rel=1e-7)


@pytest.mark.parametrize("program", layers.PROGRAMS)
def test_programs_that_differ_in_one_number_are_told_apart(program: str) -> None:
    wanted = own(program)
    entries = wanted.a.copy()
    entries.data[7] += 1
    upper = wanted.upper.copy()
    upper[3] += 1
    for changed in ({"a": entries}, {"upper": upper}, {"integer": ~wanted.integer}):
        assert fingerprint(replace(wanted, **changed)) != fingerprint(wanted)


@pytest.mark.parametrize("program", layers.PROGRAMS)
def test_the_order_of_rows_and_columns_and_their_side_do_not_matter(program: str) -> None:
    wanted = own(program)
    turned = replace(
        wanted,
        a=-wanted.a[::-1, ::-1],
        row_lower=-wanted.row_upper[::-1],
        row_upper=-wanted.row_lower[::-1],
        **{key: getattr(wanted, key)[::-1] for key in ("cost", "lower", "upper", "integer")},
    )
    assert fingerprint(turned) == fingerprint(wanted)


def test_sizes_grow_from_a_thousand_nonzeros() -> None:
    assert all(500 <= own(program).a.nnz <= 2_000 for program in layers.PROGRAMS)
