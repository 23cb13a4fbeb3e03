"""`ringyard new`: the files that a method of one's own begins with."""

from pathlib import Path
from typing import Literal

from ..families.registry import FAMILIES
from ..instances.errors import InputError, Problem, unknown
from ..outside.skeleton import new_method
from .shared.output import say


def new_command(
    what: Literal["method"], name: str, /, *, family: str = "makespan", out: Path = Path()
) -> int:
    """Write NAME.py and test_NAME.py: a method that runs, to be changed, and its test.

    Parameters
    ----------
    what
        What is to be written: method.
    name
        Its name, as a function in Python has one.
    family
        The problem family whose instances it is for.
    out
        The folder for both files.
    """
    del what
    if family not in list(FAMILIES):
        hint = "see `ringyard list families`"
        raise InputError("ringyard new", [unknown("--family", family, FAMILIES, hint)])
    if not out.is_dir():
        problem = Problem("--out", str(out), "a folder", "make it first")
        raise InputError("ringyard new", [problem])
    method, test = new_method(name, family, out)
    example = next(iter(FAMILIES[family].examples), "INSTANCE")
    say(f"wrote {method} and {test}")
    say(f"next: ringyard solve {example} --method {method}:{name}")
    say(f"then, where pytest is installed: python -m pytest {test}")
    return 0
