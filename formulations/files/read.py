"""Reads a program from a file. The end of its name says which format it has."""

from collections.abc import Callable
from pathlib import Path

from ...instances.errors import InputError
from ..conic import ConicProgram
from ..program import Program
from .cbf_reader import read_cbf
from .lp import read_lp
from .mps_reader import read_mps
from .nl_file import read_nl_file

READERS: dict[str, Callable[[Path], Program | ConicProgram]] = {
    ".mps": read_mps,
    ".lp": read_lp,
    ".nl": read_nl_file,
    ".cbf": read_cbf,
}
"""The reader of each format, by the end of the name without a last ``.gz``."""


def format_of(path: Path) -> str:
    """Return the end of a name that says the format, such as ``.mps`` for ``a.mps.gz``."""
    return Path(path.name.lower().removesuffix(".gz")).suffix


def is_program(path: Path) -> bool:
    """Return True if the name of a file says that it holds a program."""
    return format_of(path) in READERS


def read_program(path: Path) -> Program | ConicProgram:
    """Return the program in a file, and unpack a .gz file. A maximised objective is turned.

    Raises:
        InputError: With the first line that cannot be read, or that no program here can state.
    """
    reader = READERS.get(format_of(path))
    if reader is None:
        *most, last = READERS
        expected = f"a name that ends in {', '.join(most)} or {last}, or one of these and .gz"
        raise InputError.of(str(path), "name", path.name, expected, "export the program as MPS")
    return reader(path)
