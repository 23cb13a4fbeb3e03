"""`ringyard corpus export`: programs for any external solver."""

import csv
from collections.abc import Callable, Iterable
from fnmatch import fnmatchcase
from io import StringIO
from pathlib import Path
from typing import Literal

from ...formulations.conic import ConicProgram
from ...formulations.corpus.build import build_any, digest_of, formulation_of, model_of
from ...formulations.corpus.index import CorpusEntry, Tier, best_point, corpus
from ...formulations.files.cbf import cbf_lines
from ...formulations.files.lp import lp_lines
from ...formulations.files.mps import mps_lines
from ...formulations.files.opb import pseudo_boolean
from ...formulations.files.sol import sol_lines
from ...formulations.files.write import write_lines, write_nl
from ...formulations.matrix import relax
from ...formulations.program import Matrix, Program
from ...instances.errors import InputError, Problem, plural
from ...instances.writing import write_whole
from ..shared.options import AsJson
from ..shared.output import emit, note, say
from . import fact_row

ALONE = {
    "opb": ("ip", "programs in bounded integers"),
    "cbf": ("conic", "conic programs"),
}
"""Formats for only one class of programs, and the name of this class."""

LARGE = 30_000
"""Number of nonzeros above which files are compressed."""


WAYS: dict[str, Callable[[Matrix], Iterable[str]]] = {
    "mps": mps_lines,
    "lp": lp_lines,
    "opb": lambda program: pseudo_boolean(program).lines(),
}
"""Kind of a matrix in the index."""


def export_command(
    *patterns: str,
    out: Path,
    format: Literal["mps", "lp", "nl", "opb", "cbf"] = "mps",
    tier: Tier = "standard",
    json: AsJson = False,
) -> int:
    """Write programs of the corpus into a folder: NAME.mps, NAME.sol, and index.csv.

    Parameters
    ----------
    patterns
        Names of programs, or patterns such as 'small-*.linearised.*' (default: all).
    out
        The folder. It is created if necessary.
    format
        mps, lp, nl, opb (only programs in bounded integers) or cbf (only conic programs). With
        mps, lp and nl, nonlinear programs are written as nl with .row and .col, and conic programs
        as cbf.
    tier
        The standard tier, or the hard tier, whose files may have gigabytes.
    """
    chosen = _chosen(patterns or ("*",), format, tier)
    if out.exists() and not out.is_dir():
        raise InputError.of("ringyard corpus", "--out", str(out), "a folder", "choose another name")
    out.mkdir(parents=True, exist_ok=True)
    rows = []
    for one in chosen:
        program = build_any(one.recipe)
        same = digest_of(program) == one.digest
        if not same:
            note(f"note: other versions generated {one.name} in the index. No .sol is written.")
        file = _write(one, program, out, format)
        sol = _write_point(one, program, out) if same else ""
        rows.append({"file": file, "sol": sol, **fact_row(one)})
    _write_index(rows, out / "index.csv")
    if json:
        emit({"out": str(out), "programs": rows})
    else:
        say(f"wrote {plural(len(rows), 'program')} to {out}, and index.csv")
    return 0


def _chosen(patterns: Iterable[str], format: str, tier: Tier) -> list[CorpusEntry]:
    """Return the named programs, for OPB and CBF only the ones that the format supports."""
    known = corpus(tier)
    for pattern in patterns:
        if not any(fnmatchcase(name, pattern) for name in known):
            advice = "see `ringyard corpus`, and quote patterns"
            expected = "a name or pattern of programs of the corpus"
            raise InputError("ringyard corpus", [Problem("pattern", pattern, expected, advice)])
    named = [one for one in known.values() if any(fnmatchcase(one.name, p) for p in patterns)]
    kind, expected = ALONE.get(format, ("", ""))
    found = [one for one in named if kind in ("", one.kind)]
    if not found:
        advice = f"choose some of `ringyard corpus --class {kind}`, or another format"
        raise InputError("ringyard corpus", [Problem("--format", format, expected, advice)])
    if len(found) < len(named):
        left = len(named) - len(found)
        note(f"note: left out: {plural(left, 'program')}, not {expected}")
    return found


def _write(one: CorpusEntry, program: Program | ConicProgram, out: Path, format: str) -> str:
    """Write a program and return its file name, or an empty string if the format has none."""
    if isinstance(program, ConicProgram):
        path = out / f"{one.name}.cbf"
        write_lines(path, cbf_lines(program))
        return path.name
    if format == "nl" or not isinstance(program, Matrix):
        if formulation_of(one.recipe) is None:
            note(f"note: {one.name} has no model to write as nl, and is left out")
            return ""
        path = out / f"{one.name}.nl"
        model = model_of(one.recipe)
        write_nl(path, relax(model) if one.recipe.relaxed else model)
        return path.name
    path = out / f"{one.name}.{format}{'.gz' if program.a.nnz > LARGE else ''}"
    write_lines(path, WAYS[format](program))
    return path.name


def _write_point(one: CorpusEntry, program: Program | ConicProgram, out: Path) -> str:
    known = best_point(one.name)
    if known is None or one.value is None:
        return ""
    path = out / f"{one.name}.sol"
    columns = program.columns
    write_lines(path, sol_lines({columns[j]: x for j, x in known.items()}, one.value))
    return path.name


def _write_index(rows: list[dict[str, object]], path: Path) -> None:
    text = StringIO()
    writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    write_whole(path, text.getvalue().encode())
