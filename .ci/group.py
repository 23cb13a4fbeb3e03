"""Print a dependency group of pyproject.toml as lines of requirements, for a pip older than 25.1.

python .ci/group.py test > requirements.txt
"""

import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

PROJECT = tomllib.loads(
    Path(__file__).parents[1].joinpath("pyproject.toml").read_text(encoding="utf-8")
)


def lines(name: str) -> Iterator[str]:
    """Yield the requirements of a group and of those that it includes."""
    groups: dict[str, list[Any]] = PROJECT["dependency-groups"]
    for line in groups[name]:
        if isinstance(line, str):
            yield line
        else:
            yield from lines(line["include-group"])


if __name__ == "__main__":
    print("\n".join(dict.fromkeys(lines(sys.argv[1]))))
