"""Output of `ringyard show` for streams of jobs on rented GPUs: `rental` and `fleet`."""

from decimal import Decimal
from typing import Any

from ...analysis.rental import premises, shape_text, speed_text
from ...families.family import VerdictTexts
from ...instances import FleetInstance, RentalInstance
from ...instances.errors import plural
from ...instances.reading.encode import as_number, decimal_text
from ...instances.speedup import speed_at
from ..shared.output import cell, say, show_rows, table, timed
from ..shared.verdicts import exact_texts
from . import quantiles

SHOWN = (2, 4, 8, 16)
"""Numbers of GPUs whose speed-ups are printed."""


RENTAL_TEXTS = VerdictTexts(
    parts=lambda verdict: {
        "mean_gpus": as_number(verdict.mean_gpus),
        "times_h": {name: as_number(hours) for name, hours in verdict.times.items()},
    },
    beside=lambda verdict: ("paid for", f"{cell(verdict.mean_gpus)} GPUs, on average"),
    rest=lambda verdict: f", {cell(verdict.mean_gpus)} GPUs paid for",
)


def show_rental(problem: RentalInstance, most: int) -> None:
    """Print an instance."""
    show_budget(problem)
    show_types(problem, most)


def show_budget(problem: RentalInstance | FleetInstance) -> None:
    """Print the budget, the load, and the premises of the theorem."""
    load = float(sum(map(sum, problem.loads)))
    budget = f"{decimal_text(problem.budget_gpus)} GPUs on average"
    price = f"{decimal_text(problem.price_per_gpu_h)} per GPU-hour"
    say(f"budget: {budget}, at {price}; widths {problem.widths}")
    say(f"  with one GPU each, jobs keep {load:.4g} GPUs busy")
    if problem.rescale_s:
        say(f"  a job pauses for {decimal_text(problem.rescale_s)} s when its GPUs change")
    say("one width for each epoch is optimal, and the bound exact, under these premises:")
    for premise in premises(problem):
        say(f"  {premise.name}: {f'not met: {premise.unmet}' if premise.unmet else 'met'}")


def show_types(problem: RentalInstance | FleetInstance, most: int) -> None:
    """Print the first types, with a line for each epoch."""
    say(f"types: {len(problem.types)}")
    rows = [row for i in range(min(most, len(problem.types))) for row in _rows(problem, i)]
    if rows:
        speeds = [f"s({gpus})" for gpus in SHOWN]
        heads = ["  type", "per h", "weight", "asks", "epoch", "load", "speed-up", *speeds, "shape"]
        table(heads, rows)
    if len(problem.types) > most:
        say(f"  ... and {len(problem.types) - most} more (--jobs N shows more)")


def _rows(problem: RentalInstance | FleetInstance, i: int) -> list[list[Any]]:

    one = problem.types[i]
    about = [f"  {one.name}", float(problem.rates[i]), float(one.weight), one.asks]
    return [
        [
            *(about if e == 0 else ["", None, None, None]),
            e,
            float(problem.loads[i][e]),
            speed_text(epoch.speedup),
            *(float(speed_at(epoch.speedup, Decimal(gpus))) for gpus in SHOWN),
            shape_text(epoch.speedup),
        ]
        for e, epoch in enumerate(one.epochs)
    ]


FLEET_TEXTS = VerdictTexts(
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
    """Print an instance."""
    show_budget(problem)
    show_leases(problem)
    show_types(problem, most)
    show_jobs(problem, most)


def show_leases(problem: FleetInstance) -> None:
    """Print the span, and the terms of leases."""
    span = timed(problem.span_s, f"{float(problem.span_s) / 3600:.4g}", "h")
    say(f"span: {span} in ticks of {decimal_text(problem.tick_s)} s")
    say(f"  total cost of leases at most {float(problem.budget):,.2f}")
    size = (
        "any size" if problem.node_gpus is None else f"nodes of {plural(problem.node_gpus, 'GPU')}"
    )
    unit = decimal_text(problem.billing_s or problem.tick_s)
    wait = decimal_text(problem.provision_s)
    say(f"  leases of {size}, available after {wait} s, billed in multiples of {unit} s")


def show_jobs(problem: FleetInstance, most: int) -> None:
    """Print the arrivals of jobs, their work, and the first jobs."""
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
