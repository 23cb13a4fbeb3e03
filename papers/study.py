"""What campaigns have in common: settings, bounds and instances."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Any

from ..analysis.rows import Row
from ..campaigns.reproductions import Answers as Answers
from ..campaigns.reproductions import Known as Known
from ..campaigns.reproductions import Settings as Settings
from ..campaigns.runs import BOUND, Run
from ..instances import BoundEvidence, MakespanInstance, RingyardError
from ..instances.catalogue import load
from ..methods import find_method
from ..run import ContradictionError

POLICIES = {
    "SJF-BCO": "sjf-bco",
    "LS": "list-scheduling",
    "FF": "first-fit",
    "RAND": "random",
}
"""The schedulers of the paper's Figure 4, and the methods that stand for them here."""


def sound(answers: Answers) -> Answers:
    """Return answers of which each is a valid schedule, or a bound; any other is an error."""

    def row(run: Run) -> Row:
        found = answers(run)
        if found["valid"] or (run.method == BOUND and found["bound"] is not None):
            return found
        raise RingyardError(
            f"{run.instance.name}: {run.method} gave no valid answer ({found['status']}: "
            f"{found['note']}); another --out does it again"
        )

    return row


def certified(rows: Sequence[Row], *, maximize: bool = False) -> float:
    """Return the best certified bound among the rows of one instance; no value crosses it.

    Bounds are from below, or from above where the objective is to be `most`. Those that count
    have a certificate, whose rules the row names.
    """
    others, sign = set(BoundEvidence) - {BoundEvidence.CERTIFIED}, -1 if maximize else 1
    bound = max(sign * row["bound"] for row in rows if row["certificate"] not in others)
    for row in rows:
        if row["valid"] and sign * row["objective"] < bound:
            side = "above" if maximize else "below"
            value = f"a valid {row['objective']}, {side} a certified bound of {sign * bound}"
            raise ContradictionError(f"{row['instance']}: {row['method']} gave {value}")
    return float(sign * bound)


def ours() -> str:
    """Return the method that stands for our best schedule: the default of the family."""
    return find_method(None, "makespan").name


@cache
def named(name: str) -> Any:
    """Return an instance of the catalogue; each is read, or made, once."""
    return load(name)


def certificate_runs(instance: MakespanInstance, seed: int, settings: Settings) -> tuple[Run, Run]:
    """Return the runs of our best schedule and of the bound, which no search limit changes."""
    free, limit = replace(instance, horizon_slots=None), settings.time_limit
    best = Run(instance=free, method=ours(), seed=seed, time_limit=limit)
    return best, Run(instance=free, method=BOUND, time_limit=limit)
