"""Rows in one file for other programs: Parquet, CSV, or JSON lines."""

import csv
import json
from collections.abc import Sequence
from importlib.util import find_spec
from io import BytesIO, StringIO
from pathlib import Path
from typing import Any

from ..analysis.rows import COLUMNS, Row
from ..analysis.tables.notations import harmless
from ..instances.errors import InputError, MissingError, Problem
from ..instances.writing import write_whole

FORMATS = (".parquet", ".csv", ".jsonl")


def form_of(path: Path) -> str:
    """Return the format that a file's suffix names, or say why it cannot be written."""
    form = path.suffix.lower()
    if form not in FORMATS:
        expected, advice = f"one of {', '.join(FORMATS)}", "name the file rows.parquet"
        raise InputError(str(path), [Problem("suffix", path.suffix, expected, advice)])
    if form == ".parquet" and find_spec("polars") is None:
        raise MissingError("a Parquet file needs Polars: pip install 'ringyard[parquet]'")
    return form


def hand_over(rows: Sequence[Row], path: Path) -> None:
    """Write rows to a file, in the format that its suffix names."""
    writers = {".parquet": _parquet, ".csv": _csv, ".jsonl": to_lines}
    write_whole(path, writers[form_of(path)](rows))


def to_lines(rows: Sequence[Row]) -> bytes:
    """Return a line of JSON for each row, as in the journal."""
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def _csv(rows: Sequence[Row]) -> bytes:
    out = StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    for row in rows:
        cells = [row[name] for name in COLUMNS]
        cells = [json.dumps(c) if isinstance(c, list | bool) else c for c in cells]
        writer.writerow(map(harmless, cells))
    return out.getvalue().encode()


def _parquet(rows: Sequence[Row]) -> bytes:
    import polars

    types: dict[str, Any] = {
        "text": polars.String,
        "integer": polars.Int64,
        "number": polars.Float64,
        "boolean": polars.Boolean,
        "list": polars.List(polars.List(polars.Float64)),
    }
    schema = {name: types[kind] for name, (kind, _) in COLUMNS.items()}
    out = BytesIO()
    polars.DataFrame(list(rows), schema=schema).write_parquet(out)
    return out.getvalue()
