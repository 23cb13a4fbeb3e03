"""What is rounded from the relaxations of a slot, beside the factor on the cost that is proved."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from statistics import fmean
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from ...analysis.intervals import mean_above
from ...analysis.tables import Cell, Table, numbers, texts
from ...formulations.matrix import relaxed
from ...formulations.online.slot_program import SlotData, twin
from ...formulations.online.slot_relaxations import corners_of, hulls
from ...formulations.program import Floats
from ...formulations.solver_interface.solve import solve
from ...rounding import (
    GainFactor,
    MixedProgram,
    best_of,
    chernoff_gain,
    derandomize,
    printed_gain,
    repair,
)
from ...run import ContradictionError
from .picture import RoundedPair
from .rounded import Rounded, below
from .slots import ACROSS, EITHER, GROUPS, JobSlot, whole_demands
from .strengths import AT

DELTA = 0.5
"""The probability with which a draw may miss what a gain grants."""

SAMPLES = 20
"""Draws, of which the cheapest that holds counts."""


class RoundedSlot(NamedTuple):
    """What one rounding gives for one slot."""

    value: float
    """Of the relaxation, over the least cost."""
    cost: float | None
    """Over the least cost; None if no draw holds."""
    gain: GainFactor | None = None
    """What is proved, if a theorem speaks of it."""


class FractionalPlan(NamedTuple):
    """A slot's program with a point of a relaxation, and what the relaxation costs."""

    slot: JobSlot
    program: MixedProgram
    point: Floats
    value: float


Makes = Callable[[FractionalPlan, Generator], tuple[float | None, GainFactor | None]]


def _repaired(plan: FractionalPlan, rng: Generator) -> tuple[float | None, None]:
    found = best_of(plan.program, plan.point, SAMPLES, rng, repairing="all")
    return (None if found.x is None else found.cost), None


def _kept(
    gain_of: Callable[..., GainFactor], side: str, plan: FractionalPlan, rng: Generator
) -> tuple[float | None, GainFactor]:
    """Draw with a gain; what misses a row is thrown away, as it is printed."""
    gain = gain_of(plan.program.widths, DELTA, side)
    found = best_of(plan.program, plan.point, SAMPLES, rng, factor=gain.factor)
    return (None if found.x is None else found.cost), gain


def _sure(plan: FractionalPlan, _: Generator) -> tuple[float | None, None]:
    """Round without random choices at the gain that favours covering, then repair."""
    gain = chernoff_gain(plan.program.widths, DELTA, "covering")
    found = derandomize(plan.program, plan.point, gain)
    if found.x is None:
        return None, None
    mended = repair(plan.program, found.x)
    return (None if mended.problem else float(plan.program.cost @ mended.x)), None


ROUNDINGS: dict[str, Makes] = {
    "independent, repaired": _repaired,
    "printed gain for packing": partial(_kept, printed_gain, "packing"),
    "printed gain for covering": partial(_kept, printed_gain, "covering"),
    "Chernoff gain for covering": partial(_kept, chernoff_gain, "covering"),
    "derandomised, repaired": _sure,
}

FED = {ACROSS[0]: ACROSS[0], ACROSS[2]: ACROSS[2], EITHER[1]: ACROSS[0], EITHER[2]: ACROSS[2]}
"""Whose points are rounded; of hulls of both cases, that across machines."""

CHEAPER = "inside, or independent, repaired"
"""PD-ORS's plan of a slot: the cheaper of both cases."""

PAIRS = (
    *((ACROSS[0], name) for name in ROUNDINGS),
    (ACROSS[2], "independent, repaired"),
    (ACROSS[2], "derandomised, repaired"),
    *((joined, CHEAPER) for joined in EITHER[1:]),
)
"""Which relaxation feeds which rounding."""


def slot_rounded(found: Sequence[JobSlot]) -> Rounded:
    """Return what the pairs make of slots, all over the least cost; the figure's are of all."""
    tried = {slot.name: _trials(slot, k) for k, slot in enumerate(found)}
    rows = [
        (group, *_row(*pair, [tried[slot.name][pair] for slot in found if slot.group == group]))
        for group in GROUPS
        if any(slot.group == group for slot in found)
        for pair in PAIRS
    ]
    table = Table(
        caption="What is rounded from which relaxation of a slot, over the least cost",
        columns=(
            *texts("slots of", "relaxation", "rounding"),
            *numbers("slots", "plans", "theorem speaks"),
            *numbers("relaxation", "rounded", digits=3, over="over the least cost"),
            *numbers("cost", "cover", "room", digits=2, over="granted, on average"),
        ),
        rows=tuple(rows),
        notes=(
            f"Plans: slots in which one of {SAMPLES} draws keeps every row. Theorem speaks: slots "
            "in which its hypotheses are met. Granted, with probability one half: the cost stays "
            "within this multiple of the relaxation, demands are covered to this part, rooms kept "
            "to this multiple.",
        ),
    )
    return Rounded(table, tuple(_pairs([tried[slot.name] for slot in found])))


def _trials(slot: JobSlot, seed: int) -> dict[tuple[str, str], RoundedSlot]:
    """Return what all pairs make of a slot; each relaxation is solved once."""
    plans = dict(_plans(slot))
    inside = np.inf if slot.inside is None else slot.inside
    trials = {}
    for relaxation, name in PAIRS:
        plan, rng = plans[FED[relaxation]], np.random.default_rng(seed)
        if name != CHEAPER:
            cost, gain = ROUNDINGS[name](plan, rng)
            over = None if cost is None else _over(cost, slot.across, slot.name)
            trials[relaxation, name] = RoundedSlot(plan.value / slot.across, over, gain)
        else:
            cost = min(inside, _repaired(plan, rng)[0] or np.inf)
            over = None if cost == np.inf else _over(cost, slot.least, slot.name)
            least = min(inside, plan.value)
            trials[relaxation, name] = RoundedSlot(least / slot.least, over)
    return trials


def _over(cost: float, least: float, name: str) -> float:
    """Return a plan's cost over the least, which it cannot be below but for rounding."""
    if cost < least * (1 - AT):
        raise ContradictionError(f"{name}: a plan costs {cost:.9g}, and {least:.9g} is the least")
    return max(1.0, cost / least)


def _plans(slot: JobSlot) -> Iterator[tuple[str, FractionalPlan]]:
    data, program = slot.data, mixed_program(slot.data)
    plain, strong = solve(relaxed(twin(data))), solve(whole_demands(hulls(data)))
    assert plain.point is not None
    assert strong.point is not None
    held = corners_of(data).held(strong.point, len(data.worker_cost))
    for name, point in ((ACROSS[0], plain.point), (ACROSS[2], held)):
        point = np.maximum(point, 0.0)
        yield name, FractionalPlan(slot, program, point, float(program.cost @ point))


def mixed_program(data: SlotData) -> MixedProgram:
    """Return the program of a slot as the roundings take it."""
    matrix = twin(data)
    rows = matrix.a.toarray()
    return MixedProgram(
        cost=matrix.cost,
        cover=rows[:2],
        demand=matrix.row_lower[:2],
        packing=rows[2:],
        capacity=matrix.row_upper[2:],
    )


def _row(relaxation: str, name: str, trials: Sequence[RoundedSlot]) -> tuple[Cell, ...]:
    costs = [one.cost for one in trials if one.cost is not None]
    gains = _spoken(trials)
    granted = zip(*((one.cost, one.cover, one.packing) for one in gains), strict=True)
    means: list[Cell] = [fmean(column) for column in granted]
    return (
        relaxation,
        name,
        len(trials),
        len(costs),
        len(gains) if any(one.gain for one in trials) else None,
        fmean(one.value for one in trials),
        mean_above(costs, 1.0) if costs else None,
        *(means or (None, None, None)),
    )


def _spoken(trials: Sequence[RoundedSlot]) -> list[GainFactor]:
    """Return the gains whose hypotheses are met."""
    return [one.gain for one in trials if one.gain is not None and one.gain.unmet is None]


def _pairs(tried: Sequence[dict[tuple[str, str], RoundedSlot]]) -> Iterator[RoundedPair]:
    """Yield the pairs over the slots for which they give a plan, if there are any."""
    for relaxation, name in PAIRS:
        trials = [one[relaxation, name] for one in tried if one[relaxation, name].cost is not None]
        costs = [one.cost for one in trials if one.cost is not None]
        if costs:
            low, gains = below([one.value for one in trials]), _spoken(trials)
            factor = fmean(one.cost for one in gains) if gains else None
            yield RoundedPair(relaxation, name, low, mean_above(costs, 1.0), factor)
