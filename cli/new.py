"""`ringyard new`: template files for a user-defined method and its test."""

import keyword
import sys
from pathlib import Path
from typing import Literal

from ..families.registry import FAMILIES
from ..instances.errors import InputError, Problem, unknown
from ..instances.writing import write_whole
from .shared.output import say


def new_command(
    what: Literal["method"], name: str, /, *, family: str = "makespan", out: Path = Path()
) -> int:
    """Write NAME.py and test_NAME.py: a method that runs, for you to change, and its test.

    Parameters
    ----------
    what
        The kind of template: method.
    name
        The name of the method, a valid Python function name.
    family
        The problem family of its instances.
    out
        The folder for both files.
    """
    del what
    if family not in list(FAMILIES):
        hint = "see `ringyard list families`"
        raise InputError("ringyard new", [unknown("--family", family, FAMILIES, hint)])
    if not out.is_dir():
        raise InputError.of("ringyard new", "--out", str(out), "a folder", "create it first")
    method, test = new_method(name, family, out)
    example = next(iter(FAMILIES[family].examples), "INSTANCE")
    say(f"wrote {method} and {test}")
    say(f"next: ringyard solve {example} --method {method}:{name}")
    say(f"then, if pytest is installed: python -m pytest {test}")
    return 0


ANY = '''
def NAME(instance):
    """Return the schedule of a built-in method; replace it with your own."""
    return ringyard.solve(instance, "DEFAULT").schedule
'''

TAKEN = ("ringyard", "numpy", "pytest", "pyomo", "scipy", "numba")
"""Packages that a file with their name would hide."""

TEST = '''"""The method passes all checks."""

from NAME import NAME
from ringyard.testing import check_method


def test_NAME() -> None:
    check_method(NAME, "FAMILY")
'''


def new_method(name: str, family: str, folder: Path) -> list[Path]:
    """Write a method and its test into a folder and return the files."""
    taken = keyword.iskeyword(name) or name in {*sys.stdlib_module_names, *TAKEN}
    if taken or not name.isidentifier() or name.startswith("_"):
        advice = "use letters, digits and underscores"
        if taken:
            advice = "Python or a package uses this name"
        raise InputError("ringyard new", [Problem("NAME", name, "a valid Python name", advice)])
    home = FAMILIES[family]
    text = getattr(home.extension, "SKELETON", ANY)
    first = "from ringyard import policy" if "@policy" in text else ""
    first = "import ringyard" if text is ANY else first
    head = f'"""A method for {family} instances: {home.about}."""'
    head = head if len(head) <= 100 else head[: head.index(":")] + '."""'
    parts = [head, first, text.strip("\n")]
    code = ("\n\n".join(filter(None, parts[:2])) + "\n\n\n" + parts[2]).replace("NAME", name)
    written = {
        folder / f"{name}.py": code.replace("DEFAULT", home.default) + "\n",
        folder / f"test_{name}.py": TEST.replace("NAME", name).replace("FAMILY", family),
    }
    there = [path for path in written if path.exists()]
    if there:
        problem = Problem("NAME", str(there[0]), "no file of this name", "choose another name")
        raise InputError("ringyard new", [problem])
    for path, content in written.items():
        write_whole(path, content.encode())
    return list(written)
