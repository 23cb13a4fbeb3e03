"""What Ringyard answers, line by line: written by two versions, the files must be the same bytes.

    python benchmarks/same_answers.py FILE [--most-s S] [--instances TEXT]
    python benchmarks/same_answers.py AFTER --before BEFORE

Every scheduler solves every named instance of its family, without a time limit and with seed 0;
the default method joins in where instances are small. FILE gets a line for each run, with the
digest of its schedule, what it is worth and the bounds; one for `show` and `bound` of each
instance, for each list there is, and for each table of a campaign, less what a clock said. A run of
more than S processor seconds (10) is broken off and its line says so. A second run goes on where
the file ends. Only names that every version has are used, so this file can be copied into another
checkout.

With `--before` nothing runs: the answers of two files are compared, without runs that were broken
off. Columns that have new names since are taken for the same.
"""

# ruff: noqa: T201

import argparse
import hashlib
import json
import re
import signal
import sys
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout, suppress
from io import BytesIO, TextIOWrapper
from pathlib import Path
from tempfile import TemporaryDirectory
from traceback import format_exc
from typing import Any

from ringyard.cli import main as ringyard
from ringyard.instances.catalogue import load

SMALL = 12
"""Jobs, or updates, up to which the default method, which may search, is asked."""

CLOCKS = ("seconds", "started", "finished", "elapsed", "version")
"""What of an answer is not the same every time."""

LISTS = ("instances", "methods", "options", "guarantees", "formulations", "rules", "campaigns")

CAMPAIGN = """format = "ringyard-campaign/1"
name = "same"
instances = {instances}
methods = {methods}
seeds = 2
"""

TABLES = ("ratios", "policies", "verdicts")


LATE = "too long"
"""What is said of a run that is broken off."""

FORMER = {"stop": "termination", "left": "solution_status", "fault": "rejection"}
"""Columns of versions before, with their names since."""

FIRST_S = 300
"""What the first run of a method may take, which compiles its kernels."""


class LateError(BaseException):
    """A command takes too long; nothing but this file is to catch it."""


def _late(*_: object) -> None:
    raise LateError


def said(words: list[str], most_s: int) -> str:
    """Return what a command writes to standard output, and its exit code, without clocks."""
    out, err = (TextIOWrapper(BytesIO(), encoding="utf-8") for _ in range(2))
    try:
        signal.setitimer(signal.ITIMER_PROF, most_s)
        with redirect_stdout(out), redirect_stderr(err):
            code = ringyard(words)
    except LateError:
        return LATE
    except Exception:
        return f"raised {format_exc(limit=1)}"
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    out.flush()
    return f"{code} {_bare(out.buffer.getvalue().decode())}"  # type: ignore[attr-defined]


def _bare(text: str) -> str:
    """Return a text without what a clock said."""
    try:
        return json.dumps(_plain(json.loads(text)), sort_keys=True)
    except ValueError:
        return re.sub(r"\b\d+(\.\d+)? ?(ms|s)\b", "_", text)


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _plain(one) for name, one in value.items() if name not in CLOCKS}
    return [_plain(one) for one in value] if isinstance(value, list) else value


def lines(most_s: int, part: str, done: set[str]) -> Iterator[tuple[str, str]]:
    """Yield names of questions that are not done, and answers."""
    methods, known = _listed("methods"), set[str]()
    for what in LISTS:
        if f"list {what}" not in done:
            yield f"list {what}", _sorted(said(["list", what, "--json"], most_s))
    for name in sorted(one["name"] for one in _listed("instances") if part in one["name"]):
        instance = load(name)
        small = len(getattr(instance, "jobs", getattr(instance, "updates", range(99)))) <= SMALL
        own = [one for one in methods if one["family"] == instance.kind]
        own = [one for one in own if one["kind"] == "policy" or (small and one["default"])]
        for words in (["show", name], ["bound", name, "--json"]):
            if " ".join(words) not in done:
                yield " ".join(words), said(words, most_s)
        for method in (one["name"] for one in own):
            if f"solve {name} {method}" not in done:
                own_s = most_s if method in known else FIRST_S
                yield f"solve {name} {method}", solved(name, method, own_s)
            known.add(method)
    yield from (one for one in tables(part, methods) if one[0] not in done)


def solved(name: str, method: str, most_s: int) -> str:
    """Return what a method answers, with the digest of its schedule's file."""
    with TemporaryDirectory() as folder:
        file = Path(folder) / "schedule.json"
        words = ["solve", name, "--method", method, "--json", "--out", str(file)]
        text = said(words, most_s)
        data = file.read_bytes() if file.exists() else b""
    return f"{hashlib.sha256(data).hexdigest()} {text}"


def tables(part: str, methods: list[Any]) -> Iterator[tuple[str, str]]:
    """Yield the tables of a campaign of quick methods on instances made by hand."""
    names = [one["name"] for one in _listed("instances") if one["name"].startswith("hand-")]
    names = [name for name in names if part in name and load(name).kind == "makespan"]
    quick = [one["name"] for one in methods if one["family"] == "makespan"]
    quick = [name for name in quick if name in ("gang-lpt", "list-scheduling", "first-fit")]
    if not names:
        return
    with TemporaryDirectory() as place:
        file, folder = Path(place) / "same.toml", str(Path(place) / "out")
        text = CAMPAIGN.format(instances=json.dumps(names), methods=json.dumps(quick))
        file.write_text(text, encoding="utf-8")
        said(["run", str(file), "--out", folder, "--workers", "1"], 600)
        for kind in TABLES:
            for form in ("latex", "csv"):
                words = ["table", folder, "--kind", kind, "--format", form]
                yield f"table {kind} {form}", said(words, 60).replace(place, "")


def differences(before: Path, after: Path) -> Iterator[str]:
    """Yield the questions to which two files have other answers, and then how many are the same."""
    one, other = (
        dict(line.split("\t", 1) for line in file.read_text().splitlines())
        for file in (before, after)
    )
    same = late = 0
    for question, answer in one.items():
        found = other.get(question, "")
        if any(text.strip("'").endswith(LATE) for text in (answer, found)):
            late += 1
        elif _sorted_names(answer) == _sorted_names(found):
            same += 1
        else:
            yield question
    yield f"{same} of {len(one)} answers are the same; {late} were broken off"


def _sorted_names(text: str) -> tuple[str, str]:
    """Return an answer with today's names of columns, in their order."""
    for old, new in FORMER.items():
        text = text.replace(f'"{old}":', f'"{new}":')
    head, brace, rest = text.strip("'").partition("{")
    with suppress(ValueError):
        return head, json.dumps(json.loads(brace + rest), sort_keys=True)
    return head, brace + rest


def _listed(what: str) -> list[Any]:
    found: list[Any] = json.loads(said(["list", what, "--json"], 60).partition(" ")[2])[what]
    return found


def _sorted(text: str) -> str:
    """Return a list with its records in the order of their texts: that of families may change."""
    code, _, body = text.partition(" ")
    found = {
        name: sorted(json.dumps(one, sort_keys=True) for one in what) if name in LISTS else what
        for name, what in json.loads(body).items()
    }
    return f"{code} {found}"


def main(words: list[str]) -> int:
    """Write the answers."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("file", type=Path)
    parser.add_argument("--most-s", type=int, default=10)
    parser.add_argument("--instances", default="", help="only those with this text in their names")
    parser.add_argument("--before", type=Path, help="compare with this file, and ask nothing")
    options = parser.parse_args(words)
    if options.before:
        print(*differences(options.before, options.file), sep="\n")
        return 0
    signal.signal(signal.SIGPROF, _late)
    before = options.file.read_text().splitlines() if options.file.exists() else []
    done = {line.partition("\t")[0] for line in before}
    with options.file.open("a", encoding="utf-8") as file:
        for name, answer in lines(options.most_s, options.instances, done):
            file.write(f"{name}\t{answer!r}\n")
            file.flush()
            print(name, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
