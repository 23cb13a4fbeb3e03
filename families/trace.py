"""Preemptible gang jobs of unknown length, for the least mean completion time."""

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

from ..instances.reading.vocabulary import find
from .family import BoundedMetric, Family, Portrait, Recipe, RunRow, Runs, Suite, took
from .method import CorpusProgram, Method, Program, by_program


def _program_size(one: Any, horizon: Any) -> tuple[str, int, int]:
    # GPUs are counted, but a job's work up to each tick is a sum over all earlier ticks.
    last = find(".formulations.trace.demand:serial_horizon")(one) if horizon is None else horizon
    return "earlier ticks", int(last), int(last)


def _runs(one: Any, plan: Any, ends: Mapping[str, Fraction]) -> Iterator[RunRow]:
    held = {
        job.name: (dict(job.held), job.held_share)
        for job in one.jobs
        if job.held and not job.stopped
    }
    for own in plan.jobs:
        for run in own.runs:
            stop = ends[own.job] if run is own.runs[-1] else Fraction(run.stop_s)
            there = held.get(own.job)
            yield RunRow(
                job=own.job,
                start_s=Fraction(run.start_s),
                end_s=stop,
                gpus=run.gpus,
                half=run.share == "half",
                begun=there is not None,
                going=not run.start_s and there == (dict(run.gpus), run.share),
            )


def _schedule(one: Any, rows: Sequence[RunRow]) -> Any:
    """Return the schedule of these runs. The last run of a job goes on until its work is done."""
    entity, encode = find(".instances.trace"), find(".instances.reading.encode")
    runs: dict[str, list[RunRow]] = {}
    for row in sorted(rows, key=lambda row: row.start_s):
        runs.setdefault(row.job, []).append(row)
    return entity.TraceSchedule(
        instance=one.name,
        digest=encode.digest(one),
        jobs=tuple(
            entity.JobRuns(
                job=job.name,
                runs=tuple(
                    entity.TraceRun(
                        start_s=encode.as_decimal(row.start_s),
                        stop_s=None if row is own[-1] else encode.as_decimal(row.end_s),
                        gpus=row.gpus,
                        share="half" if row.half else "whole",
                    )
                    for row in own
                ),
                end_s=encode.as_decimal(own[-1].end_s),
            )
            for job in one.jobs
            if (own := runs.get(job.name))
        ),
    )


METHODS = (
    Method(
        name="2d-las",
        module=".policies.trace.baselines:TWO_D_LAS",
        about="the job with the least attained GPU-time runs first",
        source="Tiresias (Gu et al., NSDI 2019)",
    ),
    Method(
        name="fifo",
        module=".policies.trace.baselines:FIFO",
        about="in order of arrival, without preemption or overtaking",
        source="folklore",
    ),
    Method(
        name="gandiva",
        about="jobs take turns on servers of their width, with trial sharing and moving",
        source="Gandiva (Xiao et al., OSDI 2018), as in the simulator of Tiresias",
    ),
    Method(
        name="optimus",
        about="GPUs to the jobs whose predicted remaining time falls most, by fitted curves",
        source="Optimus (Peng et al., EuroSys 2018)",
    ),
    Method(
        name="ones",
        about="an evolutionary search of all jobs' GPU numbers, for least remaining GPU-time",
        source="ONES (Bian et al., SC 2021)",
        random=True,
    ),
    Method(
        name="best-effort",
        module=".policies.trace.baselines:BEST_EFFORT",
        about="in order of arrival without preemption, jobs that fit may overtake",
        source="baseline of Tiresias (Gu et al., NSDI 2019)",
    ),
    Method(
        name="backfill",
        module=".policies.trace.backfill:BACKFILL",
        about="in order, jobs that fit may overtake if the first waiting job starts no later",
        source="EASY (Lifka, JSSPP 1995), by the users' limits",
    ),
    Method(
        name="quotas",
        module=".policies.trace.quotas:QUOTAS",
        about="groups have their quotas, borrow idle GPUs, and take theirs back",
        source="the queues of a cohort in Kueue, as recalled",
    ),
    Method(
        name="yarn-cs",
        module=".policies.trace.baselines:YARN_CS",
        about="in order of arrival, on the fewest servers that could hold the job",
        source="baseline of Tiresias, after Apache YARN's capacity scheduler",
    ),
    Method(
        name="sjf",
        module=".policies.trace.baselines:SJF",
        about="smallest job first: by duration, GPUs or their product (option `size`)",
        source="folklore",
    ),
    Method(
        name="srtf",
        module=".policies.trace.baselines:SRTF",
        about="the job with the least remaining time runs first",
        source="Schrage 1968",
    ),
    Method(
        name="srsf",
        module=".policies.trace.baselines:SRSF",
        about="the job with the least remaining GPU-time runs first",
        source="Tiresias (Gu et al., NSDI 2019)",
    ),
    Method(
        name="a-srpt",
        about="in the order in which one virtual machine would end the jobs, by predicted lengths",
        source="A-SRPT (Luo et al., arXiv 2501.05563), as recalled",
    ),
    Method(
        name="elastic-srtf",
        about="GPUs to the job whose end they advance most, jobs with little work left first",
        source="Ringyard, after Schrage 1968",
    ),
    Method(
        name="las",
        module=".policies.trace.baselines:LAS",
        about="the job with the least attained time runs first",
        source="Nuyens and Wierman 2008, as least attained service",
    ),
    Method(
        name="2d-gittins",
        module=".policies.trace.tiresias:TWO_D_GITTINS",
        about="the job most likely to end per GPU-time runs first",
        source="Tiresias, after Gittins 1979",
    ),
    Method(
        name="tiresias-l",
        module=".policies.trace.tiresias:TIRESIAS_L",
        about="queues by attained GPU-time, each ordered by first start",
        source="Tiresias (Gu et al., NSDI 2019)",
    ),
    Method(
        name="tiresias-g",
        module=".policies.trace.tiresias:TIRESIAS_G",
        about="queues by attained GPU-time, each ordered by a Gittins index",
        source="Tiresias (Gu et al., NSDI 2019)",
    ),
    Method(
        name="tiresias-released",
        about="queues by attained service, or lists, by the rules of Tiresias' public simulator",
        source="run_sim.py of the public Tiresias simulator (Gu et al.)",
    ),
    Method(
        name="gavel",
        module=".search.trace.gavel",
        about="shares of the time, kept over rounds, by the rules of Gavel's simulator",
        source="the public simulator of Gavel (Narayanan et al., OSDI 2020)",
    ),
    Method(
        name="allox",
        module=".search.trace.allox",
        about="single GPUs of several kinds have queues with the least mean completion time",
        source="AlloX (Le et al., EuroSys 2020), as in the public simulator of Gavel",
    ),
    Method(
        name="themis",
        module=".search.trace.themis",
        about="GPUs are leased by auctions to the jobs with the worst finish-time ratios",
        source="Themis (Mahajan et al., NSDI 2020), as recalled",
    ),
    Method(
        name="sia",
        module=".search.trace.sia",
        about="kinds and numbers of GPUs of all jobs in rounds, by an integer program of goodputs",
        source="Sia (Jayaram Subramanya et al., SOSP 2023), after its public simulator",
    ),
    Method(
        name="pollux",
        module=".search.trace.pollux",
        about="numbers of GPUs of all jobs in rounds, for the greatest power mean of speed-ups",
        source="Pollux (Qiao et al., OSDI 2021), after its public simulator",
    ),
    Method(
        name="weight-search",
        kind="search",
        about="schedules of elastic-srtf with searched job weights",
        source="Ringyard",
        random=True,
    ),
    Method(
        name="state-search",
        kind="search",
        about="all assignments of jobs to GPUs in every tick, for tiny instances",
        source="Ringyard, after Hart, Nilsson and Raphael 1968",
        guarantee="optimal",
        starts=True,
    ),
    by_program(
        name="tickwise",
        about="program that chooses the running jobs in each tick, if placement does not matter",
        source="Ringyard",
        guarantee="optimal",
        starts=True,
    ),
)

PROGRAMS = (
    Program(
        name="tickwise",
        about="the running jobs in each tick, if placement does not matter",
        source="Ringyard",
        exact=True,
    ),
)

CORPUS = (
    CorpusProgram(name="busy-times", build=".formulations.trace.busy_times:twin_of", letter="k"),
)

SUITES = (
    Suite(
        name="trace",
        version=1,
        about="60 to 80 jobs that arrive over time, may be preempted, and have tails of four laws",
        recipes=(
            Recipe(family="tiresias", options={"jobs": 60, "servers": 4}),
            Recipe(
                family="tiresias",
                options={
                    "jobs": 80,
                    "servers": 8,
                    "server_gpus": 8,
                    "rack_servers": 2,
                    "contention": "racks",
                },
            ),
            Recipe(
                family="philly",
                options={
                    "jobs": 60,
                    "servers": 2,
                    "most_s": Decimal(20000),
                    "gap_s": Decimal(20),
                },
            ),
            Recipe(family="pai", options={"jobs": 60, "servers": 3, "most_s": Decimal(20000)}),
        ),
        baselines=("fifo", "best-effort", "2d-las", "tiresias-l", "srsf"),
        strong=True,
    ),
)

TRACE = Family(
    kind="trace",
    about=(
        "gang jobs of unknown length that arrive over time, may be preempted and moved at a "
        "cost, and whose speed depends on their placement"
    ),
    objective="mean JCT",
    in_full="mean completion time",
    unit="s",
    instance=".instances.trace:TraceInstance",
    schedule=".instances.trace:TraceSchedule",
    presets=".instances.trace.mix:PRESETS",
    extent=lambda one: (len(one.jobs), len(one.servers), one.gpus),
    small=".search.tiny_instances:few_ticks",
    brief="state-search:choices=5000",
    places=".instances.trace:PLACES",
    runs=Runs(_runs, _schedule, lambda one: one.tick_s),
    judge=".analysis.check.trace:check_trace",
    rules=".analysis.check.trace:RULES",
    proofs=".analysis.check.certificates.trace:RULES",
    theorems=".analysis.guarantees.trace:TRACE",
    tries="every tick",
    claims={"jobs.end_s": "ends", "mean_jct_s": "objective"},
    replanner=".running.replan.trace",
    extension=".extensions.trace",
    refusal=".simulation.trace.build:refusal",
    bounds=".search.trace.bounds:combinatorial_bounds",
    slow_bounds=".search.trace.plan_bound:slow_bounds",
    bounded={
        "makespan_s": BoundedMetric(
            unit="s",
            bounds=".search.trace.bounds:makespan_bounds",
            proofs=".analysis.check.certificates.trace:MAKESPAN_RULES",
            value=".analysis.trace:makespan",
        )
    },
    program_size=_program_size,
    endless="",
    portrait=Portrait("jobs", "GPUs", "duration, s", lambda _, job: (job.gpus, job.duration_s)),
    shown=".cli.show.jobs:show_trace",
    detailed=".cli.show.jobs:show_waits",
    verdict_texts=".cli.show.jobs:TRACE_TEXTS",
    chart=".analysis.gantt.trace:CHART",
    times=took("arrival_s"),
    metrics=".analysis.trace:columns",
    examples=("tiny-trace-03x1", "tiny-trace-04x2", "tiresias-example"),
    searches=("state-search",),
    exact="state-search",
    drawn=".instances.trace.mix:random_trace",
    suites=SUITES,
    methods=METHODS,
    default="srsf",
    programs=PROGRAMS,
    corpus=CORPUS,
)
