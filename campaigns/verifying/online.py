"""Checks of `verify` on `online` runs: the premise of PD-ORS's ratio, and its random rounding.

The proof (docs/theory/pd-ors.md) needs the following for every job at the prices of its arrival.
With all prices multiplied by chi, no schedule pays more than the job's schedule. Both sides are
computed: the payoff of the plan, and an upper bound by the relaxed pricing of
`search/online/pricing.py`, over feasible and infeasible schedules.

Roundings are of slot programs. Their job requests the workers that an empty cluster holds across
machines, at most half its batch, at the initial prices of PD-ORS.
"""

from collections.abc import Iterator

import numpy as np
from numpy.random import default_rng

from ...formulations.matrix import relaxed
from ...formulations.online.slot_program import SlotData, twin
from ...formulations.program import Matrix
from ...formulations.solver_interface.solve import solve
from ...instances import OnlineInstance
from ...policies.online.pd_ors import CorrectedOptions, JobPlanner, Options
from ...rounding.gain import chernoff_gain, chosen_gain, printed_gain
from ...rounding.program import MixedProgram
from ...rounding.randomized import run_trial
from ...search.online.pricing import CandidateMix, GroupedJob, by_envelopes, by_table, market
from ...simulation.online import Floats, most_workers, online_model, outlook, published, with_hosts
from .roundings import RoundingRow, statements

MOST = 100_000
"""Triples of job, machine and slot beyond which a run is not audited."""

ENOUGH = 1024.0
"""A chi that is not worth looking beyond."""

DRAWS = 10_000
"""Roundings of each program."""

DELTA = 0.1
"""The probability of failure that gains are made for."""


def audit(instance: OnlineInstance, options: Options, seed: int) -> float | None:
    """Return a chi, in hundredths, for which the premise holds, None if the instance is too large.

    It is infinite if a job is rejected although it pays at every tested price.
    """
    model = with_hosts(online_model(instance))
    if model.capacity.shape[0] * model.batch.size * model.slots > MOST:
        return None
    planner = JobPlanner(instance, options, int(default_rng(seed).integers(2**62)))
    asks = [
        ask._replace(worker=worker, server=server)
        for ask, worker, server in zip(
            market(instance, np.arange(model.capacity.shape[0])).jobs,
            model.worker,
            model.server,
            strict=True,
        )
    ]
    chi = 1.0
    for job in sorted(range(len(asks)), key=lambda i: int(model.arrival[i])):
        price: Floats = planner.price.copy()
        planner.best_plan(job)
        paid = planner.payoff * (1 + 1e-9) + 1e-9
        while chi < ENOUGH and _most_gain(chi * price, asks[job]) > paid:
            chi = chi + 0.01 if chi < 4 else chi * 1.1
    return chi if chi < ENOUGH else float("inf")


def unmet_chi(instance: OnlineInstance, options: Options, seed: int) -> str | None:
    """Return the reason why the premise fails with the chi of the options, None if it holds."""
    allowed, found = float(options.chi), audit(instance, options, seed)
    if found is None:
        return f"needs plans within chi of the cheapest: not audited beyond {MOST:,} triples"
    if found > allowed:
        return f"needs plans within {allowed:g} times the cheapest, here {found:.3g} times"
    return None


def _most_gain(price: Floats, ask: GroupedJob) -> float:
    """Return an upper bound on the payoff of any schedule of the job."""
    mix = CandidateMix(*(np.zeros(len(price), dtype) for dtype in (np.int64, np.int64, float)))
    best = by_table if ask.parts else by_envelopes
    return float(best(np.ascontiguousarray(price), ask, mix)[0])


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
    """Return the rows with a lower side as cover, and the rows with an upper side as packing."""
    rows = matrix.a.toarray()
    covers, packs = np.isfinite(matrix.row_lower), np.isfinite(matrix.row_upper)
    return MixedProgram(
        cost=matrix.cost,
        cover=rows[covers],
        demand=matrix.row_lower[covers],
        packing=rows[packs],
        capacity=matrix.row_upper[packs],
    )


def unmet_premise(theorem: str, instance: OnlineInstance, seed: int) -> str | None:
    """Return the first need of a theorem that a run does not meet, None if it meets all."""
    if theorem != "competitive":
        return None
    return unmet_chi(instance, CorrectedOptions(), seed)
