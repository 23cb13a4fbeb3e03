"""Programs and points to files, line by line: a file is there with all it holds, or not at all."""

import gzip
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from ...instances.writing import write_whole
from ..program import Matrix
from .lp import lp_lines
from .mps import mps_lines
from .names import to_file


def write_matrix(path: Path, matrix: Matrix) -> None:
    """Write a program to a file whose name ends in .mps or .lp."""
    lines = {".mps": mps_lines, ".lp": lp_lines}[path.suffix]
    write_lines(path, lines(matrix))


def write_nl(
    path: Path, model: Any, write: Callable[[Path, bytes], None] = write_whole
) -> tuple[int, int]:
    """Write a model as NL and the names of its rows and columns next to it, in .row and .col.

    Returns:
        How many columns and rows it has.
    """
    from ..matrix import nl_of

    nl, info = nl_of(model)
    write(path, nl)
    parts = {".row": [*info.constraints, *info.objectives], ".col": info.variables}
    for suffix, components in parts.items():
        write(path.with_suffix(suffix), _text(to_file(one.name) for one in components))
    return len(info.variables), len(info.constraints)


def write_lines(path: Path, lines: Iterable[str]) -> None:
    """Write lines to a file, packed if its name ends in .gz."""
    text = _text(lines)
    write_whole(path, gzip.compress(text, 6, mtime=0) if path.suffix == ".gz" else text)


def _text(lines: Iterable[str]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode("ascii")
