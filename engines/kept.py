"""The runs that come with Ringyard, packed and unpacked."""

import gzip
import json
from collections.abc import Iterable, Sequence
from pathlib import Path

from ..analysis.rows import FORMER, VERSION, Row, whole_row
from ..formulations.corpus.index import corpus
from ..instances.errors import InputError, Problem
from ..instances.writing import write_whole
from .program_run import case_digest

KEPT = Path(__file__).with_name("files") / "runs.jsonl.gz"

KEPT_NAME = "kept"
"""The name of these rows on the command line, in place of a folder."""

COLUMNS = (
    *("key", "instance", "digest", "method", "options", "solver", "solver_version", "seed"),
    *("threads", "time_limit", "status", "termination", "solution_status", "note"),
    *("objective", "bound"),
    *("bound_kind", "seconds", "phases", "cpu_seconds", "memory_mb", "gap"),
    *("primal_residual", "dual_residual", "integrality", "nodes", "valid"),
    *("violations", "violation", "rejection", "trajectory", "workers", "python"),
    *("started", "finished"),
)
"""Kept columns of a row. Of its environment, only columns that affect times are kept."""


SAME = {"v": VERSION, "sense": "min", "repetition": 0, "random": True}
"""Columns that are the same in all rows."""


def packed(rows: Iterable[Row]) -> bytes:
    """Return rows as compressed lines of values, after a line with their names."""
    ordered = sorted(rows, key=lambda row: (row["instance"], row["method"], row["seed"]))
    lines = [COLUMNS, *([row[name] for name in COLUMNS] for row in ordered)]
    text = "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines)
    return gzip.compress(text.encode(), 9, mtime=0)


def unpacked(data: bytes) -> list[Row]:
    """Return the rows, without rows of programs that changed."""
    first, *lines = gzip.decompress(data).decode().splitlines()
    names, known = [FORMER.get(name, name) for name in json.loads(first)], corpus()
    rows = (dict(zip(names, json.loads(line), strict=True)) for line in lines)
    return [
        whole_row({**row, **SAME, "family": known[row["instance"]].family})
        for row in rows
        if row["instance"] in known and case_digest(known[row["instance"]]) == row["digest"]
    ]


def keep(rows: Sequence[Row]) -> None:
    """Put runs of one engine in the place of its runs of the same programs and orders.

    Raises:
        InputError: If the engine would then have runs of several versions.
    """
    cases = {_case(row) for row in rows}
    together = [*(row for row in kept_rows() if _case(row) not in cases), *rows]
    (engine,) = {row["method"] for row in rows}
    versions = {row["solver_version"] for row in together if row["method"] == engine}
    if len(versions) > 1:
        found = " and ".join(sorted(map(str, versions)))
        problem = Problem("--keep", found, "runs of one version", "rerun all programs and orders")
        raise InputError(engine, [problem])
    write_whole(KEPT, packed(together))


def _case(row: Row) -> tuple[str, str, int]:
    return row["method"], row["instance"], row["seed"]


def kept_rows() -> list[Row]:
    """Return the rows that come with Ringyard."""
    return unpacked(KEPT.read_bytes())
