"""The rules of a `fleet` log: one function each, its docstring the rule.

A rule yields (where, amount) for every breach; times are seconds.
"""

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from ..judge import ONE, Breaches, Rule, excesses, instance_digest, misclaimed
from ..rental.speed import misfit
from ..runs import (
    RunsCase,
    after_end,
    arrival,
    backward,
    claimed_ends,
    entered_once,
    in_order,
    off_ticks,
)
from .leases import PARTS, steps_of
from .timeline import FULL

THOUSANDTH = Decimal("0.001")


@dataclass(frozen=True, slots=True, kw_only=True)
class FleetCase(RunsCase):
    """The same, and what all leases cost."""

    spend: Fraction


def known_names(case: FleetCase) -> Breaches:
    """Every job that the log names is in the instance."""
    for i, entry in enumerate(case.schedule.jobs):
        if entry.job not in case.jobs:
            yield case.place(i), ONE


def logged_once(case: FleetCase) -> Breaches:
    """Every job has one entry."""
    yield from entered_once(case)


def ticks(case: FleetCase) -> Breaches:
    """Runs and leases start and stop at whole ticks."""
    for i, k, run, _ in case.runs():
        yield from off_ticks(case, case.place(i, k), run)
    for i, lease in enumerate(case.schedule.leases):
        yield from off_ticks(case, f"leases[{i}]", lease)


def order(case: FleetCase) -> Breaches:
    """Runs and leases stop after their start, and a job's runs follow each other."""
    yield from in_order(case)
    for i, lease in enumerate(case.schedule.leases):
        yield from backward(case, f"leases[{i}]", lease)


def widths(case: FleetCase) -> Breaches:
    """A run has 1 to 1,000,000 GPUs, in thousandths, or whole ones if `widths` is "whole"."""
    grain = Decimal(1) if case.instance.widths == "whole" else THOUSANDTH
    for i, k, run, _ in case.runs():
        over = misfit(run.gpus, grain)
        if over:
            yield case.place(i, k), over


def nodes(case: FleetCase) -> Breaches:
    """A lease is of whole nodes, or of thousandths of a GPU if there are none."""
    node = case.instance.node_gpus
    grain = Fraction(1, PARTS) if node is None else Fraction(node)
    for i, lease in enumerate(case.schedule.leases):
        over = Fraction(lease.gpus) % grain
        if over or lease.gpus <= 0:
            yield f"leases[{i}]", min(over, grain - over) or grain - Fraction(lease.gpus)


def capacity(case: FleetCase) -> Breaches:
    """Runs hold no more GPUs than leases have ready, at any moment."""
    held = (one for life in case.lives for one in life.held)
    steps = steps_of(case.instance, case.schedule, held, case.ticks)
    for excess in excesses(steps, 0):
        end = "..." if excess.end is None else case.ticks.text(excess.end)
        yield f"seconds [{case.ticks.text(excess.start)}, {end})", Fraction(excess.gpus, PARTS)


def completes(case: FleetCase) -> Breaches:
    """The runs of a job do all its work; the amount is what is left, on one GPU."""
    for life in case.lives:
        if life.end is None:
            yield case.place(life.entry), Fraction(sum(life.left), FULL) * case.ticks.seconds


def budget(case: FleetCase) -> Breaches:
    """All leases together cost no more than the budget; the amount is money."""
    over = case.spend - case.instance.budget
    if over > 0:
        yield "leases", over


def claims(case: FleetCase) -> Breaches:
    """A claimed end, mean completion time or cost is what comes of the runs and leases."""
    yield from claimed_ends(case)
    yield from misclaimed("mean_jct_h", case.schedule.mean_jct_h, case.mean_jct)
    yield from misclaimed("spend", case.schedule.spend, case.spend)


ALL: tuple[Rule, ...] = (
    instance_digest,
    known_names,
    logged_once,
    ticks,
    order,
    arrival,
    widths,
    nodes,
    capacity,
    completes,
    after_end,
    budget,
    claims,
)
"""Every rule, in the order in which violations are reported."""

RULES: dict[str, str] = {rule.__name__: str(rule.__doc__) for rule in ALL}
"""What each rule says, by its name."""
