"""Streams of jobs and GPUs rented under a budget. The answer is a plan of widths."""

from typing import Any

from ..instances.reading.vocabulary import find
from .family import Family, Portrait
from .method import CorpusProgram, Method, Program, by_program


def _metrics(_: Any, verdict: Any) -> dict[str, Any]:
    return {"mean_gpus": find(".instances.reading.encode:as_number")(verdict.mean_gpus)}


METHODS = (
    Method(
        name="boa",
        module=".policies.rental.boa:BOA",
        about="every job starts at once, with the best widths of its type for the budget",
        source="BOA (arXiv 2406.15560), with more general widths",
    ),
    Method(
        name="boa-integer",
        module=".policies.rental.boa:BOA_INTEGER",
        about="integer widths, the work of at most one epoch of one type is split over two",
        source="Ringyard, after BOA (arXiv 2406.15560)",
    ),
    Method(
        name="boa-pure",
        module=".policies.rental.boa:BOA_PURE",
        about="one integer width for each epoch of each type, rounded, then improved",
        source="Ringyard, after BOA (arXiv 2406.15560)",
    ),
    Method(
        name="boa-resize",
        module=".policies.rental.boa:BOA_RESIZE",
        about="widths change between epochs only if that is worth the pause",
        source="Ringyard, after BOA (arXiv 2406.15560)",
    ),
    Method(
        name="convex",
        kind="program",
        module=".search.rental.programs:CONVEX",
        about="the convex program of hours and GPU-hours, by CVXPY",
        source="BOA (arXiv 2406.15560), convex forms by Ringyard",
    ),
    by_program(
        name="shares",
        about="linear program of shares of work by integer width",
        source="Ringyard, after BOA (arXiv 2406.15560)",
    ),
    by_program(
        name="pure-widths",
        about="one integer width for each epoch of each type, the best of all such plans",
        source="Ringyard, after BOA (arXiv 2406.15560)",
        formulation="pure",
    ),
    Method(
        name="equal-width",
        module=".policies.rental.boa:EQUAL_WIDTH",
        about="the same number of GPUs for every job, as many as the budget allows",
        source="folklore",
    ),
    Method(
        name="as-asked",
        module=".policies.rental.boa:AS_ASKED",
        about="as many GPUs for a job as requested, if the budget allows",
        source="folklore",
    ),
)

PROGRAMS = (
    Program(
        name="shares",
        about="shares of work by integer width, a relaxed multiple-choice knapsack",
        source="Ringyard, after BOA (arXiv 2406.15560)",
        exact=True,
    ),
    Program(
        name="pure",
        about="one integer width for each type of jobs, a multiple-choice knapsack",
        source="Ringyard, after BOA (arXiv 2406.15560)",
    ),
)

CORPUS = (CorpusProgram(name="cones", build=".formulations.rental.cones:cones", conic=True),)

RENTAL = Family(
    kind="rental",
    about=(
        "streams of jobs with rates, mean work and speed-ups, and GPUs rented under a budget that "
        "holds on average over time. The answer is a plan of widths, valued by formula"
    ),
    objective="mean JCT",
    in_full="mean completion time",
    unit="h",
    instance=".instances.rental:RentalInstance",
    schedule=".instances.rental:RentalPlan",
    presets=".instances.rental.mix:RENTALS",
    extent=lambda one: (len(one.types), None, 0),
    judge=".analysis.check.rental:check_rental",
    rules=".analysis.check.rental:RULES",
    proofs=".analysis.check.certificates.rental:RULES",
    theorems=".analysis.guarantees.rental:RENTAL",
    claims={"mean_jct_h": "mean_jct", "mean_gpus": "mean_gpus"},
    extension=".extensions.rental",
    bounds=".search.rental.bounds:combinatorial_bounds",
    portrait=Portrait(
        "types",
        "arrivals per hour",
        "work, GPU-hours",
        lambda _, one: (one.rate_per_h, sum(epoch.work_h for epoch in one.epochs)),
    ),
    shown=".cli.show.rented:show_rental",
    verdict_texts=".cli.show.rented:RENTAL_TEXTS",
    chartless=(
        "a plan of widths has no times to draw. Draw the trade-off curve with ringyard rent {} "
        "--plot curve.svg, or solve a fleet"
    ),
    metrics=_metrics,
    examples=("boa-two-types", "rental-small-s0", "rental-whole-s0", "rental-stepped"),
    drawn=".instances.rental.mix:random_rental",
    methods=METHODS,
    default="boa",
    programs=PROGRAMS,
    corpus=CORPUS,
)
