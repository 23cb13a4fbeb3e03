"""Names of a package that are imported from its files when they are first used."""

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def late(package: str, files: Mapping[str, str]) -> tuple[Callable[[str], Any], Callable[[], Any]]:
    """Return the functions `__getattr__` and `__dir__` of a package, by the names in its files."""
    homes = {name: f".{file}" for file, names in files.items() for name in names.split()}

    def get(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        found = getattr(import_module(homes[name], package), name)
        setattr(sys.modules[package], name, found)
        return found

    return get, lambda: [*homes]
