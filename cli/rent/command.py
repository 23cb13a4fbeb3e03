"""`ringyard rent`: what a budget for rented GPUs buys, and what another would."""

from dataclasses import replace
from typing import Any

from ...analysis.rental.tables import CurvePoint
from ...campaigns.rent.asked import BudgetRequest, asked, streamed
from ...campaigns.rent.curve import BudgetRange, curve_points, fine
from ...campaigns.rent.rented import rented
from ...campaigns.rent.terms import budget_for_terms
from ...instances import NO_LIMITS, Limits, RentalInstance
from ...instances.errors import raise_any
from ...interrupts import keeping
from ..shared.options import AsJson
from ..shared.output import emit, note, say, show_table
from .offers import OFFERS, Offered, refused_with_offers, rent_offers
from .options import ALONG, ASK, FILES, Asked, Stretched, Written, refuse
from .results import budgets_table, tell, types_table, write
from .run import SIMULATE, LongRun
from .simulate import simulation, tell_simulation


def rent_command(
    instance: str,
    /,
    *,
    ask: Asked = ASK,
    along: Stretched = ALONG,
    files: Written = FILES,
    run: LongRun = SIMULATE,
    offers: Offered = OFFERS,
    json: AsJson = False,
) -> int:
    """Say how many GPUs jobs of each type should hold, so that a budget buys the least mean time.

    Shows widths, completion times and spend by type, the certified bound, what one GPU more would
    save, and whether the theorem behind it holds here. Ends with exit code 1 if the judge rejects
    the plan, or if a simulation costs more than the budget.

    Parameters
    ----------
    instance
        A `rental` instance: a name of the catalogue, or a file. Of a `fleet` instance, the rates
        and the work of its own jobs.
    """
    refuse(instance, ask, along, files, run)

    given = streamed(instance)
    if offers.given:
        raise_any("ringyard rent", refused_with_offers(given, offers, ask, along, files, run))
        return rent_offers(given, ask, offers, files, run, json)
    wish = BudgetRequest(
        gpus=ask.budget,
        per_hour=ask.dollars_per_hour,
        target_h=ask.target_jct,
        whole=ask.whole,
        rescale_s=ask.rescale_s,
    )
    steps = [
        ask.target_jct is not None,
        True,
        along.curve,
        bool(files.plot),
        run.policy is not None,
        run.for_terms,
    ]
    shares = Limits(time_s=ask.time_limit).shares(sum(steps))
    limits = next(shares) if steps[0] else NO_LIMITS
    problem = asked(given, wish, limits)
    if limits.over():
        note("note: the time was up: this budget is enough, and may not be the least")
    terms = None
    if run.for_terms:
        terms = budget_for_terms(given, problem, run.drawing(), next(shares))
    chosen = problem if terms is None else replace(problem, budget_gpus=terms.gpus)
    found = rented(given, chosen, next(shares))
    wanted = BudgetRange(points=along.points, low=along.from_, high=along.to)
    points = _curve(problem, wanted, next(shares)) if along.curve else []
    table = budgets_table(found, points) if along.curve else types_table(found)
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
        told: dict[str, Any] = {} if measured is None else {"simulated": measured.plain()}
        told |= {} if terms is None else {"for_terms": terms.plain()}
        emit({**found.plain(), "curve": [one.plain() for one in points], **told})
    else:
        tell(found)
        if along.curve:
            say()
            show_table(table)
        if measured is not None:
            tell_simulation(measured, found, given, run, terms)
    if stopped:
        note("interrupted: the simulation is left out")
        return 130
    over = measured is not None and measured.over_per_h is not None
    over |= terms is not None and not terms.fits
    return 1 if over or not found.answer.valid else 0


def _curve(instance: RentalInstance, wanted: BudgetRange, limits: Limits) -> list[CurvePoint]:
    """Return the points of the curve, and say how many there was no time for."""
    points = curve_points(instance, wanted, limits)
    if limits.over() and len(points) < wanted.points:
        note(f"note: the time was up after {len(points)} of {wanted.points} budgets of the curve")
    return points
