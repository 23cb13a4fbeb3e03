"""Check random rounding against what is stated about it, on slot programs of an instance.

The program of a slot is that of a job which asks for as many workers as an empty cluster holds
across machines, or half its batch if that is less, at the prices PD-ORS starts with.

Every statement is checked against its own part of delta: a third for cost, cover and packing, all
of it for the three together. The verdict words are ``holds`` if the upper limit at 99 % is at
most that part, ``violated`` if the lower one is above it, ``inconclusive`` between; and
``hypothesis not met: ...`` where the theorem says nothing, whatever was counted.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.random import default_rng

from ...analysis.intervals import clopper_pearson
from ...formulations.matrix import relaxed
from ...formulations.online.slot_data import SlotData
from ...formulations.online.slot_twin import twin
from ...formulations.program import Matrix
from ...formulations.solver_interface.solve import solve
from ...instances import OnlineInstance
from ...rounding import (
    GainFactor,
    MixedProgram,
    Trial,
    chernoff_gain,
    chosen_gain,
    printed_gain,
    run_trial,
)
from ...simulation.online.model import Floats, most_workers, online_model
from ...simulation.online.tariff import outlook, published

LEVEL = 0.99


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """One promise of a gain: how often it was false, and the limits of its true probability."""

    what: str
    failures: int
    draws: int
    stated: float
    low: float
    high: float
    verdict: str


def statements(trial: Trial, gain: GainFactor) -> tuple[Statement, ...]:
    """Check the counts of a trial against the gain it was made with."""
    third = gain.delta / 3
    return (
        _statement("cost", trial.cost, trial.draws, third, None),
        _statement("cover", trial.cover, trial.draws, third, gain.cover_unmet),
        _statement("packing", trial.packing, trial.draws, third, gain.packing_unmet),
        _statement("all", trial.any, trial.draws, gain.delta, gain.unmet),
    )


def _statement(what: str, failures: int, draws: int, stated: float, unmet: str | None) -> Statement:
    low, high = clopper_pearson(failures, draws, LEVEL)
    if unmet:
        verdict = f"hypothesis not met: {unmet}"
    elif high <= stated:
        verdict = "holds"
    else:
        verdict = "violated" if low > stated else "inconclusive"
    return Statement(
        what=what,
        failures=failures,
        draws=draws,
        stated=stated,
        low=low,
        high=high,
        verdict=verdict,
    )


DRAWS = 10_000
"""Roundings of each program."""

DELTA = 0.1
"""The probability of failure that gains are made for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundingRow:
    """One statement about one gain on one program, with what was counted."""

    instance: str
    job: str
    gain: GainFactor
    favours: str
    widths: tuple[float, float]
    """W_a and W_b."""
    statement: Statement
    usable: float
    """Part of the draws that keep every row as it is."""
    cost_factors: tuple[float, ...]
    """Cost over that of the relaxation at the quantiles 0.5, 0.9, 0.99 and 1."""

    @property
    def broken(self) -> bool:
        """Whether something that is proved fails beyond doubt."""
        return self.statement.verdict == "violated"


def verify_rounding(
    instance: OnlineInstance, *, draws: int = DRAWS, seed: int = 0
) -> Iterator[RoundingRow]:
    """Yield a row for each statement about each gain, on the program of the first fitting job."""
    for i, job in enumerate(instance.jobs):
        found = _program(instance, i)
        if found is None:
            continue
        program, point = found
        widths = program.widths
        rng = default_rng(seed)
        gains = [
            (favours, form(widths, DELTA, favours))
            for form in (printed_gain, chernoff_gain)
            for favours in ("packing", "covering")
        ]
        for favours, gain in [*gains, ("neither", chosen_gain(widths, DELTA, 1.0))]:
            trial = run_trial(program, point, gain, rng, draws)
            for statement in statements(trial, gain):
                yield RoundingRow(
                    instance=instance.name,
                    job=job.name,
                    gain=gain,
                    favours=favours,
                    widths=(widths.cover, widths.packing),
                    statement=statement,
                    usable=trial.usable / trial.draws,
                    cost_factors=trial.cost_factors,
                )
        return


def _program(instance: OnlineInstance, i: int) -> tuple[MixedProgram, Floats] | None:
    """Return the slot program of a job with an optimal point of its relaxation, if it has one."""
    model = online_model(instance)
    tariff = published(model, outlook(instance, model), 1.0)
    prices = tariff.prices(0.0 * model.capacity)
    workers = min(most_workers(model, i)[1], int(model.batch[i])) // 2
    if workers < 2 or not (model.works & model.serves & model.open_to(i)).all():
        return None
    data = SlotData(
        worker_cost=prices @ model.worker[i],
        server_cost=prices @ model.server[i],
        capacity=model.capacity,
        worker=model.worker[i],
        server=model.server[i],
        workers_per_server=float(model.ratio[i]),
        least_workers=float(workers),
        most_workers=float(model.batch[i]),
    )
    matrix = relaxed(twin(data))
    point = solve(matrix).point
    return None if point is None else (_mixed(matrix), np.maximum(point, 0.0))


def _mixed(matrix: Matrix) -> MixedProgram:
    """Return the rows with a lower side as cover, those with an upper side as packing."""
    rows = matrix.a.toarray()
    covers, packs = np.isfinite(matrix.row_lower), np.isfinite(matrix.row_upper)
    return MixedProgram(
        cost=matrix.cost,
        cover=rows[covers],
        demand=matrix.row_lower[covers],
        packing=rows[packs],
        capacity=matrix.row_upper[packs],
    )
