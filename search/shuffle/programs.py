"""The program over cliques as a method, from the greedy cover."""

from dataclasses import replace
from functools import partial

from ...formulations.catalogue import find_formulation
from ...instances import Outcome, ShuffleInstance, ShufflePlan, digest
from ...policies.request import ProgramOptions, Request
from ...policies.shuffle import load_of, run_greedy_cover
from ..built import Best, solve_built


def run(instance: ShuffleInstance, request: Request[ProgramOptions]) -> Outcome:
    """Return the solver's best plan. It proves no bound for other sums."""
    program = find_formulation(request.options.formulation)
    first = run_greedy_cover(instance, Request(limits=request.limits, rng=request.rng))
    best = Best[ShufflePlan](request.limits)

    def offer(plan: ShufflePlan) -> None:
        load = load_of(instance, plan)
        best.offer(replace(plan, digest=digest(instance)), load, load)

    offer(first.schedule)
    build = partial(program.build, instance)
    return solve_built(program, build, request, first.schedule, offer).outcome(best)
