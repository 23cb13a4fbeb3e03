"""Jobs with workers and parameter servers that arrive over time, for the greatest utility."""

from math import inf
from statistics import median
from typing import Any

from .family import Family, Portrait, Recipe, Suite
from .method import CorpusProgram, Method, Program


def _times(one: Any, verdict: Any) -> list[float]:
    """Return the slots from arrival to completion, at least 1."""
    last = verdict.completions
    return [float(last.get(job.name, inf) + 1 - job.arrival_slot) for job in one.jobs]


def _metrics(one: Any, verdict: Any) -> dict[str, Any]:
    ends = verdict.completions
    took = [ends[job.name] - job.arrival_slot + 1 for job in one.jobs if job.name in ends]
    return {"completed": len(took), "median_slots": median(took) if took else None}


METHODS = (
    Method(
        name="order-search",
        kind="search",
        about="all jobs known in advance, with plans in a searched order",
        source="Ringyard",
        random=True,
        starts=True,
    ),
    Method(
        name="column-generation",
        kind="search",
        about="schedules by PD-ORS's dynamic program at searched prices, then the best of them",
        source="Ringyard, after the dual of PD-ORS",
        random=True,
        starts=True,
    ),
    Method(
        name="pd-ors-corrected",
        module=".policies.online.pd_ors:PD_ORS_CORRECTED",
        about="PD-ORS with proved prices, and plans from integer hulls",
        source="Ringyard, after PD-ORS",
        random=True,
    ),
    Method(
        name="pd-ors-flat",
        module=".policies.online.pd_ors:PD_ORS_FLAT",
        about="PD-ORS with prices that are flat first, as for online knapsacks",
        source="Ringyard, after Zhou, Chakrabarty and Lukose 2008",
        random=True,
    ),
    Method(
        name="pd-ors",
        about="each job priced at its arrival, and admitted if its best schedule pays",
        source="PD-ORS",
        random=True,
    ),
    Method(
        name="oasis",
        about="admission by exponential prices, workers and servers on separate machines",
        source="OASiS",
    ),
    Method(
        name="fifo",
        module=".policies.online.baselines:FIFO",
        about="in order of arrival, a fixed number of workers each, kept to the end",
        source="baseline of OASiS and PD-ORS",
        random=True,
    ),
    Method(
        name="drf",
        module=".policies.online.baselines:DRF",
        about="the next worker to the job with the least dominant share, in each slot",
        source="Ghodsi et al. 2011, baseline of PD-ORS",
    ),
    Method(
        name="dorm",
        module=".policies.online.baselines:DORM",
        about="the highest utilisation within limits on unfairness and on adjustments",
        source="Dorm (Sun et al. 2017), baseline of PD-ORS",
    ),
    Method(
        name="rrh",
        about="a fixed number of workers each, started by value now less what it costs others",
        source="after Irwin, Grit and Chase 2004, baseline of OASiS",
        random=True,
    ),
    Method(
        name="offline",
        kind="program",
        module=".search.online.offline",
        about="all jobs known in advance, all slots in one program",
        source="PD-ORS, (B1)-(B5), linearised by Ringyard",
        guarantee="optimal",
        formulation="offline",
        solver="highs",
        starts=True,
    ),
)

PROGRAMS = (
    Program(
        name="offline",
        about="all slots at once, every arrival known",
        source="PD-ORS, (B1)-(B5), rates by Ringyard, from the choice of place",
        exact=True,
    ),
    Program(
        name="schedules",
        about="whole schedules of jobs as columns, with dual variables as prices",
        source="PD-ORS, OASiS",
        exact=True,
    ),
    Program(
        name="oasis",
        about="workers and parameter servers always across machines",
        source="OASiS",
    ),
)

CORPUS = (
    CorpusProgram(name="slot", build=".formulations.online.slot_program:drawn_twin", letter="j"),
    CorpusProgram(
        name="ratio-cones",
        build=".formulations.online.sum_of_ratios:ratio_cones_of",
        letter="j",
        conic=True,
    ),
)

SUITES = (
    Suite(
        name="online",
        version=1,
        about="12 to 25 jobs with workers and servers, whose value falls with their completion",
        recipes=(
            Recipe(family="pdors-small", options={"jobs": 12, "machines": 4}, times=3),
            Recipe(family="pdors-small", options={"jobs": 20, "machines": 6}, times=3),
            Recipe(family="pdors", options={"jobs": 25, "machines": 25, "slots": 12}),
        ),
        baselines=("fifo", "drf", "dorm", "oasis", "pd-ors"),
    ),
)

ONLINE = Family(
    kind="online",
    about=(
        "jobs with workers and parameter servers that arrive over time, on machines with several "
        "resources. The value of a job falls with its completion time"
    ),
    objective="utility",
    maximize=True,
    instance=".instances.online:OnlineInstance",
    schedule=".instances.online:OnlineSchedule",
    presets=".instances.online.mix:PRESETS",
    extent=".instances.size:of_machines",
    small=".search.tiny_instances:few_slots",
    places=".instances.online:PLACES",
    judge=".analysis.check.online:check_online",
    rules=".analysis.check.online:RULES",
    proofs=".analysis.check.certificates.online:RULES",
    theorems=".analysis.guarantees.online:ONLINE",
    premise=".campaigns.verifying.online:unmet_premise",
    roundings=".campaigns.verifying.online:verify_rounding",
    rounded=("pd-ors", "pd-ors-corrected"),
    claims={
        "admissions.completion_slot": "completions",
        "admissions.utility": "utilities",
        "utility": "objective",
    },
    extension=".extensions.online",
    refusal=".simulation.online:refusal",
    bounds=".search.online.bounds:combinatorial_bounds",
    slow_bounds=".search.online.dual_bound:slow_bounds",
    program_size=lambda one, _: ("machines", len(one.machines), one.horizon_slots),
    endless="the horizon is part of the instance",
    portrait=Portrait(
        "jobs", "arrival, slots", "samples", lambda _, job: (job.arrival_slot, job.work)
    ),
    shown=".cli.show.jobs:show_online",
    verdict_texts=".cli.show.jobs:ONLINE_TEXTS",
    chart=".analysis.gantt.online:CHART",
    times=_times,
    metrics=_metrics,
    examples=("hand-online-trap", "pdors-small-06x3x6", "pdors-s0", "pdors-roomy-s0"),
    decides="offline",
    exact="offline",
    drawn=".instances.online.mix:random_market",
    suites=SUITES,
    methods=METHODS,
    default="order-search",
    programs=PROGRAMS,
    program_sign=-1,
    corpus=CORPUS,
)
