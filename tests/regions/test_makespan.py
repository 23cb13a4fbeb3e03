"""Jobs bound to regions in the `makespan` family: every method, bound, program and theorem."""

from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from random import Random

import pytest
from formulations.programs_breaches import breached
from formulations.programs_cases import make_instance, place, three
from little import few

from ringyard import solve
from ringyard.analysis.check import check
from ringyard.analysis.guarantees import guarantees_of
from ringyard.formulations.catalogue import find_formulation
from ringyard.formulations.makespan.configurations import configuration_bound
from ringyard.formulations.makespan.load_limit import bisect
from ringyard.formulations.solver_interface.solve import program_of
from ringyard.instances import InputError, Limits, MakespanInstance, RefusedError, validate
from ringyard.instances.catalogue import load
from ringyard.instances.generate import generate
from ringyard.instances.makespan import RingJob
from ringyard.instances.regions import with_regions
from ringyard.methods import all_methods
from ringyard.run import Answer
from ringyard.search.makespan.bounds.counting import combinatorial_bounds
from ringyard.search.makespan.bounds.slow_bounds import best_slow_bound
from ringyard.simulation.model import unbound

RINGS = [method.name for method in all_methods("makespan")]
QUICK = {"local-search": "local-search:work=50", "sjf-bco": "sjf-bco:mode=pack"}
PROVERS = ("branch-and-bound", "linearised", "patterns", "cp-sat")
PRINTED = ("nonconvex", "disjunctive-bigm", "disjunctive-hull")
"""Programs that take a solver long even for so little."""


def drawn(seed: int, jobs: int = 4) -> MakespanInstance:
    """Draw servers of several sizes in 2 or 3 regions, and jobs bound to one, to two, or free."""
    rng = Random(seed)
    count = rng.choice((2, 3))
    made = generate(
        "small",
        seed=seed,
        jobs=jobs,
        servers=4,
        server_gpus=rng.choice(((2,), (1, 2), (1, 3))),
        most_slots=Decimal(4),
        overhead=rng.choice(("paper", "step", "max_workers_per_server")),
        share=Decimal(rng.choice(("1", "0.5"))),
        progress=rng.choice(("floor", "fractional")),
        release_slots=Decimal(rng.choice((0, 3))),
        regions=count,
        local=Decimal(1),
    )
    choices = [None, ("r0",), ("r1",), ("r0", "r1"), (f"r{count - 1}", "r0")]
    return replace(made, jobs=tuple(rebound(rng, made, job, choices) for job in made.jobs))


def rebound(
    rng: Random, instance: MakespanInstance, job: RingJob, choices: list[tuple[str, ...] | None]
) -> RingJob:
    """Bind a job to regions that it fits in."""
    bound = [replace(job, allowed_regions=regions) for regions in choices]
    fitting = [one for one in bound if not any(replace(instance, jobs=(one,)).problems())]
    return rng.choice(fitting)


def valid(instance: MakespanInstance, method: str, seed: int = 0) -> Answer:
    """Return the answer of a method whose schedule the judge accepts."""
    found = solve(instance, method, seed=seed)
    assert found.verdict is not None, method
    assert found.verdict.valid, method
    return found


def end_of(found: Answer) -> Fraction:
    return Fraction(getattr(found.verdict, "makespan", None) or 0)


def optimum(instance: MakespanInstance) -> Fraction:
    return end_of(valid(instance, "enumeration"))


def two_sites(*jobs: RingJob) -> MakespanInstance:
    """Return a server of 2 GPUs in the north and one in the south."""
    sites = with_regions(make_instance(), 2, Decimal(0), seed=0)
    return replace(sites, jobs=jobs or sites.jobs)


@pytest.mark.parametrize("seed", few(2, range(4)))
def test_every_method_keeps_jobs_in_their_regions_or_refuses(seed: int) -> None:
    instance = drawn(seed)
    best = optimum(instance)
    for method in RINGS:
        if method in (*PROVERS, *PRINTED):
            continue
        if method in ("nested", "block-dive", "cells"):
            with pytest.raises(RefusedError, match="regions; use portfolio"):
                solve(instance, method)
            continue
        found = valid(instance, QUICK.get(method, method), seed)
        assert found.bound.value <= best <= end_of(found), method


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("method", ["branch-and-bound", "linearised", "patterns"])
def test_exact_methods_agree_and_regions_only_cost(method: str, seed: int) -> None:
    instance = drawn(10 + seed, jobs=3)
    found = valid(instance, method)
    assert end_of(found) == optimum(instance) == found.bound.value
    assert optimum(unbound(instance)) <= end_of(found)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(30, 36))
@pytest.mark.parametrize("method", ["branch-and-bound", "linearised", "patterns", "cp-sat"])
def test_exact_methods_agree_on_more(method: str, seed: int) -> None:
    instance = drawn(seed, jobs=4)
    found = valid(instance, method)
    assert end_of(found) == optimum(instance) == found.bound.value


def test_what_presolve_alone_calls_infeasible_is_asked_again() -> None:
    """HiGHS 1.15.1 with presolve calls the program infeasible for slot 8; 1.16.0 does not."""
    instance = drawn(34, jobs=4)
    assert end_of(valid(instance, "linearised")) == optimum(instance) == 8


def test_in_continuous_time_too() -> None:
    for seed in range(3):
        instance = replace(drawn(seed, jobs=3), progress="continuous")
        for method in ("branch-and-bound", "gang-lpt", "local-search:work=50", "sjf-bco-proved"):
            valid(instance, method)


def test_under_fair_sharing_too() -> None:
    for seed in range(3):
        made = generate("small", seed=seed, jobs=4, contention="fluid", rack_servers=2)
        instance = with_regions(made, 2, Decimal("0.7"), seed)
        best = optimum(instance)
        for method in ("branch-and-bound", "local-search:work=50", "midpoints"):
            found = valid(instance, method)
            assert found.bound.value <= best <= end_of(found), method


@pytest.mark.parametrize("seed", range(6))
def test_no_bound_exceeds_the_optimum(seed: int) -> None:
    instance = drawn(50 + seed)
    best = optimum(instance)
    bounds = [*combinatorial_bounds(instance), best_slow_bound(instance, Limits())]
    configurations = configuration_bound(instance, Limits())
    assert all(bound.value <= best for bound in bounds)
    assert configurations is None or configurations.value <= best
    assert bisect(instance).least <= best


def test_what_is_bound_to_a_region_has_only_its_gpus() -> None:
    jobs = [RingJob(name=f"j{i}", gpus=1, iterations=6, backward_s=Decimal(1)) for i in range(4)]
    bound = two_sites(*(replace(job, allowed_regions=("r0",)) for job in jobs))
    area = combinatorial_bounds(bound)[0]
    assert area.name == "area in r0"
    assert optimum(bound) == area.value == 14
    assert optimum(unbound(bound)) == 7
    configurations = configuration_bound(bound, Limits())
    assert configurations is not None
    assert configurations.value == 14
    assert bisect(bound).least >= 13


def test_the_judge_counts_workers_outside() -> None:
    north = replace(make_instance().jobs[1], allowed_regions=("r0",))
    instance = two_sites(make_instance().jobs[0], north, make_instance().jobs[2])
    verdict = check(instance, three())
    broken = [(one.rule, one.where, one.amount) for one in verdict.violations]
    assert broken == [("regions", "assignments[1], job b, server s1", 2)]
    home = replace(
        three(), assignments=(place("a", 0, s1=1), place("b", 1, s0=2), place("c", 3, s0=2, s1=1))
    )
    assert check(instance, home).valid


@pytest.mark.parametrize("name", ["nonconvex", "disjunctive", "linearised", "patterns"])
def test_a_program_has_no_place_for_what_the_judge_forbids(name: str) -> None:
    north = replace(make_instance().jobs[1], allowed_regions=("r0",))
    instance, program = (
        two_sites(make_instance().jobs[0], north, make_instance().jobs[2]),
        find_formulation(name),
    )
    model = program.build(instance, 8)
    program.write(model, three())
    assert breached(model)
    home = replace(
        three(), assignments=(place("a", 0, s1=1), place("b", 1, s0=2), place("c", 3, s0=2, s1=1))
    )
    program.write(model, home)
    assert not breached(model)


@pytest.mark.parametrize("name", ["occupancy", "load-limit"])
def test_the_arrays_of_a_program_keep_regions_like_its_model(name: str) -> None:
    program, instance = find_formulation(name), drawn(3)
    matrix, twin = program_of(program.build(instance, 8)), program.twin(instance, 8)  # type: ignore[misc]
    assert matrix.columns == twin.columns
    assert matrix.upper.tolist() == twin.upper.tolist()


def test_programs_over_sizes_of_servers_refuse() -> None:
    with pytest.raises(RefusedError, match="bound to regions, so use 'columns'"):
        find_formulation("server-configurations").build(drawn(0))


def test_a_job_larger_than_its_regions_is_refused_with_both_numbers() -> None:
    large = replace(make_instance().jobs[2], allowed_regions=("r1",))
    with pytest.raises(InputError, match="at most 2, all GPUs of its regions"):
        validate(two_sites(large))


def test_theorems_on_free_placement_say_so() -> None:
    anywhere = [replace(job, release_slot=Decimal(0)) for job in make_instance().jobs[:2]]
    bound = two_sites(*(replace(job, allowed_regions=("r0", "r1")) for job in anywhere))
    for method in ("gang-lpt", "sjf-bco-proved", "midpoints", "lenstra-shmoys-tardos"):
        for guarantee in guarantees_of(method):
            assert "bound to regions" in (guarantee.unmet(bound) or ""), guarantee.name
            assert "bound to regions" not in (guarantee.unmet(unbound(bound)) or "")


def test_the_generator_changes_nothing_but_regions() -> None:
    plain = generate("mobihoc", seed=4, jobs=40)
    for local in ("0", "0.5", "1"):
        placed = generate("mobihoc", seed=4, jobs=40, regions=3, local=Decimal(local))
        assert validate(placed) is None
        servers = tuple(replace(one, region=None) for one in placed.cluster.servers)
        assert servers == plain.cluster.servers
        assert unbound(placed).jobs == plain.jobs
    half = with_regions(plain, 3, Decimal("0.5"), 4).jobs
    bound = [job.allowed_regions for job in half if job.allowed_regions]
    assert 10 < len(bound) < 30
    assert set(bound) == {("r0",), ("r1",), ("r2",)}
    assert with_regions(plain, 1, Decimal(1), 4) == plain
    more = with_regions(plain, 3, Decimal("0.9"), 4).jobs
    assert all(
        b.allowed_regions == a.allowed_regions
        for a, b in zip(half, more, strict=True)
        if a.allowed_regions
    )


def test_a_family_without_regions_is_refused() -> None:
    given = load("tiny-transfers-s0")
    assert with_regions(given, 1, Decimal(0), seed=0) is given
    with pytest.raises(InputError, match=r"kind: found 'transfers'.*jobs can be bound to regions"):
        with_regions(given, 2, Decimal(0), seed=0)
