"""Programs and points to files, line by line: a file is there with all it holds, or not at all."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO

from ...instances.writing import drafted
from ..program import Matrix
from .lp import lp_lines
from .mps import mps_lines
from .names import to_file


def write_matrix(path: Path, matrix: Matrix) -> None:
    """Write a program to a file whose name ends in .mps or .lp."""
    lines = {".mps": mps_lines, ".lp": lp_lines}[path.suffix]
    write_lines(path, lines(matrix))


def write_nl(path: Path, model: Any) -> tuple[int, int]:
    """Write a model as NL and the names of its rows and columns beside it, in .row and .col.

    Returns:
        How many columns and rows it has.
    """
    from pyomo.repn.plugins.nl_writer import NLWriter

    with whole(path) as stream:
        info = NLWriter().write(model, stream, linear_presolve=False, scale_model=False)
    parts = {".row": [*info.constraints, *info.objectives], ".col": info.variables}
    for suffix, components in parts.items():
        write_lines(path.with_suffix(suffix), (to_file(one.name) for one in components))
    return len(info.variables), len(info.constraints)


def write_lines(path: Path, lines: Iterable[str]) -> None:
    """Write lines to a file."""
    with whole(path) as stream:
        stream.writelines(f"{line}\n" for line in lines)


@contextmanager
def whole(path: Path) -> Iterator[TextIO]:
    """Open a draft for writing, which takes the file's place at the end, or vanishes."""
    with drafted(path) as draft, draft.open("w", encoding="ascii") as stream:
        yield stream
