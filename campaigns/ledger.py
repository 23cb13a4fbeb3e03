"""Runs whose rows are kept as they come, so that a campaign can be interrupted and taken up."""

import json
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from .. import __version__
from ..analysis.check import OnlineVerdict, Verdict
from ..families import FAMILIES
from ..instances import (
    BoundKind,
    Instance,
    Limits,
    OnlineInstance,
    Stop,
    digest,
)
from ..instances.encode import as_number
from ..instances.errors import InputError, Problem, RingyardError, brief, reason
from ..run import Answer, ContradictionError, solve

Row = dict[str, Any]

BOUND = "bound"
"""The method of a run that computes a certified lower bound and no schedule."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One method on one instance; a time limit only for methods that could go on for ever."""

    instance: Instance
    method: str
    seed: int = 0
    time_limit: float | None = None

    @property
    def key(self) -> str:
        """What a row must have in common with this run to stand for it."""
        parts = (digest(self.instance), self.method, self.seed, self.time_limit, __version__)
        return " ".join(map(str, parts))


class Ledger:
    """The rows of a file, by the key of their run; what is missing is run and written down."""

    def __init__(self, path: Path) -> None:
        """Read what is there."""
        self.path = path
        self.rows: dict[str, Row] = {}
        for number, line in enumerate(_lines(path), start=1):
            try:
                row = json.loads(line)
                self.rows[row["key"]] = row
            except (ValueError, KeyError, TypeError):
                advice = "delete this line; its run is then done again"
                problem = Problem(f"line {number}", brief(line), "a row of a run", advice)
                raise InputError(str(path), [problem]) from None

    def has(self, run: Run) -> bool:
        """Say whether the row of a run is there."""
        return run.key in self.rows

    def row(self, run: Run) -> Row:
        """Return the row of a run, after running it if need be."""
        if not self.has(run):
            row = {"key": run.key, **_done(run)}
            with self.path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(row) + "\n")
            self.rows[run.key] = row
        return self.rows[run.key]


def certified(rows: list[Row], *, most: bool = False) -> float:
    """Return the best certified bound among the rows of one instance; no value crosses it.

    Bounds are from below, or from above where the objective is to be `most`.
    """
    kinds, sign = (BoundKind.NONE, BoundKind.SOLVER), -1 if most else 1
    bound = max(sign * row["bound"] for row in rows if row["bound_kind"] not in kinds)
    for row in rows:
        if row["valid"] and sign * row["objective"] < bound:
            side = "above" if most else "below"
            value = f"a valid {row['objective']}, {side} a certified bound of {sign * bound}"
            raise ContradictionError(f"{row['instance']}: {row['method']} gave {value}")
    return float(sign * bound)


def _lines(path: Path) -> list[str]:
    try:
        text = path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""
    except OSError as error:
        problem = Problem("file", reason(error), "rows of an earlier call", "choose another --out")
        raise InputError(str(path), [problem]) from None
    return text.splitlines()


def _done(run: Run) -> Row:
    if run.method == BOUND:
        return _bounded(run)
    answer = solve(run.instance, run.method, seed=run.seed, time_limit=run.time_limit)
    if answer.outcome.stop is Stop.INTERRUPTED:
        raise KeyboardInterrupt
    if not answer.valid or answer.verdict is None:
        name = f"{run.instance.name}: {run.method}"
        raise RingyardError(f"{name} gave no valid schedule ({answer.status})")
    return {**answer.row(), **_beside(answer)}


def _beside(answer: Answer) -> Row:
    """Return what figures show beside the objective."""
    verdict, instance = answer.verdict, answer.instance
    if isinstance(verdict, Verdict):
        return {"mean_end": as_number(verdict.mean_completion)}
    if isinstance(verdict, OnlineVerdict) and isinstance(instance, OnlineInstance):
        ends = verdict.completions
        took = [ends[job.name] - job.arrival_slot + 1 for job in instance.jobs if job.name in ends]
        return {"completed": len(took), "median_slots": median(took) if took else None}
    return {}


def _bounded(run: Run) -> Row:
    limits = Limits(time_s=run.time_limit)
    found = FAMILIES[run.instance.kind].strong(run.instance, limits, None)
    return {
        "instance": run.instance.name,
        "digest": digest(run.instance),
        "method": BOUND,
        "bound": as_number(found.value),
        "bound_kind": found.kind.value,
        "valid": False,
    }
