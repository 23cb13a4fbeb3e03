"""The chart in one HTML page, with its numbers and a table of sends."""

from fractions import Fraction
from html import escape

from ....instances.errors import visible
from ..header import fault_line
from ..page import MAX_ROWS, Table, write_page
from ..shapes import Picture
from ..words import fit, number, percent
from .facts import SendBars, TransferFacts
from .words import names, seconds, value_name


def to_transfers_page(facts: TransferFacts, picture: Picture) -> str:
    """Write the page; it needs no other file and no network."""
    numbers = {
        "method": fit(facts.method, 14, 600) or "not stated",
        value_name(facts): seconds(facts.value),
        "bound": "none" if facts.bound is None else seconds(facts.bound),
        "gap": "unknown" if facts.gap is None else percent(facts.gap),
        "sharing": facts.sharing,
        "updates dropped": f"{len(facts.dropped):,}",
    }
    heads = ("updates", "number", "by", "arrives, s", "copy arrives, s", "applied, s")
    rows = [_row(send) for send in facts.sends[:MAX_ROWS]]
    more = len(facts.sends) - len(rows)
    rest = f"{more:,} more sends are not listed." if more else ""
    table = Table(heads=heads, rows=rows, rest=rest)
    return write_page(facts.instance, picture, numbers, fault_line(facts.faults), table)


def _row(send: SendBars) -> str:
    cells = (
        f"<td>{escape(names(send))}</td><td>{len(send.updates)}</td>"
        f"<td>{escape(visible(send.via or 'directly'))}</td>"
        + "".join(_time(at) for at in (send.arrives, send.copied, send.applied))
    )
    return f'<tr data-job="{send.number}">{cells}</tr>'


def _time(value: Fraction | None) -> str:
    if value is None:
        return '<td data-value="Infinity">-</td>'
    return f'<td data-value="{float(value):.6f}">{number(value)}</td>'
