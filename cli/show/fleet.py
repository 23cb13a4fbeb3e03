"""What `ringyard show` says of a `fleet` instance."""

from decimal import Decimal

from ...families.contracts import Said
from ...instances import FleetInstance
from ...instances.errors import plural
from ...instances.reading.encode import as_number, decimal_text
from ..shared.output import say, show_rows, timed
from ..shared.verdict_words import exact_texts
from .rental import show_budget, show_types
from .words import quantiles

SAID = Said(
    parts=lambda verdict: {
        "spend": as_number(verdict.spend),
        "held_gpu_h": as_number(verdict.held),
        "leased_gpu_h": as_number(verdict.leased),
        "ends": exact_texts(verdict.ends),
    },
    beside=lambda verdict: (
        "spend",
        f"{float(verdict.spend):,.2f}, {plural(len(verdict.ends), 'job')} ended",
    ),
    rest=lambda verdict: (
        f", {plural(len(verdict.ends), 'job')} ended, spend {float(verdict.spend):,.2f}"
    ),
)


def show_fleet(problem: FleetInstance, most: int) -> None:
    """Print what an instance has."""
    show_budget(problem)
    show_leases(problem)
    show_types(problem, most)
    show_jobs(problem, most)


def show_leases(problem: FleetInstance) -> None:
    """Print the span, and what leasing is like."""
    span = timed(problem.span_s, f"{float(problem.span_s) / 3600:.4g}", "h")
    say(f"span: {span} in ticks of {decimal_text(problem.tick_s)} s")
    say(f"  all leases together may cost {float(problem.budget):,.2f}")
    size = (
        "any size" if problem.node_gpus is None else f"nodes of {plural(problem.node_gpus, 'GPU')}"
    )
    unit = decimal_text(problem.billing_s or problem.tick_s)
    wait = decimal_text(problem.provision_s)
    say(f"  leases of {size}, of use after {wait} s, billed in multiples of {unit} s")


def show_jobs(problem: FleetInstance, most: int) -> None:
    """Print when jobs arrive, how much work they bring, and the first of them."""
    jobs = problem.jobs
    first, last = min(job.arrival_s for job in jobs), max(job.arrival_s for job in jobs)
    until = timed(last, decimal_text(last))
    say(f"jobs: {len(jobs)}, arriving from {decimal_text(first)} s to {until}")
    works = (Decimal(sum(job.work_s)) for job in jobs)
    say(f"  seconds of work on one GPU, at {quantiles(works)}")
    rows = [
        [
            f"  {job.name}",
            job.type,
            decimal_text(job.arrival_s),
            ", ".join(decimal_text(work) for work in job.work_s),
        ]
        for job in jobs[:most]
    ]
    show_rows(["  job", "type", "arrives", "work"], rows, len(jobs))
