"""What `ringyard show` says of a `rental` instance."""

from decimal import Decimal
from typing import Any

from ...analysis.rental.premises import premises, shape_text, speed_text
from ...families.contracts import Said
from ...instances import FleetInstance, RentalInstance
from ...instances.reading.encode import as_number, decimal_text
from ...instances.speedup import speed_at
from ..shared.output import cell, say, table

SHOWN = (2, 4, 8, 16)
"""Numbers of GPUs whose speed-ups are shown."""


SAID = Said(
    parts=lambda verdict: {
        "mean_gpus": as_number(verdict.mean_gpus),
        "times_h": {name: as_number(hours) for name, hours in verdict.times.items()},
    },
    beside=lambda verdict: ("paid for", f"{cell(verdict.mean_gpus)} GPUs, on average"),
    rest=lambda verdict: f", {cell(verdict.mean_gpus)} GPUs paid for",
)


def show_rental(problem: RentalInstance, most: int) -> None:
    """Print what an instance has."""
    show_budget(problem)
    show_types(problem, most)


def show_budget(problem: RentalInstance | FleetInstance) -> None:
    """Print the budget, the load, and what the theorem needs."""
    load = float(sum(map(sum, problem.loads)))
    budget = f"{decimal_text(problem.budget_gpus)} GPUs on average"
    price = f"{decimal_text(problem.price_per_gpu_h)} for a GPU-hour"
    say(f"budget: {budget}, at {price}; widths {problem.widths}")
    say(f"  with one GPU each, jobs keep {load:.4g} GPUs busy")
    if problem.rescale_s:
        say(f"  a job whose GPUs change stands still for {decimal_text(problem.rescale_s)} s")
    say("one width for each epoch is best, and the bound exact, under these premises:")
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
