"""`ringyard rent`: the best mean time for a budget of rented GPUs, and for other budgets."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ...analysis.rental import counted_gpus, time_text
from ...analysis.rental.tables import CurvePoint, curve_table, draw_curve, plan_table
from ...analysis.tables.model import Table
from ...campaigns.rent.budget import (
    HOURS_OF_MONTH,
    BudgetRange,
    BudgetRequest,
    Rented,
    asked,
    classes_of,
    curve_points,
    fine,
    rented,
    streamed,
)
from ...campaigns.rent.long_run import budget_for_terms
from ...instances import NO_LIMITS, Limits, RentalInstance
from ...instances.errors import raise_any
from ...interrupts import keeping
from ..shared.options import AsJson, draw_to, write_table
from ..shared.output import emit, note, percent, say, show_table
from .offers import OFFERS, OfferOptions, refused_with_offers, rent_offers
from .options import (
    BUDGET,
    CURVE,
    FILES,
    SIMULATE,
    BudgetOptions,
    CurveOptions,
    FileOptions,
    SimulationOptions,
    refuse,
)
from .simulate import show_simulation, simulation


def rent_command(
    instance: str,
    /,
    *,
    ask: BudgetOptions = BUDGET,
    curve: CurveOptions = CURVE,
    files: FileOptions = FILES,
    run: SimulationOptions = SIMULATE,
    offers: OfferOptions = OFFERS,
    json: AsJson = False,
) -> int:
    """Plan the GPUs of each job type for the least mean completion time within a budget.

    Prints widths, completion times and spend by type, the certified bound, the saving per
    additional GPU, and if the theorem's premises hold. The exit code is 1 if the judge rejects the
    plan, or if a simulation costs more than the budget.

    Parameters
    ----------
    instance
        A `rental` instance: a catalogue name, or a file. For a `fleet` instance, the rates and the
        work of its jobs are used.
    """
    refuse(instance, ask, curve, files, run)

    given = streamed(instance)
    if offers.given:
        raise_any("ringyard rent", refused_with_offers(given, offers, ask, curve, files, run))
        return rent_offers(given, ask, offers, files, run, json)
    request = BudgetRequest(
        gpus=ask.budget,
        per_hour=ask.dollars_per_hour,
        target_h=ask.target_jct,
        whole=ask.whole,
        rescale_s=ask.rescale_s,
    )
    steps = [
        ask.target_jct is not None,
        True,
        curve.curve,
        bool(files.plot),
        run.policy is not None,
        run.for_terms,
    ]
    shares = Limits(time_s=ask.time_limit).shares(sum(steps))
    limits = next(shares) if steps[0] else NO_LIMITS
    problem = asked(given, request, limits)
    if limits.over():
        note("note: the time limit was reached. This budget suffices, but a smaller one may too.")
    terms = None
    if run.for_terms:
        terms = budget_for_terms(given, problem, run.drawing(), next(shares))
    chosen = problem if terms is None else replace(problem, budget_gpus=terms.gpus)
    found = rented(given, chosen, next(shares))
    wanted = BudgetRange(points=curve.points, low=curve.from_, high=curve.to)
    points = _curve(problem, wanted, next(shares)) if curve.curve else []
    table = types_table(found)
    if curve.curve:
        caption = f"The least mean completion time by budget: {found.instance.name}"
        table = curve_table(points, classes_of(found.instance), caption)
    drawn = _curve(problem, fine(problem, wanted), next(shares)) if files.plot else []
    write(found, table, drawn, files)
    measured, stopped = None, False
    if run.simulate:
        try:
            with keeping():
                measured = simulation(given, problem, found, run, shares)
        except KeyboardInterrupt:
            stopped = True
    if json:
        more: dict[str, Any] = {} if measured is None else {"simulated": measured.plain()}
        more |= {} if terms is None else {"for_terms": terms.plain()}
        emit({**found.plain(), "curve": [one.plain() for one in points], **more})
    else:
        show_plan(found)
        if curve.curve:
            say()
            show_table(table)
        if measured is not None:
            show_simulation(measured, found, given, run, terms)
    if stopped:
        note("interrupted: the simulation is left out")
        return 130
    over = measured is not None and measured.over_per_h is not None
    over |= terms is not None and not terms.fits
    return 1 if over or not found.answer.valid else 0


def _curve(instance: RentalInstance, wanted: BudgetRange, limits: Limits) -> list[CurvePoint]:
    """Return the points of the curve, and report how many the time limit left out."""
    points = curve_points(instance, wanted, limits)
    if limits.over() and len(points) < wanted.points:
        note(
            f"note: time limit reached after {len(points)} of {wanted.points} budgets of the curve"
        )
    return points


SHOWN = 30
"""Most types that are printed, by spend. Files list all."""


def types_table(found: Rented, *, most: int | None = None) -> Table:
    """Return the table of types. If `most` is given, only the ones with the highest spend."""
    facts = found.facts
    if most is not None and len(facts) > most:
        facts = tuple(sorted(facts, key=lambda one: -one.share)[:most])
    return plan_table(facts, f"Plan for {_gpus(found)} on average: {found.instance.name}")


def _gpus(found: Rented) -> str:
    return counted_gpus(float(found.instance.budget_gpus))


def show_plan(found: Rented) -> None:
    """Print the plan and its value."""
    show_table(types_table(found, most=SHOWN))
    if len(found.facts) > SHOWN:
        say(f"and {len(found.facts) - SHOWN:,} more types with less spend: --csv FILE\n")
    answer, jct = found.answer, float(found.worth.mean_jct)
    month = found.spend_per_h * int(HOURS_OF_MONTH)
    price = float(found.instance.price_per_gpu_h)
    text = time_text(jct)
    say(f"  mean JCT  {jct:.4f} h" + ("" if text.endswith(" h") else f" ({text})"))
    bound = answer.bound
    say(f"  bound     {float(bound.value):.4f} h ({bound.kind}: {bound.argument})")
    say(f"  gap       {percent(answer.gap)}")
    paid = counted_gpus(float(found.worth.mean_gpus))
    say(f"  paid for  {paid} on average, of {_gpus(found)}")
    hour, saves = float(found.spend_per_h), found.point.saves_h
    say(
        f"  spend     {hour:,.2f} per hour, {float(month):,.2f} per month of {HOURS_OF_MONTH} hours"
    )
    marginal = "unknown, because the time limit was too short"
    if saves is not None:
        marginal = f"one more GPU saves {time_text(saves)} of mean JCT, "
        marginal += f"and 1.00 more per hour {time_text(saves / price)}"
    say(f"  marginal  {marginal}")
    met = [one.name for one in found.premises if not one.unmet]
    say(f"  met       {'; '.join(met) or '-'}")
    for one in found.premises:
        if one.unmet:
            say(f"  not met   {one.name}: {one.unmet}")
    say(f"  checked   {'valid' if answer.valid else 'INVALID'}")


def write(found: Rented, table: Table, points: Sequence[CurvePoint], files: FileOptions) -> None:
    """Write the requested files."""
    write_table(table, "tab:rent", files.latex, files.csv)
    if files.plot is not None:
        price = float(found.instance.price_per_gpu_h)
        draw_to(files.plot, draw_curve, found.instance.name, points, found.point, price)
    files.write(found.answer.schedule, found.instance)
