"""Jobs of traces stay in their regions under every method, and nobody waits for ever."""

from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

import busy_times_model
import numpy as np
import pytest
from policies.trace.played import ends, mean_jct, played
from regions.traces import anywhere, placed, scattered
from simulation.trace.drawn_instances import drawn
from simulation.trace.placing import FOR_ALL
from trace_optimum import job, optimum, tiny

from ringyard.analysis.check import check
from ringyard.formulations.matrix import matrix_of
from ringyard.formulations.trace import busy_times
from ringyard.instances import (
    JobRuns,
    Limits,
    SolutionStatus,
    TraceInstance,
    TraceRun,
    TraceSchedule,
)
from ringyard.instances.generate import generate
from ringyard.methods import all_methods, find_method
from ringyard.policies.trace.baselines import Fifo, Srtf, TwoDLas
from ringyard.search.trace.bounds import combinatorial_bounds
from ringyard.search.trace.plan_bound import plan_bound
from ringyard.simulation.trace import Service, simulate
from ringyard.simulation.trace.records import to_schedule

POLICIES = [m.name for m in all_methods("trace") if m.kind == "policy"]
EXACT = ("state-search", "tickwise:highs")
SLOW = (0, 10, 12, 13, 16)
"""Seeds of tiny instances whose optimum takes longer to find."""


def rounds(instance: TraceInstance, policy: str) -> str:
    """Return a method whose rounds, if it has some, are a few ticks long."""
    intervals = ("2d-las", "2d-gittins", "tiresias-g", "tiresias-released", "gandiva", "optimus")
    return f"{policy}:interval_s={3 * instance.tick_s}" if policy in intervals else policy


@pytest.mark.parametrize("policy", POLICIES)
def test_every_job_ends_in_its_regions(policy: str) -> None:
    for seed in range(12):
        instance = scattered(drawn(seed), seed)
        verdict = check(instance, played(instance, rounds(instance, policy)))
        assert verdict.violations == (), seed
        assert len(verdict.ends) == len(instance.jobs)


@pytest.mark.slow
@pytest.mark.parametrize("policy", POLICIES)
def test_every_job_ends_in_its_regions_under_every_placement(policy: str) -> None:
    for seed in range(20):
        instance = scattered(drawn(seed, jobs=12), seed)
        for placement in FOR_ALL:
            method = rounds(instance, policy) + f":placement={placement}:kappa=1"
            verdict = check(instance, played(instance, method))
            assert verdict.violations == (), (seed, placement)
            assert len(verdict.ends) == len(instance.jobs)


@pytest.mark.parametrize("placement", FOR_ALL)
def test_engine_and_judge_find_the_same_ends(placement: str) -> None:
    for seed in range(30):
        instance = scattered(drawn(seed), seed)
        policy = (Srtf, Fifo, TwoDLas)[seed % 3]()
        made = simulate(instance, policy, Service(placement=placement, interval=2, kappa=1))
        verdict = check(instance, to_schedule(instance, made.trace, "test"))
        assert verdict.violations == ()
        tick = Fraction(instance.tick_s)
        found = [verdict.ends[one.name] / tick for one in instance.jobs]
        assert found == made.trace.lives["end"].tolist()


@pytest.mark.parametrize("policy", POLICIES)
def test_who_may_run_in_all_regions_may_run_anywhere(policy: str) -> None:
    for seed in range(4):
        instance = drawn(seed)
        servers = [replace(s, region=f"r{i}") for i, s in enumerate(instance.servers)]
        every = tuple(server.region for server in servers)
        jobs = tuple(replace(one, allowed_regions=every) for one in instance.jobs)
        bound = replace(instance, servers=tuple(servers), jobs=jobs)
        method = rounds(instance, policy)
        assert played(bound, method).jobs == played(instance, method).jobs


def test_a_server_of_no_region_is_closed_to_whoever_names_some() -> None:
    jobs = [job("a", 1, 2, allowed_regions=("east",)), job("b", 1, 2, allowed_regions=("east",))]
    instance = placed([*jobs, job("c", 1, 2)], (1, "east"), (1, None))
    assert ends(instance, "fifo") == {"a": 2, "b": 4, "c": 4}
    assert ends(instance, "best-effort") == {"a": 2, "b": 4, "c": 2}
    run = TraceRun(start_s=jobs[0].arrival_s, gpus=(("s1", 1),))
    wrong = TraceSchedule(instance="tiny", jobs=(JobRuns(job="a", runs=(run,)),))
    broken = [(v.rule, v.where) for v in check(instance, wrong).violations]
    assert ("regions", "jobs[0], job a, runs[0], server s1") in broken


def test_the_last_of_the_queue_gives_way_if_it_stands_in_the_region() -> None:
    """The urgent job may only have s0; of those behind it only `here` stands there, and moves."""
    long = [job("there", 1, 30, allowed_regions=("west",)), job("here", 1, 20)]
    urgent = job("urgent", 1, 2, arrival=3, allowed_regions=("east",))
    instance = placed([*long, urgent], (1, "east"), (2, "west"))
    made = played(instance, "srsf:placement=least-fragmentation")
    moves = {one.job: [run.gpus for run in one.runs] for one in made.jobs}
    assert moves["here"] == [(("s0", 1),), (("s1", 1),)]
    assert moves["there"] == [(("s1", 1),)]
    assert ends(instance, "srsf:placement=least-fragmentation") == {
        "there": 30,
        "here": 20,
        "urgent": 5,
    }


@pytest.mark.parametrize(
    "policy",
    [
        "srsf",
        "2d-las:interval_s=1",
        "optimus:interval_s=1",
        "ones",
        "elastic-srtf",
        "gandiva:interval_s=1",
        "tiresias-released",
    ],
)
def test_who_may_go_elsewhere_leaves_the_region_to_who_may_not(policy: str) -> None:
    """The free job came first, and both have room."""
    jobs = [job("free", 1, 40), job("bound", 1, 5, arrival=1, allowed_regions=("east",))]
    for order in ("east", "west"), ("west", "east"):
        instance = placed(jobs, *((1, region) for region in order))
        assert ends(instance, policy) == {"free": 40, "bound": 6}


def test_nobody_is_stopped_in_vain() -> None:
    """While `short` runs, `wide` would have too little even if `long` went."""
    jobs = [
        job("short", 1, 3, allowed_regions=("east",)),
        job("long", 1, 30, allowed_regions=("east",)),
        job("wide", 2, 4, arrival=1, allowed_regions=("east",)),
    ]
    instance = placed(jobs, (2, "east"), (1, "west"))
    assert ends(instance, "srtf") == {"short": 3, "wide": 7, "long": 34}
    runs = {one.job: len(one.runs) for one in played(instance, "srtf").jobs}
    assert runs == {"short": 1, "wide": 1, "long": 2}


@pytest.mark.parametrize(
    "seed", [pytest.param(s, marks=pytest.mark.slow if s in SLOW else ()) for s in range(25)]
)
def test_exact_methods_find_the_optimum(seed: int) -> None:
    instance = scattered(tiny(seed), seed)
    best = optimum(instance)
    assert best >= optimum(anywhere(instance))
    for name in EXACT:
        method = find_method(name, "trace")
        if method.refuses and method.refuses(instance):
            assert name != "state-search"
            continue
        outcome = method.run(instance, Limits(), np.random.default_rng(0))
        verdict = check(instance, outcome.schedule)
        assert verdict.violations == ()
        assert verdict.objective == outcome.value == best
        assert outcome.status is SolutionStatus.OPTIMAL


@pytest.mark.parametrize("seed", [s for s in range(25) if s not in SLOW])
def test_bounds_are_below_the_optimum(seed: int) -> None:
    instance = scattered(tiny(seed), seed)
    best = optimum(instance)
    bounds = combinatorial_bounds(instance)
    assert max(bound.value for bound in bounds) == bounds[0].value <= best
    strong = plan_bound(instance, Limits(), 60)
    assert strong is not None
    assert strong.value <= best


@pytest.mark.parametrize("seed", range(8))
def test_arrays_of_the_fluid_relaxation_are_those_of_the_model(seed: int) -> None:
    instance = scattered(tiny(seed), seed)
    for intervals in (3, 1000):
        starts = busy_times.interval_starts(instance, intervals)
        one, other = (
            busy_times.twin(instance, starts),
            matrix_of(busy_times_model.build(instance, starts)),
        )
        assert (one.columns, one.rows) == (other.columns, other.rows)
        assert (one.a != other.a).nnz == 0
        assert (one.row_upper == other.row_upper).all()


def test_the_bound_by_regions_counts_only_their_gpus() -> None:
    jobs = [job(name, 1, 4, allowed_regions=("east",)) for name in "abc"]
    instance = placed(jobs, (1, "east"), (2, "west"))
    best = combinatorial_bounds(instance)[0]
    assert (best.name, best.value) == ("region by region", 8)
    assert optimum(instance) == 8
    strong = plan_bound(anywhere(instance), Limits(), 60), plan_bound(instance, Limits(), 60)
    assert [float(bound.value) for bound in strong] == [4.0, 8.0]


@pytest.mark.parametrize("name", EXACT)
def test_overlapping_sets_of_regions_are_shared_out_exactly(name: str) -> None:
    """Three jobs fit side by side in one way only, the wide one across two regions."""
    jobs = [
        job("wide", 2, 3, allowed_regions=("east", "north")),
        job("a", 1, 3, allowed_regions=("east", "west")),
        job("b", 1, 3, allowed_regions=("north", "west")),
    ]
    instance = placed(jobs, (1, "east"), (1, "north"), (2, "west"))
    assert mean_jct(instance, name) == 3


def test_generated_traces_bind_the_share_of_jobs_that_is_asked_for() -> None:
    plain, made = (
        generate("philly", seed=3, jobs=200, regions=r, local=Decimal("0.4")) for r in (1, 3)
    )
    assert anywhere(made).jobs == plain.jobs
    assert {server.region for server in made.servers} == {"r0", "r1", "r2"}
    assert 60 <= sum(one.allowed_regions is not None for one in made.jobs) <= 100
