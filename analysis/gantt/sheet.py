"""What all charts of schedules have in common: paper, headline, faults, legend and notes."""

from collections.abc import Generator, Iterable, Iterator, Sequence

from ..drawing import colours
from ..drawing.shapes import Boxes, Group, Picture, Shape, TextLine, fit, percent, text_width
from ..timeline.timeline import Timeline

WIDTH, MARGIN, LABEL_SIZE = 1280, 16, 11

LEAST_PITCH = 12
"""Least distance in pixels between the names of two rows."""

Look = tuple[str, str | None, str]
"""Fill and edge of a key, and what it means."""


def headline(timeline: Timeline, *more: str, rooms: tuple[float, float] = (480, 260)) -> str:
    """Say in one line what was scheduled, how, and how well; names have so much room."""
    names = timeline.instance.name, timeline.schedule.method
    parts = [fit(name, 16, room) for name, room in zip(names, rooms, strict=True)]
    parts.append(timeline.told)
    if timeline.bound is not None:
        parts.append(f"bound {timeline.said(timeline.bound)}")
    if timeline.gap is not None:
        parts.append(f"gap {percent(timeline.gap)}")
    return " · ".join(filter(None, [*parts, *more]))


def fault_line(timeline: Timeline) -> str:
    """Say which rules are broken, and how often; empty for a valid schedule."""
    broken = ", ".join(f"{rule} {count:,}" for rule, count in timeline.faults)
    return f"not valid: {broken}" if broken else ""


def below_header(timeline: Timeline, usual: float) -> float:
    """Return where drawing begins: lower if a row says what is wrong."""
    return usual + (20 if timeline.faults else 0)


def sheet(
    timeline: Timeline,
    title: str,
    shapes: Iterable[Shape | Group],
    *,
    head: float,
    bottom: float,
    notes: Sequence[str] = (),
    notes_below: float = 54,
) -> Picture:
    """Put the headline above the shapes, which end at `bottom`, and notes below their axis."""
    height = round(bottom + 46 + 16 * len(notes))
    below = draw_notes(notes, bottom + notes_below)
    whole = (*_header(title, fault_line(timeline)), *shapes, *below)
    return Picture.on_paper((WIDTH, height), title, whole, head)


def _header(title: str, faults: str) -> Iterator[Shape]:
    """Draw the headline and, in a second row, the faults."""
    room, ink, wrong = WIDTH - 2 * MARGIN, colours.INK, colours.WRONG
    title, faults = fit(title, 16, room), fit(faults, 11, room)
    yield TextLine(at=(MARGIN, 26), text=title, size=16, colour=ink, bold=True, role="headline")
    if faults:
        yield TextLine(
            at=(MARGIN, 46), text=faults, size=11, colour=wrong, bold=True, role="faults"
        )


def draw_notes(notes: Iterable[str], top: float) -> Iterator[TextLine]:
    """Say what the chart leaves out."""
    for i, note in enumerate(notes):
        at, text = (MARGIN, top + 16 * i), fit(note, 11, WIDTH - 2 * MARGIN)
        yield TextLine(at=at, text=text, size=11, colour=colours.SOFT_INK, role="note")


def draw_keys(
    looks: Iterable[Look], y: float, swatch: float = 26.0
) -> Generator[Shape, None, float]:
    """Say what looks mean, and return where the next thing may stand."""
    x = float(MARGIN)
    for fill, edge, words in looks:
        yield Boxes(at=((x, y - 9, swatch, 11),), fill=fill, edge=edge, edge_width=0.8)
        x = yield from draw_words(x + swatch + 5, y, words)
    return x


def draw_words(x: float, y: float, words: str) -> Generator[Shape, None, float]:
    """Write a text and return where the next thing may stand."""
    yield TextLine(at=(x, y), text=words, size=11, colour=colours.SOFT_INK)
    return x + text_width(words, 11) + 12


def draw_labels(rows: Iterable[tuple[float, str]], left: float) -> Iterator[TextLine]:
    """Name rows at their middles, leaving out those whose name would touch the one above."""
    last = float("-inf")
    for middle, name in rows:
        if middle - last >= LEAST_PITCH:
            last = middle
            yield draw_label(name, middle, left, "server")


def draw_label(name: str, middle: float, left: float, role: str) -> TextLine:
    """Name a row."""
    at, text, soft = (left - 8, middle + 4), fit(name, LABEL_SIZE, left - 16), colours.SOFT_INK
    return TextLine(at=at, text=text, size=LABEL_SIZE, colour=soft, anchor="end", role=role)
