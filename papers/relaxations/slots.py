"""Relaxations of the programs of a slot (PD-ORS): across machines, inside one, either."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import partial
from math import ceil
from typing import NamedTuple

import numpy as np

from ...analysis.tables import Cell, Table, numbers, texts
from ...formulations.exact import dual_bound
from ...formulations.matrix import matrix_of, relaxed
from ...formulations.online import slot_inside
from ...formulations.online.slot_program import SlotData, drawn_slot, twin
from ...formulations.online.slot_relaxations import either, hulls
from ...formulations.program import Caps, Matrix
from ...formulations.relaxations import union_hull
from ...formulations.solver_interface.solve import solve
from ...instances import SolutionStatus
from ...instances.catalogue import entries
from ...policies.online.curve import hull_polygons, lp_polygons, plans
from ...run import ContradictionError
from ...simulation.online import online_model
from ..study import named
from .strengths import AT, ENGINES, Root, solved, strength_rows, strength_table, timed

GROUPS = ("pdors-small", "pdors", "pdors-roomy")
"""Families of instances whose slots are asked about."""

JOBS = {"pdors": 4}
"""As many jobs of each instance, the first; else all."""

ACROSS = ("across", "across, hulls of machines", "across, hulls, whole demands")
WALKED = ACROSS[:2]
INSIDE = ("inside", "inside, hull")
EITHER = ("either, shared room", "either, hull of both", "either, hull of hulls")
WALK = "walk"

NOISE = 1e-9
"""What division leaves above a whole demand."""


class JobSlot(NamedTuple):
    """A job in a slot, and the least costs of whole numbers; None where nothing fits."""

    name: str
    group: str
    data: SlotData
    inside_workers: float
    across: float
    """Of the case across machines; slots without one are left out."""
    inside: float | None
    certified: bool
    """Whether duals in fractions prove `across`, to `AT` of it."""

    @property
    def least(self) -> float:
        """The cheaper of both cases."""
        return self.across if self.inside is None else min(self.across, self.inside)


def jobs_asked() -> list[tuple[str, int]]:
    """Return instances with numbers of jobs, one job of each instance before the next ones."""
    known = [one for one in entries().values() if one.family in GROUPS and not one.fault]
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
    """Return the optimum that HiGHS and SCIP agree on; None if there is none in time."""
    found = [solve(program, solver=one, caps=Caps(time_s=time_limit)) for one in ("highs", "scip")]
    values = [
        one.value for one in found if one.status is SolutionStatus.OPTIMAL and one.value is not None
    ]
    said = {one.status for one in found}
    if len(values) == 2 and abs(values[0] - values[1]) <= AT * abs(values[0]):
        return min(values)
    if len(values) == 2 or {SolutionStatus.OPTIMAL, SolutionStatus.INFEASIBLE} <= said:
        raise ContradictionError(f"{name}: HiGHS and SCIP differ, {values} and {said}")
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
    """Yield the relaxations of slots, each over the least cost of what it relaxes."""
    for slot in found:
        for name, program in relaxations(slot).items():
            best = slot.across if name in ACROSS else slot.inside if name in INSIDE else slot.least
            if best is not None:
                ask = partial(_walked, slot.data, name)
                others = {WALK: timed(ask)} if name in WALKED else {}
                yield solved(Root(slot.name, best, name, program, None, {}), time_limit, others)


def _walked(data: SlotData, name: str) -> float | None:
    """Return what the walk over demands finds, polygons and all."""
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
        "Relaxations of a job's slot: value over the least cost of whole numbers",
        rows,
        engines,
        f"{len(found)} slots in which the job fits across machines. The least costs are the optima "
        "that HiGHS and SCIP agree on, each of its own case; duals of the strongest "
        f"relaxation, summed in fractions, prove {certified} of those across machines. Seconds of "
        "the processor; engines of HiGHS, and the walk over demands, polygons included; behind "
        "them how many were not solved to our tolerance.",
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
    return Table(
        caption="Least costs of slots, and values of their relaxations",
        columns=(
            *texts("slot"),
            *numbers("workers", digits=0),
            *numbers("across", "inside", digits=3, over="least cost"),
            *numbers(*names, digits=3),
        ),
        rows=tuple(rows),
        notes=("A job is called by its number from 0 on; -: it does not fit inside a machine.",),
    )
