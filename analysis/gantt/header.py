"""What is said in words above and below the bars: headline, faults, notes."""

from collections.abc import Iterable, Iterator

from . import colours
from .frame import WIDTH, Frame
from .makespan.facts import Facts
from .shapes import Shape, Text
from .words import fit, number, percent, plural

MARGIN = 16


def headline(facts: Facts) -> str:
    """Say in one line what was scheduled, how, and how well."""
    parts = [fit(facts.instance, 16, 480)]
    if facts.method:
        parts.append(fit(facts.method, 16, 260))
    if facts.makespan is None:
        parts.append(f"{facts.ended:,} of {plural(facts.jobs, 'job')} complete")
    else:
        parts.append(f"makespan {number(facts.makespan)}")
    if facts.bound is not None:
        parts.append(f"bound {number(facts.bound)}")
    if facts.gap is not None:
        parts.append(f"gap {percent(facts.gap)}")
    return " · ".join(parts)


def fault_line(faults: Iterable[tuple[str, int]]) -> str:
    """Say which rules are broken, and how often; empty for a valid schedule."""
    broken = ", ".join(f"{rule} {count:,}" for rule, count in faults)
    return f"not valid: {broken}" if broken else ""


def draw_header(facts: Facts) -> Iterator[Shape]:
    """Draw the headline and, in a second row, the faults."""
    room = WIDTH - 2 * MARGIN
    title = fit(headline(facts), 16, room)
    ink, wrong = colours.INK, colours.WRONG
    yield Text(at=(MARGIN, 26), text=title, size=16, colour=ink, bold=True, role="headline")
    if facts.faults:
        text = fit(fault_line(facts.faults), 11, room)
        yield Text(at=(MARGIN, 46), text=text, size=11, colour=wrong, bold=True, role="faults")


def draw_notes(facts: Facts, frame: Frame) -> Iterator[Shape]:
    """Write below the axis what the chart leaves out."""
    for i, text in enumerate(notes(facts, frame)):
        at = (MARGIN, frame.bottom + 54 + 16 * i)
        yield Text(at=at, text=text, size=11, colour=colours.SOFT_INK, role="note")


def notes(facts: Facts, frame: Frame) -> list[str]:
    """Say what the chart leaves out."""
    found = []
    if len(frame.bands) < len(facts.servers):
        found.append(
            f"Drawn are the {len(frame.bands):,} servers that work longest, "
            f"of {len(facts.servers):,}."
        )
    if facts.left_out:
        entries = "1 entry" if facts.left_out == 1 else f"{facts.left_out:,} entries"
        found.append(f"Not drawn: {entries} of the schedule (unknown names, repeated jobs).")
    return found
