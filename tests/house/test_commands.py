r"""Every `ringyard` command and every Python example in the documents works as written.

In ``console`` and ``sh`` blocks the lines that begin with ``ringyard`` (after a ``$`` in
``console``) run one after the other in one empty folder per document; other commands are
left out. A line may end in ``# exit 2`` where that is the exit code to expect. Output that a
``console`` block shows must come, where ``...`` stands for anything. Blocks marked ``python``
run in the same folder and share their names; ``python no-run`` marks a mere fragment.
"""

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from doctest import ELLIPSIS, NORMALIZE_WHITESPACE, OutputChecker
from pathlib import Path
from typing import Any, NamedTuple

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
FENCE = re.compile(r"^( *)(`{3,})([^\n`]*)\n(.*?)^\1\2 *$", re.MULTILINE | re.DOTALL)
PROGRAM = "from ringyard.__main__ import main; main()"


class Command(NamedTuple):
    """A command line, the exit code it should end with, and the output it should show."""

    line: str
    code: int
    shown: str


class Example(NamedTuple):
    """A Python block and the line of the page it begins on."""

    source: str
    line: int


def steps(page: str) -> Iterator[Command | Example]:
    """Yield what a page tells the reader to run."""
    for block in FENCE.finditer(page):
        language, body = block[3].strip(), re.sub(rf"^{block[1]}", "", block[4], flags=re.M)
        if language in {"console", "sh"}:
            yield from commands(body, prompted=language == "console")
        elif language == "python":
            yield Example(body, page.count("\n", 0, block.start(4)))


def commands(body: str, *, prompted: bool) -> Iterator[Command]:
    """Yield the `ringyard` lines of a block, with the output that follows each."""
    lines = body.replace("\\\n", " ").splitlines()
    starts = [n for n, line in enumerate(lines) if line.startswith("$ ") or not prompted]
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        line = lines[start].removeprefix("$ ")
        code = re.search(r"# exit (\d+)\s*$", line)
        if line.startswith("ringyard "):
            shown = "\n".join(lines[start + 1 : end]).strip()
            yield Command(line, int(code[1]) if code else 0, shown)


def run_command(command: Command, folder: Path) -> None:
    """Run a command as a shell would and compare what it does with what the page says."""
    bin_folder = folder.parent / "bin"
    bin_folder.mkdir(exist_ok=True)
    program = bin_folder / "ringyard"
    python = shlex.quote(sys.executable)
    program.write_text(f'#!/bin/sh\nexec {python} -c {shlex.quote(PROGRAM)} "$@"\n')
    program.chmod(0o755)
    done = subprocess.run(
        ["/bin/sh", "-c", command.line],
        cwd=folder,
        env={**os.environ, "PATH": f"{bin_folder}{os.pathsep}{os.environ['PATH']}"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    said = f"{command.line}\nexit {done.returncode}, output:\n{done.stdout}"
    assert done.returncode == command.code, said
    if command.shown:
        options = ELLIPSIS | NORMALIZE_WHITESPACE
        agrees = OutputChecker().check_output(f"{command.shown}\n", done.stdout, options)
        assert agrees, f"{said}\nbut the page shows:\n{command.shown}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_the_page_works_as_written(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "reader"
    folder.mkdir()
    monkeypatch.chdir(folder)
    names: dict[str, Any] = {"__name__": "__example__"}
    for step in steps(page.read_text(encoding="utf-8")):
        if isinstance(step, Command):
            run_command(step, folder)
        else:
            padded = "\n" * step.line + step.source
            exec(compile(padded, str(page), "exec"), names)


def test_the_readme_shows_commands_and_python() -> None:
    found = {type(step) for step in steps((ROOT / "README.md").read_text(encoding="utf-8"))}
    assert found == {Command, Example}


def test_what_counts_as_a_step() -> None:
    page = (
        "```console\n$ make demo\n$ ringyard check a b  # exit 1\nlate: job ...\n\n```\n"
        "```sh\nringyard list \\\n  methods\npip install x\n```\n"
        "1. list\n\n   ```python\n   x = 1\n   ```\n\n"
        "```python no-run\n...\n```\n```json\n{}\n```\n"
    )
    assert list(steps(page)) == [
        Command("ringyard check a b  # exit 1", 1, "late: job ..."),
        Command("ringyard list    methods", 0, ""),
        Example("x = 1\n", 14),
    ]
