"""Rings of GPUs on servers with shared uplinks, for the least makespan."""

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from functools import partial
from typing import Any

from ..instances.reading.vocabulary import find
from .family import Family, Portrait, Recipe, RunRow, Runs, Suite, took
from .method import ConstraintProgram, CorpusProgram, Method, Program, by_program


def _point(one: Any, job: Any) -> tuple[Any, Any]:
    seconds = find(".simulation.makespan.alone:fastest_alone")(one, job).seconds
    return job.gpus, job.iterations * float(seconds) / float(one.slot_s)


def _extent(one: Any) -> tuple[int, int, int]:
    servers = one.cluster.servers
    return len(one.jobs), len(servers), sum(server.gpus for server in servers)


def _program_size(one: Any, horizon: Any) -> tuple[str, int, int]:
    if horizon is None:
        horizon = find(".formulations.makespan.data:serial_horizon")(one)
    return "servers", len(one.cluster.servers), int(horizon)


def _grid(one: Any) -> Decimal | None:
    return None if one.progress == "continuous" else Decimal(one.slot_s)


def _runs(one: Any, plan: Any, ends: Mapping[str, Fraction]) -> Iterator[RunRow]:
    unit, held = Fraction(one.slot_s), {job.name for job in one.jobs if job.held}
    for own in plan.assignments:
        start, begun = Fraction(own.start_slot) * unit, own.job in held
        yield RunRow(own.job, start, ends[own.job] * unit, own.gpus, begun=begun, going=begun)


def _schedule(one: Any, rows: Sequence[RunRow]) -> Any:
    """Return the schedule of these runs. In continuous time, it claims no ends."""
    entity, encode = find(".instances.makespan"), find(".instances.reading.encode")
    unit, claimed = Fraction(one.slot_s), _grid(one) is not None
    order = {job.name: i for i, job in enumerate(one.jobs)}
    return entity.Schedule(
        instance=one.name,
        digest=encode.digest(one),
        assignments=tuple(
            entity.Assignment(
                job=row.job,
                start_slot=encode.as_decimal(row.start_s / unit),
                gpus=row.gpus,
                end_slot=encode.as_decimal(row.end_s / unit) if claimed and row.end_s else None,
            )
            for row in sorted(rows, key=lambda row: order[row.job])
        ),
    )


def _metrics(_: Any, verdict: Any) -> dict[str, Any]:
    return {"mean_end": find(".instances.reading.encode:as_number")(verdict.mean_completion)}


_program = partial(by_program, guarantee="optimal", starts=True)

METHODS = (
    Method(
        name="portfolio",
        kind="search",
        about="alternates bounds and searches from their last results until a proof",
        source="Ringyard",
        random=True,
        starts=True,
        keeps=True,
    ),
    Method(
        name="gang-lpt",
        about="longest job first, on one server if it fits, overtaking allowed",
        source="Graham 1969, for gangs",
    ),
    Method(
        name="whole-server-list",
        about="jobs larger than servers on idle servers of their own, then the others inside",
        source="Ringyard, after Garey and Graham 1975",
    ),
    Method(
        name="nested",
        kind="search",
        module=".search.makespan.annealing.nested",
        about="jobs annealed over nested blocks, if sizes divide one another",
        source="Ringyard",
        random=True,
        starts=True,
    ),
    Method(
        name="block-dive",
        kind="search",
        module=".search.makespan.diving.block_dive",
        about="fractional block patterns, rounded from large jobs to small",
        source="Ringyard, after cutting stock (Gilmore and Gomory 1961)",
        random=True,
    ),
    Method(
        name="cells",
        kind="search",
        module=".search.makespan.shared_servers.cells",
        about="jobs annealed over shared-server patterns: a few servers with fixed rings",
        source="Ringyard",
        random=True,
    ),
    Method(
        name="local-search",
        kind="search",
        module=".search.makespan.annealing.local_search",
        about="order and placement rules annealed, decoded by list scheduling, any instance",
        source="Ringyard",
        random=True,
        starts=True,
        keeps=True,
    ),
    Method(
        name="sjf-bco",
        about="small jobs on the least loaded GPUs, large ones on the least loaded servers",
        source="SJF-BCO (arXiv 2207.07817)",
    ),
    Method(
        name="sjf-bco-proved",
        module=".policies.makespan.sjf_bco:SJF_BCO_PROVED",
        about="the least loaded GPUs are assigned first, and a job starts once they are free",
        source="Ringyard, after SJF-BCO (arXiv 2207.07817)",
    ),
    Method(
        name="first-fit",
        module=".policies.makespan.baselines:FIRST_FIT",
        about="the first idle GPUs, server by server, under a searched load limit",
        source="baseline FF of SJF-BCO (arXiv 2207.07817)",
    ),
    Method(
        name="list-scheduling",
        module=".policies.makespan.baselines:LIST_SCHEDULING",
        about="the least loaded idle GPUs of the cluster, under a searched load limit",
        source="baseline LS of SJF-BCO (arXiv 2207.07817)",
    ),
    Method(
        name="random",
        module=".policies.makespan.baselines:RANDOM",
        about="any idle GPUs, with the horizon as load limit",
        source="baseline RAND of SJF-BCO (arXiv 2207.07817)",
        random=True,
    ),
    Method(
        name="alpha-points",
        kind="rounding",
        module=".search.makespan.rounding:ALPHA_POINTS",
        about="jobs listed by alpha-points of a time-indexed relaxation, with the best alpha",
        source="after Phillips, Stein and Wein 1998",
    ),
    Method(
        name="midpoints",
        kind="rounding",
        module=".search.makespan.rounding:MIDPOINTS",
        about="jobs listed by mean busy times of a time-indexed relaxation",
        source="after Queyranne and Schulz 2006",
    ),
    Method(
        name="raghavan-thompson",
        kind="rounding",
        module=".search.makespan.rounding:RAGHAVAN_THOMPSON",
        about="servers sampled by the shares of the assignment program, best sample kept",
        source="after Raghavan and Thompson 1987",
        random=True,
    ),
    Method(
        name="lenstra-shmoys-tardos",
        kind="rounding",
        module=".search.makespan.rounding:LENSTRA_SHMOYS_TARDOS",
        about="servers by the assignment program, rounded to at most one extra job each",
        source="after Lenstra, Shmoys and Tardos 1990",
    ),
    Method(
        name="enumeration",
        kind="search",
        module=".search.makespan.exact.enumeration",
        about="every schedule of a tiny instance in slotted time, idling included",
        source="Ringyard",
        guarantee="optimal",
        starts=True,
    ),
    Method(
        name="branch-and-bound",
        kind="search",
        module=".search.makespan.exact.branch_and_bound",
        about="rings across servers first, then the other jobs packed around them",
        source="Ringyard",
        guarantee="optimal",
        starts=True,
    ),
    Method(
        name="cp-sat",
        kind="search",
        module=".search.makespan.exact.cp_sat",
        about="interval model with contention by CP-SAT, confirmed by the engine, slotted time",
        source="Ringyard",
        guarantee="optimal",
        starts=True,
    ),
    _program(
        name="nonconvex",
        about="the program as printed, without reformulation",
        source="SJF-BCO (arXiv 2207.07817), (1)-(9)",
        solver="scip",
    ),
    _program(
        name="disjunctive-bigm",
        about="contention as a disjunction, in the big-M form",
        source="SJF-BCO (arXiv 2207.07817), (1)-(9)",
    ),
    _program(
        name="disjunctive-hull",
        about="contention as a disjunction, in the hull form",
        source="SJF-BCO (arXiv 2207.07817), (1)-(9)",
    ),
    _program(
        name="linearised",
        about="the exact linearisation, with computed big-M values",
        source="SJF-BCO (arXiv 2207.07817), (1)-(9), linearised by Ringyard",
    ),
    _program(
        name="patterns",
        about="a stronger program over placements",
        source="Ringyard",
    ),
)

PROGRAMS = (
    Program(
        name="nonconvex",
        about="the program as printed: products, maxima and indicators of integers",
        source="SJF-BCO (arXiv 2207.07817), (1)-(9)",
        form="nonlinear",
        exact=True,
    ),
    Program(
        name="disjunctive",
        about="contention as a disjunction, from which big-M and hull models are derived",
        source="SJF-BCO (arXiv 2207.07817), (1)-(9)",
        form="disjunctive",
        exact=True,
    ),
    Program(
        name="linearised",
        about="exact linearisation with computed big-M, rates by levels of contention",
        source="SJF-BCO (arXiv 2207.07817), (1)-(9), linearised by Ringyard",
        exact=True,
    ),
    Program(
        name="patterns",
        about="a stronger time-indexed form over placements",
        source="Ringyard",
        exact=True,
    ),
    Program(
        name="master",
        about="a choice among all enumerated schedules of the cluster, for tiny instances",
        source="SJF-BCO (arXiv 2207.07817), (10)-(13)",
        exact=True,
    ),
    Program(
        name="occupancy",
        about="a time-indexed relaxation: best-case durations, no contention",
        source="Ringyard",
    ),
    Program(
        name="load-limit",
        about="an assignment of jobs to GPUs under a load limit, bisected",
        source="SJF-BCO (arXiv 2207.07817), (14)-(16)",
    ),
    Program(
        name="columns",
        about="configurations of the cluster, with a linear bound by column generation",
        source="Ringyard",
    ),
    Program(
        name="server-configurations",
        about="configurations of single servers, with a linear bound by column generation",
        source="Ringyard",
    ),
)

CONSTRAINT_MODELS = (
    ConstraintProgram(
        name="pool",
        about="one pool of GPUs and the fewest slots of each job: a relaxation",
        source="Ringyard",
        module=".search.makespan.pool",
    ),
    ConstraintProgram(
        name="rings",
        about="jobs inside servers or as rings over them, with their contention",
        source="Ringyard",
    ),
)

CORPUS = (
    CorpusProgram(
        name="pooled-starts",
        build=".formulations.makespan.fractional:pooled_starts_of",
        letter="h",
    ),
    CorpusProgram(
        name="configurations",
        build=".formulations.makespan.configurations:last_configurations",
    ),
    CorpusProgram(name="servers", build=".formulations.makespan.server_bound:last_servers"),
)

RINGS = ("gang-lpt", "sjf-bco", "first-fit", "list-scheduling", "random")
"""Baselines of suites."""

SUITES = (
    Suite(
        name="makespan-quick",
        version=1,
        about="a few rings on a few servers, for first experiments",
        recipes=(
            Recipe(family="small", options={"jobs": 8, "servers": 4}),
            Recipe(family="knot", options={"jobs": 12, "servers": 4}),
        ),
        baselines=RINGS,
        strong=True,
        time_limit=5.0,
    ),
    Suite(
        name="makespan",
        version=1,
        about="36 to 60 rings: packing, contention, releases, gang sizes that do not divide evenly",
        recipes=(
            Recipe(family="mobihoc", options={"jobs": 60, "servers": 8}),
            Recipe(family="tight", options={"jobs": 40, "servers": 12}),
            Recipe(
                family="tight", options={"jobs": 40, "servers": 12, "communication": Decimal("0.5")}
            ),
            Recipe(
                family="tight", options={"jobs": 48, "servers": 8, "release_slots": Decimal(200)}
            ),
            Recipe(family="knot", options={"jobs": 36, "servers": 8}),
            Recipe(
                family="knot", options={"jobs": 36, "servers": 8, "communication": Decimal("0.5")}
            ),
        ),
        baselines=RINGS,
        strong=True,
    ),
)

MAKESPAN = Family(
    kind="makespan",
    about=(
        "ring-all-reduce jobs that hold all their GPUs from start to end, never move, and slow "
        "each other down if their rings share a server's uplink"
    ),
    objective="makespan",
    unit="slots",
    horizon=True,
    instance=".instances.makespan:MakespanInstance",
    schedule=".instances.makespan:Schedule",
    presets=".instances.makespan.mix:PRESETS",
    extent=_extent,
    rounding=".instances.makespan:rounding_of_starts",
    places=".instances.makespan:PLACES",
    runs=Runs(_runs, _schedule, _grid, lambda one: one.slot_s),
    judge=".analysis.check.makespan:check_makespan",
    rules=".analysis.check.makespan:RULES",
    proofs=".analysis.check.certificates.makespan:RULES",
    theorems=".analysis.guarantees.makespan:MAKESPAN",
    tries="every schedule",
    claims={"assignments.end_slot": "ends", "makespan": "makespan"},
    replanner=".running.replan.makespan",
    extension=".extensions.makespan",
    refusal=".simulation.makespan.evaluate:refusal",
    bounds=".search.makespan.bounds.counting:combinatorial_bounds",
    slow_bounds=".search.makespan.bounds.slow_bounds:slow_bounds",
    all_bounds=".search.makespan.bounds.slow_bounds:all_bounds",
    program_size=_program_size,
    endless="",
    portrait=Portrait("jobs", "GPUs", "slots alone", _point),
    shown=".cli.show.jobs:show_rings",
    verdict_texts=".cli.show.jobs:MAKESPAN_TEXTS",
    chart=".analysis.gantt.makespan:CHART",
    times=took("release_slot"),
    metrics=_metrics,
    examples=(
        "hand-theorem5",
        "hand-lpt",
        "hand-exclusion",
        "hand-contend",
        "hand-spread",
        "hand-overtake",
        "small-06x3",
        "small-08x4",
        "small-10x3",
    ),
    searches=("branch-and-bound",),
    decides="branch-and-bound",
    exact="branch-and-bound",
    drawn=".instances.makespan.mix:random_instance",
    nasty=".testing.makespan:nasty_instance",
    suites=SUITES,
    methods=METHODS,
    default="portfolio",
    programs=PROGRAMS,
    program_sign=1,
    constraint_models=CONSTRAINT_MODELS,
    corpus=CORPUS,
)
