"""Files that a command is asked to write, checked before it works for long."""

import os
from pathlib import Path

from ..instances.errors import Problem


def out_problems(instance: str, out: Path | None) -> list[Problem]:
    """Return what is wrong with `--out` beside an instance that is perhaps a file itself."""
    if out is None:
        return []
    if not out.name.endswith((".json", ".json.gz")):
        expected = "a name that ends in .json or .json.gz"
        return [Problem("--out", str(out), expected, "name the file, for example, out.json")]
    if out.resolve() == Path(instance).resolve():
        expected = "another file than the instance"
        return [Problem("--out", str(out), expected, "choose another name")]
    if not os.access(out.parent, os.W_OK):
        expected = "a file in a folder that can be written"
        return [Problem("--out", str(out), expected, "choose another path")]
    return []
