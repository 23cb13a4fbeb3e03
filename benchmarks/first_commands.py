"""What a stranger's first commands take: with an empty cache of kernels, then again with it.

    python benchmarks/first_commands.py [--page] [--smoke] [COMMAND ...]
    python benchmarks/first_commands.py "solve hand-spread" "solve mobihoc-*"

`--page` writes the table into docs/studies/speed.md, with the date and the machine. `--smoke` runs
the first two commands only. Without commands, ten first commands are run. Prints processor seconds,
those of child processes included, and seconds of the clock. A `*` in the name of an instance stands
for all that it fits. The last column is what a command takes on an empty cache where kernels are
compiled at once (`RINGYARD_KERNELS=compiled`).
"""

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from fnmatch import fnmatch
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from on_page import DOCS, show

from ringyard.instances.catalogue import entries

FIRST = (
    "--help",
    "show hand-spread",
    "bound hand-spread",
    "solve hand-spread",
    "solve small-16x6",
    "solve mobihoc-20-s0",
    "solve pdors-s0",
    "solve pdors-s0 --method pd-ors-corrected",
    "solve tiresias-testbed --method tiresias-l",
    "solve fleet-pollux",
)
"""Ten first commands."""


def main(words: list[str], docs: Path = DOCS) -> int:
    """Print a row for each command, and write the table into the page if that is wanted."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("commands", nargs="*", metavar="COMMAND")
    parser.add_argument("--page", action="store_true")
    parser.add_argument("--smoke", action="store_true")
    given = parser.parse_args(words)
    lines = table(given.commands or (FIRST[:2] if given.smoke else FIRST))
    show(lines, "speed", "first-commands", page=given.page, docs=docs)
    return 0


def table(commands: Sequence[str]) -> Iterator[str]:
    """Yield the lines of the table."""
    yield "| command | empty cache, s | with the cache, s | compiled at once, s |"
    yield "|---|--:|--:|--:|"
    for command in each(commands):
        with tempfile.TemporaryDirectory() as folder:
            first, again = taken(command, folder), taken(command, folder)
        with tempfile.TemporaryDirectory() as folder:
            whole = taken(command, folder, "compiled")
        yield f"| `{command}` | {first} | {again} | {whole} |"


def each(commands: Sequence[str]) -> Iterator[str]:
    """Yield the commands, one for each instance whose name fits."""
    for command in commands:
        pattern = next((word for word in command.split() if "*" in word), None)
        if pattern is None:
            yield command
        else:
            found = [name for name in entries() if fnmatch(name, pattern)]
            yield from (command.replace(pattern, name) for name in found)


def taken(command: str, folder: str, mode: str = "") -> str:
    """Run a command with a cache in `folder`; return its processor seconds and the clock's."""
    used, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    subprocess.run(
        [sys.executable, "-P", "-m", "ringyard", *command.split()],
        env=os.environ | {"NUMBA_CACHE_DIR": folder, "RINGYARD_KERNELS": mode},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=False,
    )
    clock, now = time.monotonic() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    processor = now.ru_utime + now.ru_stime - used.ru_utime - used.ru_stime
    return f"{processor:.1f} ({clock:.1f})"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
