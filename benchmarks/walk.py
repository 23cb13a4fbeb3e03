"""Count the files of the package that a command enters: functions called, imports aside.

    python benchmarks/walk.py solve hand-contend --method gang-lpt

Prints each file with how many of its functions ran, then files, functions and the edges between
rooms. Kernels count where they are called from Python; what they call in compiled code does not
(`RINGYARD_KERNELS=compiled`, unless it says otherwise).
"""

# ruff: noqa: T201

import os
import sys
from collections import defaultdict
from pathlib import Path
from types import FrameType
from typing import Any

from ringyard.cli import main

os.environ.setdefault("RINGYARD_KERNELS", "compiled")
ROOT = Path(__file__).resolve().parents[1]


def place(frame: FrameType) -> str | None:
    """Return the file of a function of the package, relative to its root."""
    code = frame.f_code
    if code.co_name.startswith("<") and code.co_name != "<lambda>":
        return None
    path = Path(code.co_filename)
    return path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else None


def imported(frame: FrameType | None) -> bool:
    """Return True if a module of the package is being imported."""
    while frame is not None:
        path = Path(frame.f_code.co_filename)
        if frame.f_code.co_name == "<module>" and path.is_relative_to(ROOT / "benchmarks"):
            return False
        if frame.f_code.co_name == "<module>" and path.is_relative_to(ROOT):
            return True
        frame = frame.f_back
    return False


def walk(words: list[str]) -> int:
    """Run a command and say where it went."""
    entered, edges = defaultdict(set), set[tuple[str, str]]()

    def note(frame: FrameType, event: str, _: Any) -> None:
        if (
            event != "call"
            or not (file := place(frame))
            or file.startswith((".venv", "benchmarks"))
        ):
            return
        if imported(frame):
            return
        entered[file].add(frame.f_code.co_qualname)
        caller = frame.f_back and place(frame.f_back)
        if caller and (ends := (caller.split("/")[0], file.split("/")[0]))[0] != ends[1]:
            edges.add(ends)

    sys.setprofile(note)
    try:
        code = main(words)
    finally:
        sys.setprofile(None)
    for file, names in sorted(entered.items()):
        print(f"{len(names):4} {file}", file=sys.stderr)
    functions = sum(map(len, entered.values()))
    print(f"{len(entered)} files, {functions} functions, {len(edges)} edges", file=sys.stderr)
    return code


if __name__ == "__main__":
    sys.exit(walk(sys.argv[1:]))
