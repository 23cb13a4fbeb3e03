"""The program over cliques as a method, from the greedy cover."""

from dataclasses import replace
from fractions import Fraction
from functools import partial

from numpy.random import Generator

from ...formulations.catalogue import find_formulation
from ...instances import Glimpse, Left, Limits, Outcome, ShuffleInstance, ShufflePlan, digest
from ...policies.shuffle import greedy_cover
from ...policies.shuffle.plan import load_of
from ..built import solve_built


def refuses(instance: ShuffleInstance, *, formulation: str, solver: str) -> str | None:
    """Say why the program cannot state `instance`, or None if it can."""
    del solver
    return find_formulation(formulation).refuses(instance)


def run(
    instance: ShuffleInstance, limits: Limits, rng: Generator, *, formulation: str, solver: str
) -> Outcome:
    """Return the best plan that the solver finds; it proves nothing about other sums."""
    program = find_formulation(formulation)
    first = greedy_cover.run(instance, limits, rng)
    best: tuple[Fraction, ShufflePlan] | None = None

    def offer(plan: ShufflePlan) -> None:
        nonlocal best
        load = load_of(instance, plan)
        if best is None or load < best[0]:
            best = load, replace(plan, digest=digest(instance))
            limits.tell(Glimpse(schedule=best[1], value=float(load)))

    offer(first.schedule)
    solution, seconds = solve_built(
        program, partial(program.build, instance), solver, limits, first.schedule, offer
    )
    assert best is not None
    return Outcome(
        schedule=best[1],
        stop=solution.stop,
        left=Left.FEASIBLE,
        value=best[0],
        note=solution.note,
        seconds=seconds,
        nodes=solution.nodes,
    )
