"""Break small logs of every foreign format, and check `ringyard import` against what it promises.

    python benchmarks/foreign_logs.py [COUNT] [SEED] [--shard I/N] [--workers N] [--log FILE]

An import ends with exit code 0, or with 2 and a message, never otherwise. Every record is a job, a
further attempt of one, or counted as left out, with the first one of each reason as it stands in
the file. The instance can be loaded. Jobs of lines that were not changed are there as they were.
What `--strict` takes comes out the same without it. A log for which that is not so goes to
out/foreign-SEED-INDEX.log, and the exit code is 1.

With --log each log becomes a line of FILE; a second run skips those that are there.
"""

# ruff: noqa: T201

import io
import json
import re
import sys
import tempfile
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections import Counter
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from random import Random
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from by_number import OUT, Row, campaign, reader, wrong

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from foreign_mutants import FORMATS, SEPARATORS, THROUGHPUTS, Log, broken, small_log

from ringyard.cli import main
from ringyard.cli.imports import trace_command
from ringyard.cli.shared.output import report_error
from ringyard.instances import InputError, TraceInstance, load_instance
from ringyard.instances.errors import visible


def one(index: int, seed: int = 0) -> Row:
    """Break one log and import it; return what came out as a row."""
    rng = Random(f"{seed}/{index}")
    log = broken(small_log(FORMATS[index % len(FORMATS)], rng), rng)
    found = imported(log, through=index % 20 == 0)
    row = {"seed": seed, "index": index, "format": log.format, "done": log.done, **found}
    if row["faults"]:
        OUT.mkdir(exist_ok=True)
        (OUT / f"foreign-{seed}-{index}.log").write_bytes(log.data)
    return row


def imported(log: Log, through: bool = True) -> dict[str, Any]:
    """Import a log, strictly and not; return the exit codes, the counts, and what is wrong."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "log").write_bytes(log.data)
        code, told, err = called(folder, log.format, through=through)
        instance = folder / "x.json"
        try:
            faults = [] if code == 2 and "error: " in err else counts(told, instance, log)
        except (OSError, ValueError, KeyError, TypeError) as error:
            faults = [f"exit code {code}, but {error!r}: {err[-300:]}"]
        if code == 2 and log.expected:
            faults.append(f"refused, though {len(log.expected)} jobs are sound: {err[-300:]}")
        if code not in (0, 2) or "Traceback" in err:
            faults.append(f"exit code {code}: {err[-2000:]}")
        faults += [f"not printable: {line!r}" for line in err.splitlines() if not printable(line)]
        instance.unlink(missing_ok=True)
        strictly, strict, _ = called(folder, log.format, strict=True)
    if strictly == 0 and told.get("digest") != strict["digest"]:
        faults.append("strictly, something else comes out")
    found = {name: told.get(name) for name in ("read", "jobs", "further_attempts", "dropped")}
    return {"code": code, "strict": strictly, **found, "faults": faults}


def called(
    folder: Path, format: str, strict: bool = False, through: bool = False
) -> tuple[Any, dict[str, Any], str]:
    """Import the log of a folder; return exit code, what was told, and the errors.

    Reading the command line takes most of the time; without `through` it is left out.
    """
    options = {"servers": "64x8", "out": folder / "x.json", "strict": strict, "json": True}
    if format == "gavel":
        (folder / "speeds").write_text(THROUGHPUTS)
        options["throughputs"] = folder / "speeds"
    out, err = io.StringIO(), io.StringIO()
    code: Any
    with redirect_stdout(out), redirect_stderr(err):
        try:
            if through:
                pairs = [(f"--{name}", value) for name, value in options.items() if value]
                words = [str(word) for pair in pairs for word in pair if word is not True]
                code = main(["import", format, str(folder / "log"), *words])
            else:
                code = trace_command(format, folder / "log", **options)
        except InputError as error:
            report_error(error)
            code = 2
        except Exception as error:  # Whatever it is, it should not have come out.
            return "exception", {}, f"Traceback: {error!r}"
    return code, json.loads(out.getvalue() or "{}"), err.getvalue()


def counts(told: dict[str, Any], out: Path, log: Log) -> list[str]:
    """Return what is wrong with an import that went well."""
    faults: list[str] = []
    instance = load_instance(out)
    assert isinstance(instance, TraceInstance)
    jobs = {job.name: (job.gpus, int(job.duration_s)) for job in instance.jobs}
    left = sum(told["dropped"].values())
    if told["read"] != len(jobs) + told["further_attempts"] + left or len(jobs) != told["jobs"]:
        faults.append(f"{told['read']} read: {len(jobs)} jobs, {left} left out")
    least, most = in_the_file(log)
    if not least <= told["read"] <= most:
        faults.append(f"{told['read']} read of {least} to {most} records")
    lost = {name: job for name, job in log.expected.items() if jobs.get(name) != job}
    if lost:
        faults.append(f"lost or changed: {lost}")
    for reason, first in told["first"].items():
        if not printable(reason + first) or not stands(first, log):
            faults.append(f"no first line: {reason!r}, {first!r}")
    return faults


def printable(line: str) -> bool:
    return line.isprintable()


def lines_of(log: Log) -> list[str]:
    """Return the lines of a file, each decoded for itself, as a reader in a hurry would."""
    data = log.data
    if data[:2] in (BOM_UTF16_LE, BOM_UTF16_BE):
        return re.split(r"\r\n|\r|\n", data.decode("utf-16", "replace"))
    lines = []
    for line in re.split(rb"\r\n|\r|\n", data):
        try:
            lines.append(line.decode("utf-8-sig"))
        except UnicodeDecodeError:
            lines.append(line.decode("latin-1"))
    return lines


def in_the_file(log: Log) -> tuple[int, int]:
    """Return the least and the most records that a file may be said to have."""
    if log.format == "philly":
        try:
            value = json.loads("\n".join(lines_of(log)))
        except (ValueError, RecursionError):
            return 1, 10**9
        return len(value), len(value)
    mark = SEPARATORS.get(log.format, ",")
    held = [line for line in lines_of(log) if line.replace(mark, "").strip()]
    sure = [line for line in held if line.replace(mark, "").replace('"', "").strip()]
    return len(sure) - log.header, len(held) - log.header


def stands(first: str, log: Log) -> bool:
    """Return True if a line that is shown stands at that place of the file."""
    found = re.fullmatch(r"line (\d+)(?: \(\[\d+\]\))?: (.*)", first)
    if found is None:
        return False
    line = visible(lines_of(log)[int(found[1]) - 1])
    shown = re.sub(r"\.\.\. \([\d,]+ characters\)$", "", found[2])
    return shown[:20] in line or log.format == "philly"


def look(seed: int, index: int) -> Row:
    """Break and import log `index` of a seed."""
    return one(index, seed)


def report(rows: list[Row]) -> None:
    """Print counts by format."""
    print("| format | logs | read | of these strictly | refused | records | left out | faults |")
    print("|---|--:|--:|--:|--:|--:|--:|--:|")
    for format in dict.fromkeys(row["format"] for row in rows):
        own = [row for row in rows if row["format"] == format]
        codes = Counter(row["code"] for row in own)
        strictly = sum(row["strict"] == 0 for row in own)
        records = sum(row["read"] or 0 for row in own)
        left = sum(sum((row["dropped"] or {}).values()) for row in own)
        wrong = sum(bool(row["faults"]) for row in own)
        numbers = (len(own), codes[0], strictly, codes[2], records, left, wrong)
        print(f"| `{format}` | {' | '.join(f'{number:,}' for number in numbers)} |")


if __name__ == "__main__":
    options = reader(__doc__, 1000).parse_args()
    rows = campaign(options, {"": look}, lambda row: f"{row['format']} {row['index']}")
    report(rows)
    sys.exit(any(map(wrong, rows)))
