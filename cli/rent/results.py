"""What `ringyard rent` shows, and what it writes."""

from collections.abc import Sequence

from ...analysis.rental.tables import CurvePoint, curve_table, draw_curve, plan_table
from ...analysis.rental.words import counted_gpus, time_text
from ...analysis.tables import Table
from ...campaigns.rent.curve import classes_of
from ...campaigns.rent.rented import HOURS_OF_MONTH, Rented
from ..shared.options import write_noun
from ..shared.output import percent, say, show_table
from ..shared.tables import draw_to, write_table
from .options import RentFiles

SHOWN = 30
"""The most types that are shown, those with most of the spend; files have all."""


def types_table(found: Rented, *, most: int | None = None) -> Table:
    """Return the table of types; if `most` is given, of those that most is spent on."""
    facts = found.facts
    if most is not None and len(facts) > most:
        facts = tuple(sorted(facts, key=lambda one: -one.share)[:most])
    return plan_table(facts, f"What {_gpus(found)} on average buy: {found.instance.name}")


def budgets_table(found: Rented, points: Sequence[CurvePoint]) -> Table:
    """Return the table of the trade-off curve."""
    caption = f"The least mean completion time by budget: {found.instance.name}"
    return curve_table(points, classes_of(found.instance), caption)


def _gpus(found: Rented) -> str:
    return counted_gpus(float(found.instance.budget_gpus))


def tell(found: Rented) -> None:
    """Print the plan and what it is worth."""
    show_table(types_table(found, most=SHOWN))
    if len(found.facts) > SHOWN:
        say(f"and {len(found.facts) - SHOWN:,} types more, on which less is spent: --csv FILE\n")
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
    say(f"  spend     {hour:,.2f} an hour, {float(month):,.2f} a month of {HOURS_OF_MONTH} hours")
    margin = "-, as the time limit was too short"
    if saves is not None:
        margin = f"one GPU more saves {time_text(saves)} of mean JCT, "
        margin += f"1.00 more an hour {time_text(saves / price)}"
    say(f"  margin    {margin}")
    met = [one.name for one in found.premises if not one.unmet]
    say(f"  met       {'; '.join(met) or '-'}")
    for one in found.premises:
        if one.unmet:
            say(f"  not met   {one.name}: {one.unmet}")
    say(f"  checked   {'valid' if answer.valid else 'INVALID'}")


def write(found: Rented, table: Table, points: Sequence[CurvePoint], files: RentFiles) -> None:
    """Write the files that are asked for."""
    write_table(table, "tab:rent", files.latex, files.csv)
    if files.plot is not None:
        price = float(found.instance.price_per_gpu_h)
        draw_to(files.plot, draw_curve, found.instance.name, points, found.point, price)
    if files.out is not None:
        write_noun(found.answer.schedule, files.out)
    if files.save_instance is not None:
        write_noun(found.instance, files.save_instance)
