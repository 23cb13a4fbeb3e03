"""What is lost of a schedule that is written as a CSV of runs and read back: nothing, if empty."""

import csv
from dataclasses import replace
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ringyard.analysis.check import check
from ringyard.families import family_of
from ringyard.instances import digest
from ringyard.instances.importers.runs import SECONDS, Clock, read_runs, run_lines, runs_of
from ringyard.instances.reading.encode import to_text

CLOCKS = ("2024-03-01T08:00+01:00", "2024-02-29 23:59:59.75")


def lost(instance: Any, schedule: Any) -> list[str]:
    """Write a schedule all of whose jobs end, read it back in three ways, and compare."""
    family, verdict = family_of(instance), check(instance, schedule)
    if len(verdict.ends) < len(instance.jobs):
        return []
    claimed = family.claimed(schedule, verdict)
    known = replace(claimed, method="", seed=None, digest=digest(instance))
    rows = list(runs_of(instance).rows(instance, schedule, verdict.ends))
    found = []
    dated = CLOCKS if all(row.end_s < 10**11 for row in rows) else ()
    with TemporaryDirectory() as folder:
        for text in ("", *dated):
            clock = Clock.of(text, "test") if text else None
            file = Path(folder) / "runs.csv"
            lines = run_lines(rows, clock)
            file.write_text(without(lines, SECONDS) if text else lines, encoding="utf-8")
            back: Any = read_runs(file, instance, clock)
            same = family.claimed(back, check(instance, back)) == known
            found += [] if same else [f"by {text or 'seconds'}: {to_text(back)}"]
    return found


def without(text: str, columns: tuple[str, ...]) -> str:
    """Return a CSV without some of its columns."""
    rows = list(csv.reader(StringIO(text)))
    kept = [i for i, name in enumerate(rows[0]) if name not in columns]
    out = StringIO()
    csv.writer(out, lineterminator="\n").writerows([[row[i] for i in kept] for row in rows])
    return out.getvalue()
