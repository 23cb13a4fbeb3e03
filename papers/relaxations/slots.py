"""Relaxations of a slot's programs (PD-ORS): across machines, inside one, or either.

Each rounding is shown with its proved factor on the cost.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from math import ceil
from statistics import fmean
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from ...analysis.intervals import mean_above
from ...analysis.tables import Cell, Table, numbers, texts
from ...formulations.exact import dual_bound
from ...formulations.matrix import matrix_of, relaxed
from ...formulations.online import slot_inside
from ...formulations.online.slot_program import SlotData, drawn_slot, twin
from ...formulations.online.slot_relaxations import corners_of, either, hulls
from ...formulations.program import Caps, Floats, Matrix
from ...formulations.relaxations import union_hull
from ...formulations.solver_interface.solve import solve
from ...instances import SolutionStatus
from ...instances.catalogue import entries
from ...policies.online.curve import hull_polygons, lp_polygons, plans
from ...rounding.gain import GainFactor, chernoff_gain, printed_gain
from ...rounding.program import MixedProgram
from ...rounding.randomized import best_of, derandomize
from ...rounding.repair import repair
from ...run import ContradictionError
from ...simulation.online import online_model
from ..study import named, table_of
from .rings import Rounded, below
from .strengths import AT, ENGINES, Root, RoundedPair, solved, strength_rows, strength_table, timed

GROUPS = ("pdors-small", "pdors", "pdors-roomy")
"""Families of instances whose slots are studied."""

JOBS = {"pdors": 4}
"""Number of first jobs of each instance, else all."""

ACROSS = ("across", "across, hulls of machines", "across, hulls, whole demands")
WALKED = ACROSS[:2]
INSIDE = ("inside", "inside, hull")
EITHER = ("either, shared room", "either, hull of both", "either, hull of hulls")
WALK = "walk"

NOISE = 1e-9
"""The error of division above a whole demand."""


class JobSlot(NamedTuple):
    """A job in a slot, and the least costs of whole numbers, None if no number fits."""

    name: str
    group: str
    data: SlotData
    inside_workers: float
    across: float
    """The value across machines, without slots that have no such case."""
    inside: float | None
    certified: bool
    """True if duals in fractions prove `across`, to `AT` of it."""

    @property
    def least(self) -> float:
        """The cheaper of both cases."""
        return self.across if self.inside is None else min(self.across, self.inside)


def jobs_asked() -> list[tuple[str, int]]:
    """Return instances with numbers of jobs, one job of each instance before the next ones."""
    known = [one for one in entries().values() if one.family in GROUPS and not one.problem]
    known = [one for one in known if one.name.startswith(one.family)]
    pairs = [(k, one.name) for one in known for k in range(min(one.jobs, JOBS.get(one.family, 99)))]
    return [(name, k) for k, name in sorted(pairs, key=lambda pair: pair[0])]


def slots(asked: Iterable[tuple[str, int]], time_limit: float) -> Iterator[JobSlot]:
    """Yield slots whose least costs two solvers agree on."""
    for name, job in asked:
        data, model = drawn_slot(named(name), job), online_model(named(name))
        fewer = float(ceil(data.least_workers * model.outside[job] / model.inside[job]))
        across = _least(twin(data), f"{name} j{job}", time_limit)
        if across is not None:
            yield JobSlot(
                name=f"{name} j{job}",
                group=entries()[name].family,
                data=data,
                inside_workers=fewer,
                across=across,
                inside=_least(_inside(data, fewer), f"{name} j{job} inside", time_limit),
                certified=_proved(whole_demands(hulls(data))) >= across * (1 - AT),
            )


def _least(program: Matrix, name: str, time_limit: float) -> float | None:
    """Return the optimum that HiGHS and SCIP agree on, or None at the time limit."""
    found = [solve(program, solver=one, caps=Caps(time_s=time_limit)) for one in ("highs", "scip")]
    values = [
        one.value for one in found if one.status is SolutionStatus.OPTIMAL and one.value is not None
    ]
    statuses = {one.status for one in found}
    if len(values) == 2 and abs(values[0] - values[1]) <= AT * abs(values[0]):
        return min(values)
    if len(values) == 2 or {SolutionStatus.OPTIMAL, SolutionStatus.INFEASIBLE} <= statuses:
        raise ContradictionError(f"{name}: HiGHS and SCIP differ, {values} and {statuses}")
    return None


def _proved(program: Matrix) -> float:
    """Return a lower bound on a relaxation: duals, summed in fractions."""
    found = solve(program)
    bound = None if found.duals is None else dual_bound(program, found.duals)
    return float(Fraction(0) if bound is None else bound)


def _inside(data: SlotData, workers: float) -> Matrix:
    return matrix_of(slot_inside.build(replace(data, least_workers=workers)))


def _screened(program: Matrix) -> Matrix:
    """Return the program without machines that the job alone does not fit on: its hull."""
    room = program.row_upper[1:].reshape(-1, 1)
    fits = (program.a[1:].toarray() <= room).all(axis=0)
    return replace(program, upper=np.where(fits, program.upper, 0.0))


def whole_demands(program: Matrix) -> Matrix:
    """Return the program with its two demands, of sums of whole numbers, rounded up."""
    demands = np.ceil(program.row_lower[:2] - NOISE)
    return replace(program, row_lower=np.concatenate([demands, program.row_lower[2:]]))


def relaxations(slot: JobSlot) -> Mapping[str, Matrix]:
    """Return the linear programs of a slot."""
    data, inside = slot.data, relaxed(_inside(slot.data, slot.inside_workers))
    across, by_machine, screened = relaxed(twin(data)), hulls(data), _screened(inside)
    whole = whole_demands(by_machine)
    programs = (
        across,
        by_machine,
        whole,
        inside,
        screened,
        relaxed(either(data, slot.inside_workers)),
        union_hull({"across": across, "inside": inside}),
        union_hull({"across": whole, "inside": screened}),
    )
    return dict(zip((*ACROSS, *INSIDE, *EITHER), programs, strict=True))


def slot_roots(found: Iterable[JobSlot], time_limit: float) -> Iterator[Root]:
    """Yield the relaxations of slots, each over the least cost of its program."""
    for slot in found:
        for name, program in relaxations(slot).items():
            best = slot.across if name in ACROSS else slot.inside if name in INSIDE else slot.least
            if best is not None:
                ask = partial(_walked, slot.data, name)
                others = {WALK: timed(ask)} if name in WALKED else {}
                yield solved(Root(slot.name, best, name, program, None, {}), time_limit, others)


def _walked(data: SlotData, name: str) -> float | None:
    """Return the result of the walk over demands, with polygons."""
    make = lp_polygons if name == WALKED[0] else hull_polygons
    polygons = make(data.capacity, data.worker, data.server, data.most_workers)
    (plan,) = plans(
        data.worker_cost,
        data.server_cost,
        polygons,
        data.workers_per_server,
        data.most_workers,
        [data.least_workers],
    )
    return None if plan is None else plan.cost


def slot_strength(found: list[JobSlot], known: list[Root]) -> Table:
    """Return a line for each relaxation of each group of slots."""
    engines, rows = (*ENGINES, WALK), list[tuple[Cell, ...]]()
    for group in GROUPS:
        own = {slot.name for slot in found if slot.group == group}
        chosen = [root for root in known if root.instance in own]
        names = (*ACROSS, *INSIDE, *EITHER)
        rows += [(group, *row) for row in strength_rows(chosen, names, engines)]
    certified = sum(slot.certified for slot in found)
    return strength_table(
        "Relaxations of a job's slot: value / least cost with whole numbers",
        rows,
        engines,
        f"{len(found)} slots in which the job fits across machines. The least costs are the "
        "optima that HiGHS and SCIP agree on, each for its case. Duals of the strongest "
        f"relaxation, summed in fractions, prove {certified} of the optima across machines. "
        "Processor seconds: for engines of HiGHS, and for the walk over demands including "
        "polygons, followed by the number not solved to tolerance.",
        ("slots of", "relaxation"),
    )


def slot_values(found: list[JobSlot], known: list[Root]) -> Table:
    """Return a line for each slot, with the values of all its relaxations."""
    names = (*ACROSS, *INSIDE, *EITHER)
    values = {(root.instance, root.name): root.value for root in known}
    rows: list[tuple[Cell, ...]] = [
        (
            slot.name,
            slot.data.least_workers,
            slot.across,
            slot.inside,
            *(values.get((slot.name, name)) for name in names),
        )
        for slot in found
    ]
    return table_of(
        "Least costs of slots, and values of their relaxations",
        (
            *texts("slot"),
            *numbers("workers", digits=0),
            *numbers("across", "inside", digits=3, over="least cost"),
            *numbers(*names, digits=3),
        ),
        rows,
        "Jobs are numbered from 0. A dash means that the job does not fit inside a machine.",
    )


DELTA = 0.5
"""The probability with which a draw may miss the guarantee of a gain."""

SAMPLES = 20
"""Number of draws. The cheapest valid one is used."""


class RoundedSlot(NamedTuple):
    """The result of one rounding for one slot."""

    value: float
    """Of the relaxation, over the least cost."""
    cost: float | None
    """Over the least cost, None if no draw holds."""
    gain: GainFactor | None = None
    """The proved factor, if a theorem speaks of it."""


class FractionalPlan(NamedTuple):
    """A slot's program with a point of a relaxation, and the relaxation's cost."""

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
    """Draw with a gain, and discard draws that miss a row, as printed."""
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
"""Relaxations whose points are rounded. Of hulls of both cases, the one across machines."""

CHEAPER = "inside, or independent, repaired"
"""PD-ORS's plan of a slot: the cheaper of both cases."""

PAIRS = (
    *((ACROSS[0], name) for name in ROUNDINGS),
    (ACROSS[2], "independent, repaired"),
    (ACROSS[2], "derandomised, repaired"),
    *((joined, CHEAPER) for joined in EITHER[1:]),
)
"""Pairs of a relaxation and a rounding."""


def slot_rounded(found: Sequence[JobSlot]) -> Rounded:
    """Return the results of the pairs on slots, over the least cost. The figure uses all."""
    tried = {slot.name: _trials(slot, k) for k, slot in enumerate(found)}
    rows = [
        (group, *_row(*pair, [tried[slot.name][pair] for slot in found if slot.group == group]))
        for group in GROUPS
        if any(slot.group == group for slot in found)
        for pair in PAIRS
    ]
    table = table_of(
        "Roundings of each relaxation of a slot: cost / least cost",
        (
            *texts("slots of", "relaxation", "rounding"),
            *numbers("slots", "plans", "theorem speaks"),
            *numbers("relaxation", "rounded", digits=3, over="over the least cost"),
            *numbers("cost", "cover", "room", digits=2, over="granted, on average"),
        ),
        rows,
        f"Plans: slots in which one of {SAMPLES} draws keeps every row. Theorem speaks: slots "
        "in which its hypotheses are met. Granted, with probability one half: the cost stays "
        "within this multiple of the relaxation, demands are covered to this part, rooms kept "
        "to this multiple.",
    )
    return Rounded(table, tuple(_pairs([tried[slot.name] for slot in found])))


def _trials(slot: JobSlot, seed: int) -> dict[tuple[str, str], RoundedSlot]:
    """Return the results of all pairs on a slot. Each relaxation is solved once."""
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
