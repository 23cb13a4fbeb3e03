"""What `ringyard rent --offer --simulate` prints: the long run beside what the plan expects."""

from ...analysis.intervals import Interval
from ...analysis.tables import Table, columns_of
from ...campaigns.rent.offers_played import OffersPlayed
from ...campaigns.rent.rented import Rented
from ...campaigns.rent.reserved import Reserve
from ...instances.errors import plural
from ..shared.output import percent, say, show_table
from .run import Simulate
from .simulate import spread_of


def tell_offers_played(played: OffersPlayed, found: Rented, run: Simulate) -> None:
    """Print what was measured, beside what the plan expects."""
    metrics, drawn = played.metrics, run.drawing()
    rows = (
        ("mean JCT, h", played.mean_jct_h, float(found.worth.mean_jct)),
        ("spend an hour", played.spend_per_h, float(found.spend_per_h)),
    )
    caption = (
        f"{plural(metrics.jobs, 'job')} with {drawn.arrivals} arrivals and {drawn.sizes} sizes"
    )
    columns = columns_of({"": None, "measured (95 % interval)": 4, "by the plan": 4})
    say()
    show_table(Table(caption=caption, columns=columns, rows=rows))
    say(f"  mean JCT  {float(metrics.mean_jct_h):.4f} h of all jobs; {spread_of(metrics)}")
    if metrics.late_share is not None:
        say(f"  late      {percent(metrics.late_share)} of the jobs that have a deadline")
    say(f"  spend     {metrics.cents / 100:,.2f} in all")
    if played.taken:
        say(f"  taken     {played.taken:,} times a GPU was, and its job stood still")
    if drawn.sizes == "pareto":
        say("  doubt     the sizes' variance is infinite, so the intervals are too narrow")


def tell_reserve_played(measured: Interval | None, kept: Reserve) -> None:
    """Print what GPUs on demand cost with the reserve, as measured."""
    if measured is not None:
        low, high = f"{measured.low:,.2f}", f"{measured.high:,.2f}"
        say(f"  reserved  {measured.mean:,.2f} an hour ({low} to {high}), not {kept.per_h:,.2f}")
