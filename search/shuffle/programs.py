"""The program over cliques as a method, from the greedy cover."""

from dataclasses import replace
from fractions import Fraction
from functools import partial

from ...formulations.catalogue import find_formulation
from ...instances import Glimpse, Left, Outcome, ShuffleInstance, ShufflePlan, digest
from ...policies.request import ProgramOptions, Request
from ...policies.shuffle import greedy_cover
from ...policies.shuffle.plan import load_of
from ..built import solve_built


def refuses(instance: ShuffleInstance, options: ProgramOptions) -> str | None:
    """Say why the program cannot state `instance`, or None if it can."""
    return find_formulation(options.formulation).refuses(instance)


def run(instance: ShuffleInstance, request: Request[ProgramOptions]) -> Outcome:
    """Return the best plan that the solver finds; it proves nothing about other sums."""
    program = find_formulation(request.options.formulation)
    first = greedy_cover.run(instance, Request(limits=request.limits, rng=request.rng))
    best: tuple[Fraction, ShufflePlan] | None = None

    def offer(plan: ShufflePlan) -> None:
        nonlocal best
        load = load_of(instance, plan)
        if best is None or load < best[0]:
            best = load, replace(plan, digest=digest(instance))
            request.limits.tell(Glimpse(schedule=best[1], value=float(load)))

    offer(first.schedule)
    solution, seconds = solve_built(
        program, partial(program.build, instance), request, first.schedule, offer
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
