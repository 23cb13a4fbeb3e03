r"""Every `ringyard` command and every Python example in the documents works as written.

In ``console`` and ``sh`` blocks the lines that begin with ``ringyard`` (after a ``$`` in
``console``), or with ``python NAME.py``, run one after the other in one empty folder per document;
other commands are left out. A line may end in ``# exit 2`` where that is the exit code to expect.
Output that a ``console`` block shows must come, where ``...`` stands for anything. Blocks marked
``python`` run in the same folder and share their names, and print what stands right below them as
``text`` or as a table; ``python NAME.py``, ``toml NAME.toml``, ``csv NAME.csv`` and ``text
NAME.txt`` are files of that name there, and the package of a ``pyproject.toml`` is installed;
``python no-run`` marks a mere fragment, ``sh long``, ``console long`` and ``python long`` what only
the slow tests run. A picture that is written is the one of that name in docs/pictures. Commands run
in this process but where they are more than words, and on pages where the process matters.
"""

import os
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from doctest import ELLIPSIS, NORMALIZE_WHITESPACE, OutputChecker
from io import StringIO
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from ringyard.cli import main

ROOT = Path(__file__).parents[2]
TEXTS = ROOT / "docs/studies/text"
"""What pages of studies are made of; the pages are tested."""

PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    *(page for page in sorted((ROOT / "docs").rglob("*.md")) if page.parent != TEXTS),
]
FENCE = re.compile(r"^( *)(`{3,})([^\n`]*)\n(.*?)^\1\2 *$", re.MULTILINE | re.DOTALL)
PRINTED = re.compile(
    r"^```python(?P<long> long)?\n(?P<code>(?:(?!```).*\n)*)```\n\n"
    r"(?:```text\n(?P<text>(?:(?!```).*\n)*)```|(?P<table>(?:\|.*\n)+))",
    re.MULTILINE,
)
"""A Python block, and the output or the table right below it that it prints."""

SHELL = re.compile(r"""[|&;<>$`*?~"']""")
"""Signs of a command that more is to be done with than to take it apart at its blanks."""

IN_PROCESSES = {
    "docs/project/add-a-family.md",
    "docs/howto/write-a-plugin.md",
    "docs/howto/write-a-study.md",
    "docs/concepts/limits-and-exit-codes.md",
}
"""Pages with commands that load what others bring, or about how processes end."""

LONG = {
    "docs/families/online.md",
    "docs/gallery.md",
    "docs/howto/campaign-graphs.md",
    "docs/howto/own-policy.md",
    "docs/howto/run-a-campaign.md",
    "docs/howto/solver-corpus.md",
    "docs/howto/tables-figures-report.md",
    "docs/howto/write-a-plugin.md",
    "docs/howto/write-a-study.md",
    "docs/project/add-a-family.md",
    "docs/start/tutorial.md",
}
"""Pages whose commands take about two seconds or more: only the slow tests run them."""

PROGRAM = "from ringyard.__main__ import main; main()"


class Command(NamedTuple):
    """A command line, the exit code it should end with, and the output it should show."""

    line: str
    code: int
    shown: str


class File(NamedTuple):
    """A file that a page shows."""

    name: str
    content: str


class Example(NamedTuple):
    """A Python block and the line of the page it begins on."""

    source: str
    line: int


def steps(page: str, *, long: bool = True) -> Iterator[Command | Example | File]:
    """Yield what a page tells the reader to run, also what takes long or not."""
    for block in FENCE.finditer(page):
        language, body = block[3].strip(), re.sub(rf"^{block[1]}", "", block[4], flags=re.M)
        if language in {"console", "sh"} or (long and language in {"console long", "sh long"}):
            yield from commands(body, prompted=language.startswith("console"))
        elif language == "python" or (long and language == "python long"):
            yield Example(body, page.count("\n", 0, block.start(4)))
        elif re.fullmatch(r"python \w+\.py|toml \w+\.toml|csv \w+\.csv|text \w+\.txt", language):
            yield File(language.partition(" ")[2], body)


def commands(body: str, *, prompted: bool) -> Iterator[Command]:
    """Yield the lines of a block that are run, with the output that follows each."""
    lines = body.replace("\\\n", " ").splitlines()
    starts = [n for n, line in enumerate(lines) if line.startswith("$ ") or not prompted]
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        line = lines[start].removeprefix("$ ")
        code = re.search(r"# exit (\d+)\s*$", line)
        if re.match(r"ringyard |python \w+\.py\b", line):
            shown = "\n".join(lines[start + 1 : end]).strip()
            yield Command(line, int(code[1]) if code else 0, shown)


def hold(command: Command, code: int, output: str) -> None:
    """Hold what a command did against what the page says."""
    said = f"{command.line}\nexit {code}, output:\n{output}"
    assert code == command.code, said
    if command.shown:
        options = ELLIPSIS | NORMALIZE_WHITESPACE
        agrees = OutputChecker().check_output(f"{command.shown}\n", output, options)
        assert agrees, f"{said}\nbut the page shows:\n{command.shown}"


def run_here(command: Command) -> None:
    """Run a command in this process."""
    with StringIO() as out, redirect_stdout(out), redirect_stderr(out):
        code = main(shlex.split(command.line, comments=True)[1:])
        hold(command, code, out.getvalue())


def run_apart(command: Command, folder: Path) -> None:
    """Run a command as a shell would."""
    bin_folder = folder.parent / "bin"
    bin_folder.mkdir(exist_ok=True)
    python = shlex.quote(sys.executable)
    for name, called in (("python", python), ("ringyard", f"{python} -c {shlex.quote(PROGRAM)}")):
        program = bin_folder / name
        program.write_text(f'#!/bin/sh\nexec {called} "$@"\n')
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
    hold(command, done.returncode, done.stdout)


def install(project: str, folder: Path) -> None:
    """Write down the entry points of a page's package as `pip install` does."""
    about = tomllib.loads(project)["project"]
    home = folder / f"{about['name']}-{about['version']}.dist-info"
    home.mkdir()
    head = "Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
    (home / "METADATA").write_text(head.format(**about), encoding="utf-8")
    groups = about["entry-points"].items()
    lines = [
        line
        for group, points in groups
        for line in (f"[{group}]", *(f"{name} = {value}" for name, value in points.items()))
    ]
    (home / "entry_points.txt").write_text("\n".join(lines), encoding="utf-8")


def printed(text: str, *, long: bool) -> dict[str, str]:
    """Return for the Python blocks of a page what the page says they print."""
    return {
        found["code"]: found["text"] or found["table"]
        for found in PRINTED.finditer(text)
        if long or not found["long"]
    }


def pages() -> Iterator[Any]:
    """Yield the pages that tell the reader to run something, and whether to run all of it.

    The slow tests run all of a page where the quick ones leave something out.
    """
    for page in PAGES:
        text, name = page.read_text(encoding="utf-8"), page.relative_to(ROOT).as_posix()
        quick = [] if name in LONG else [*steps(text, long=False)]
        if quick:
            yield pytest.param(page, False, id=name)
        if quick != [*steps(text)]:
            yield pytest.param(page, True, id=f"all of {name}", marks=pytest.mark.slow)


@pytest.mark.parametrize(("page", "long"), list(pages()))
def test_the_page_works_as_written(
    page: Path, long: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "reader"
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("PYTHONPATH", str(folder), prepend=os.pathsep)
    monkeypatch.setattr(sys, "path", [str(folder), *sys.path])  # As for a reader's Python.
    names: dict[str, Any] = {"__name__": "__example__"}
    text, name = page.read_text(encoding="utf-8"), page.relative_to(ROOT).as_posix()
    expected = printed(text, long=long)
    for step in steps(text, long=long):
        if isinstance(step, Example):
            padded = "\n" * step.line + step.source
            with redirect_stdout(StringIO()) as out:
                exec(compile(padded, str(page), "exec"), names)
            assert out.getvalue() == expected.pop(step.source, out.getvalue())
        elif isinstance(step, File):
            (folder / step.name).write_text(step.content, encoding="utf-8")
            if step.name == "pyproject.toml":
                install(step.content, folder)
        elif (
            name in IN_PROCESSES
            or step.line.startswith("python ")
            or SHELL.search(step.line.partition(" #")[0])
        ):
            run_apart(step, folder)
        else:
            run_here(step)
    assert not expected
    for picture in folder.glob("*.svg"):
        shown = ROOT / "docs/pictures" / picture.name
        assert not shown.exists() or shown.read_bytes() == picture.read_bytes(), shown.name


def test_the_readme_shows_commands_and_python() -> None:
    found = {type(step) for step in steps((ROOT / "README.md").read_text(encoding="utf-8"))}
    assert found == {Command, Example, File}


def test_what_counts_as_a_step() -> None:
    page = (
        "```console\n$ make demo\n$ ringyard check a b  # exit 1\nlate: job ...\n\n```\n"
        "```sh\nringyard list \\\n  methods\npip install x\n```\n"
        "1. list\n\n   ```python\n   x = 1\n   ```\n\n"
        "```python no-run\n...\n```\n```json\n{}\n```\n"
        "```python long\ny = 2\n```\n"
    )
    *others, last = steps(page)
    assert last == Example("y = 2\n", 24)
    assert others == list(steps(page, long=False))
    assert others == [
        Command("ringyard check a b  # exit 1", 1, "late: job ..."),
        Command("ringyard list    methods", 0, ""),
        Example("x = 1\n", 14),
    ]
