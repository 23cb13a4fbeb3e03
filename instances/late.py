"""Names of a package that are imported from its files at their first use."""

import re
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

IMPORT = re.compile(r"^    from (\.[\w.]+) import (?:\(([^)]*)\)|(.*))", re.MULTILINE)
"""An import for type checkers, of names written twice: `Name as Name`."""


def late(package: str, file: str) -> tuple[Callable[[str], Any], Callable[[], Any]]:
    """Return the functions `__getattr__` and `__dir__` of a package.

    The names are the ones that its own source, `file`, imports for type checkers.
    """
    homes = {
        name: home
        for home, several, one in IMPORT.findall(Path(file).read_text("utf-8"))
        for name in re.findall(r"(\w+) as", several or one)
    }

    def get(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        found = getattr(import_module(homes[name], package), name)
        setattr(sys.modules[package], name, found)
        return found

    return get, lambda: [*homes]
