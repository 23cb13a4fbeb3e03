"""Theorems checked against many runs on random instances: verdicts, ratios, and their picture.

Nothing is written down on the way: it takes minutes, and gives the same on every machine.
"""

import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from signal import SIG_IGN, SIGINT, signal

from ..analysis.guarantees import GUARANTEES, FactorVerdict
from ..analysis.guarantees.roundings import CARRIED_BY
from ..analysis.intervals import student
from ..analysis.tables import Cell, Column, Table
from ..campaigns.runs import Run
from ..campaigns.verifying.random_runs import VerifiedRuns, claimed_policies, random_runs
from ..run import ContradictionError
from .guarantee_picture import picture
from .study import Answers, Known, Results, Settings

CHUNK = 100
"""Instances that a process takes at a time; fewer are not worth a process."""

SLOWER = 6
"""Methods that solve a program get one instance in this many."""


def runs(_: Settings, __: Known | None = None) -> Iterator[Run]:
    """Yield nothing: a verdict takes runs of several methods, and stronger ones if need be."""
    return iter(())


def report(settings: Settings, _: Answers | None = None) -> Results:
    """Run what theorems speak of on the given number of instances; sum up verdicts and ratios."""
    few = -(-settings.seeds // SLOWER)
    found = findings(claimed_policies(), settings.seeds)
    rounded = findings(list(CARRIED_BY), few)
    return Results(
        tables={
            "theorems": _theorems(found),
            "schedulers": _schedulers(found),
            "roundings": _theorems(rounded),
        },
        charts={"ratios": picture(found)},
        statements=(*_said("schedulers", found), *_said("roundings", rounded)),
    )


def findings(methods: Sequence[str], count: int, seed: int = 0) -> VerifiedRuns:
    """Return what the given number of instances say, whatever the number of processes."""
    work = partial(_chunk, methods=methods, seed=seed)
    chunks = [range(first, min(first + CHUNK, count)) for first in range(0, count, CHUNK)]
    if len(chunks) == 1:
        return work(chunks[0])
    found = VerifiedRuns()
    fresh = get_context("spawn")  # A copy of a process with threads may stand still.
    with ProcessPoolExecutor(os.cpu_count(), mp_context=fresh, initializer=_deaf) as pool:
        for part in pool.map(work, chunks):
            found.join(part)
    return found


def _deaf() -> None:
    """Leave Ctrl-C to the process that collects."""
    signal(SIGINT, SIG_IGN)


def _chunk(indices: range, methods: Sequence[str], seed: int) -> VerifiedRuns:
    found = VerifiedRuns()
    for part in random_runs(indices, methods, seed=seed):
        found.join(part)
    return found


def _theorems(found: VerifiedRuns) -> Table:
    heads = {"theorem": None, "holds": 0, "violated": 0, "open": 0, "mean ratio": 3}
    heads |= {"largest": 3, "median factor": 3, "largest ratio / factor": 2}
    rows: list[tuple[Cell, ...]] = []
    for guarantee in GUARANTEES:
        tally = found.tallies.get(guarantee.name)
        if tally is None or tally.worst is None:
            continue
        worst, nearest = float(tally.worst.ratio or 0), float(tally.nearest) or None
        counts = (float(tally.verdicts[verdict]) for verdict in FactorVerdict)
        rows.append((guarantee.name, *counts, tally.mean, worst, tally.usual, nearest))
    notes = (
        "Ratios are to the certified bound. The last column leaves out factors of 1. "
        "Open: neither a bound nor a schedule decides.",
    )
    return _table("What runs say of each theorem", heads, rows, notes)


def _schedulers(found: VerifiedRuns) -> Table:
    rows = [
        (name, float(len(ratios)), student(ratios), max(ratios))
        for name, ratios in found.ratios.items()
    ]
    rows.sort(key=lambda row: row[2].mean)
    heads = {"scheduler": None, "runs": 0, "mean ratio": 3, "largest": 3}
    notes = ("Makespan over certified bound, with 95 % intervals (Student's t).",)
    return _table("How far schedulers are from the bound", heads, list(rows), notes)


def _table(
    caption: str, heads: dict[str, int | None], rows: list[tuple[Cell, ...]], notes: tuple[str, ...]
) -> Table:
    columns = tuple(Column(head=head, digits=digits) for head, digits in heads.items())
    return Table(caption=caption, columns=columns, rows=tuple(rows), notes=notes)


def _said(who: str, found: VerifiedRuns) -> Iterator[str]:
    """Say how much was decided; that something proved does not hold is an error."""
    for row in found.broken:
        raise ContradictionError(
            f"{row.instance}: {row.method} refutes {row.guarantee.name}, which is proved: a "
            f"value of {float(row.value or 0):g} where {float(row.best or 0):g} is possible"
        )
    yield (
        f"{who}: {found.runs} runs end with a schedule; in {found.certified} some theorem "
        "speaks, and all that do are confirmed or refuted"
    )
    proved = [g.name for g in GUARANTEES if g.proved and g.name in found.tallies]
    undecided = sum(found.tallies[name].verdicts[FactorVerdict.INCONCLUSIVE] for name in proved)
    where = f"all but {undecided} runs" if undecided else "every run"
    yield f"{who}: what is proved is confirmed in {where} of which it speaks"
