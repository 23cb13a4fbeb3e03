"""Files that a command is asked to write, checked before it works for long."""

import os
from pathlib import Path

from ..instances.errors import Problem


def out_problems(instance: str, out: Path | None) -> list[Problem]:
    """Return what is wrong with `--out` for a schedule or an instance."""
    if out is not None and not out.name.endswith((".json", ".json.gz")):
        expected, advice = "a name that ends in .json or .json.gz", "name the file plan.json"
        return [Problem("--out", str(out), expected, advice)]
    return place_problems("--out", instance, out)


def place_problems(option: str, instance: str, path: Path | None) -> list[Problem]:
    """Return why a file may not be written, beside an instance that is perhaps a file itself."""
    if path is None:
        return []
    if path.resolve() == Path(instance).resolve():
        expected = "another file than the instance"
        return [Problem(option, str(path), expected, "choose another name")]
    if not os.access(path.parent, os.W_OK):
        expected = "a file in a folder that can be written"
        return [Problem(option, str(path), expected, "choose another path")]
    return []
