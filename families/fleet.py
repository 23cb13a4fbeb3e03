"""Streams of jobs as they arrive, and GPUs leased for them under a budget."""

from .family import Family, Portrait, Recipe, Suite, took
from .method import Method

METHODS = (
    Method(
        name="portfolio",
        kind="search",
        module=".search.fleet",
        about="the best log of all methods below, or of the quick ones if there are many jobs",
        source="Ringyard",
        random=True,
    ),
    Method(
        name="boa",
        module=".policies.fleet.planned:BOA",
        about="every job starts at once, with the GPUs that the program gives its type",
        source="BOA (arXiv 2406.15560), with more general widths",
        random=True,
    ),
    Method(
        name="boa-integer",
        module=".policies.fleet.planned:BOA_INTEGER",
        about="integer widths, at most one type has two, by random choice or in sequence",
        source="Ringyard, after BOA (arXiv 2406.15560)",
        random=True,
    ),
    Method(
        name="boa-online",
        module=".policies.fleet.planned:BOA_ONLINE",
        about="loads estimated from past arrivals, widths recomputed every hour",
        source="Ringyard, after BOA (arXiv 2406.15560)",
        random=True,
    ),
    Method(
        name="equal-width",
        module=".policies.fleet.planned:EQUAL_WIDTH",
        about="every job starts at once, all with the same number of GPUs",
        source="folklore",
    ),
    Method(
        name="as-asked",
        module=".policies.fleet.planned:AS_ASKED",
        about="every job starts at once, with as many GPUs as requested, whatever the cost",
        source="folklore",
    ),
    Method(
        name="static-fifo",
        module=".policies.fleet.static:STATIC_FIFO",
        about="a cluster of fixed size, jobs as wide as requested, first come, first served",
        source="folklore",
    ),
    Method(
        name="static-fair",
        module=".policies.fleet.static:STATIC_FAIR",
        about="a cluster of fixed size, shared equally by all jobs",
        source="folklore",
    ),
    Method(
        name="static-las",
        module=".policies.fleet.static:STATIC_LAS",
        about="a cluster of fixed size, jobs with the least attained service first",
        source="2D-LAS of Tiresias (NSDI 2019)",
    ),
    Method(
        name="pollux",
        about="GPUs to the jobs that gain most speed, in rounds, while they use them efficiently",
        source="Ringyard, after Pollux (OSDI 2021)",
    ),
)

SUITES = (
    Suite(
        name="fleet",
        version=1,
        about="60 jobs of several types on GPUs leased under a budget",
        recipes=(
            Recipe(family="fleet-amdahl", options={"jobs": 60}),
            Recipe(family="fleet-mixed", options={"jobs": 60}),
            Recipe(family="fleet-pollux", options={"jobs": 60}),
        ),
        baselines=("boa-integer", "equal-width", "as-asked", "static-fair", "pollux"),
    ),
)

FLEET = Family(
    kind="fleet",
    about=(
        "streams of jobs as they arrive, and GPUs leased for them under a budget. The answer is "
        "a log of leases and runs, valued by its events"
    ),
    objective="mean JCT",
    in_full="mean completion time",
    unit="h",
    instance=".instances.fleet:FleetInstance",
    schedule=".instances.fleet:FleetLog",
    presets=".instances.rental.mix:FLEETS",
    judge=".analysis.check.fleet:check_fleet",
    rules=".analysis.check.fleet:RULES",
    proofs=".analysis.check.certificates.rental:RULES",
    claims={"jobs.end_s": "ends", "mean_jct_h": "mean_jct", "spend": "spend"},
    extension=".extensions.fleet",
    bounds=".search.rental.bounds:combinatorial_bounds",
    portrait=Portrait(
        "jobs",
        "arrival, h",
        "work, GPU-hours",
        lambda _, job: (float(job.arrival_s) / 3600, float(sum(job.work_s)) / 3600),
    ),
    shown=".cli.show.rented:show_fleet",
    verdict_texts=".cli.show.rented:FLEET_TEXTS",
    chart=".analysis.gantt.fleet:CHART",
    times=took("arrival_s", unit=3600),
    metrics=".analysis.fleet:columns",
    examples=("boa-two-types-fleet",),
    drawn=".instances.rental.mix:random_fleet",
    suites=SUITES,
    methods=METHODS,
    default="portfolio",
)
