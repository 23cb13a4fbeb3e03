"""All starts and places of a tiny `makespan` instance: no bound may be above the best."""

from collections.abc import Iterator
from decimal import Decimal
from itertools import product

import pytest
from check.certificates.proofs import checked, lines_of

from ringyard.analysis.check import check
from ringyard.families import FAMILIES
from ringyard.formulations.named import parts
from ringyard.instances import (
    Assignment,
    Bound,
    Limits,
    MakespanInstance,
    RefusedError,
    Schedule,
    digest,
)
from ringyard.search.makespan.bounds.counting import combinatorial_bounds
from ringyard.search.makespan.bounds.slow_bounds import all_bounds
from ringyard.simulation import build_model, evaluate, make_plan


def placed(instance: MakespanInstance, **where: dict[str, int]) -> Schedule:
    """Return the schedule in which all jobs start at once."""
    return Schedule(
        instance=instance.name,
        digest=digest(instance),
        assignments=tuple(
            Assignment(job=job, start_slot=Decimal(0), gpus=tuple(gpus.items()))
            for job, gpus in where.items()
        ),
    )


def bounds_of(instance: MakespanInstance) -> list[Bound]:
    """Return all bounds that there are."""
    return [*combinatorial_bounds(instance), *all_bounds(instance, Limits(time_s=None)).found]


def places(sizes: list[int], gpus: int) -> Iterator[list[tuple[int, int]]]:
    """Yield all placements of a job."""
    for pieces in product(*(range(min(size, gpus) + 1) for size in sizes)):
        if sum(pieces) == gpus:
            yield [(server, held) for server, held in enumerate(pieces) if held]


def ends_before(instance: MakespanInstance, end: int) -> bool:
    """Try all starts and all places of all jobs."""
    model, sizes = build_model(instance), [one.gpus for one in instance.cluster.servers]
    options = [
        [
            (start, place)
            for start in range(int(job.release_slot), end if job.held is None else 1)
            for place in places(sizes, job.gpus)
            if allowed(instance, job.name, place)
        ]
        for job in instance.jobs
    ]
    for plan in product(*options):
        found = evaluate(model, make_plan([start for start, _ in plan], [at for _, at in plan]))
        if found.excess <= 0 and found.makespan < end:
            return True
    return False


def allowed(instance: MakespanInstance, name: str, place: list[tuple[int, int]]) -> bool:
    """Return whether the judge lets a job be there, whatever else it says."""
    servers = instance.cluster.servers
    gpus = {servers[server].name: held for server, held in place}
    found = check(instance, placed(instance, **{name: gpus})).violations
    return not {one.rule for one in found} & {"regions", "one_kind", "held"}


def bounds_hold(instance: MakespanInstance, where: str) -> None:
    """Assert that certificates are accepted, and that no schedule ends before the best bound."""
    bounds = bounds_of(instance)
    for bound in bounds:
        if bound.proof:
            assert checked(instance, lines_of(instance, bound)).accepted, (where, bound)
    best = int(max(bound.value for bound in bounds))
    if best <= 9:
        assert not ends_before(instance, best), (where, best)


def programs_refuse(instance: MakespanInstance, words: str) -> None:
    """Assert that every program and constraint model refuses an instance in these words."""
    family = FAMILIES["makespan"]
    for model in family.constraint_models:
        with pytest.raises(RefusedError, match=words):
            model.question(instance, 9)
    for program in family.programs:
        assert words in (parts(program.name)[0].refuses(instance) or ""), program.name
