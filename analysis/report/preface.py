"""What the page says around its rows: findings, what runs were made with, what words mean."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape

from ...instances.errors import visible
from ..figures.canvas import Figure, svg_text
from ..rows import Row
from ..tables import Table, to_html

MOST = 6
"""Different values that are listed."""

TITLES = {
    "host": "hosts",
    "python": "Python",
    "version": "Ringyard",
    "code": "source digest",
    "threads": "threads of a method",
    "workers": "runs side by side",
    "time_limit": "time limit (s)",
    "cpu_limit": "processor time limit (s)",
    "memory_limit": "memory limit (MB)",
    "gap_limit": "gap at which runs end",
    "target": "objective at which runs end",
    "horizon": "horizon (slots)",
}

WORDS = {
    "valid": "The judge computed the schedule anew from the instance, in exact arithmetic, and no "
    "rule is broken. Objectives are the judge's.",
    "proved bound": "A bound of the kinds combinatorial or dual, an argument in exact arithmetic, "
    "most of which a small checker can follow; or of the kind searched: a search went through "
    "everything, and only who runs it again can check that. A solver's own word is shown, and "
    "never counted as proved.",
    "optimal": "The judge's objective equals a bound, which may be of the kind solver. In "
    "continuous time it may be above it by what decimals of starts cost, 1e-18 slots a job.",
    "gap": "Distance between objective and bound as a part of the larger of both; in the table of "
    "runs it is to the run's own bound.",
    "ratio": "Objective over bound where little is good, bound over objective where much is good, "
    "so that 1 is best. Means of ratios are geometric.",
    "mean time": "Shifted geometric mean, exp(mean(ln(t + 10))) - 10, over the same cases for all "
    "methods; a run without a proof counts as its time limit.",
    "PAR10": "Mean time in which a run without a proof counts as ten time limits.",
    "primal integral": "Distance of the best schedule known at each moment from the best of the "
    "campaign, averaged over the time limit; 0 % is best.",
    "performance profile": "Part of the cases on which a method is within a factor of the best "
    "(Dolan and Moré 2002); failures are within none.",
    "contradiction": "A valid schedule better than a bound: one of the two is wrong.",
}
"""Definitions, by term."""


def environment(rows: Sequence[Row]) -> Iterator[tuple[str, str]]:
    """Yield what the runs were made with, each with its values."""
    for name, title in TITLES.items():
        yield title, _values(row[name] for row in rows)
    solvers = [row for row in rows if row["solver"]]
    if solvers:
        texts = (f"{row['solver']} {row['solver_version'] or ''}".strip() for row in solvers)
        yield "solvers", _values(texts)


def _values(values: Iterable[object]) -> str:
    """List values, the most frequent first, with counts if there are several."""
    counts = Counter(values)
    if len(counts) == 1:
        return _text(next(iter(counts)))
    ranked = sorted(counts.items(), key=lambda pair: (-pair[1], str(pair[0])))
    shown = [f"{_text(value)} ({count:,} runs)" for value, count in ranked[:MOST]]
    more = len(ranked) - MOST
    return ", ".join(shown) + (f", {more:,} more" if more > 0 else "")


def _text(value: object) -> str:
    if value is None:
        return "none"
    return f"{value:g}" if isinstance(value, float) else str(value)


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """Sentences, then a picture, then tables."""

    title: str
    sentences: tuple[str, ...] = ()
    picture: Figure | None = None
    tables: tuple[Table, ...] = ()


def findings_html(found: Findings) -> Iterator[str]:
    """Yield them as parts of the page."""
    if found.sentences:
        items = "".join(f"<li>{escape(visible(text))}</li>" for text in found.sentences)
        yield f"<ul>{items}</ul>"
    if found.picture is not None:
        about, wide = escape(found.picture.get_label()), found.picture.bbox.width
        drawn = f"{svg_text(found.picture)}<figcaption>{about}</figcaption>"
        yield f'<figure style="max-width: {wide:.0f}px">{drawn}</figure>'
    for table in found.tables:
        yield f'<div class="plain">{to_html(table)}</div>'
