"""What rows say about theorems: whether values keep within the factors that are proved."""

from collections.abc import Sequence

from ..guarantees import FactorVerdict
from ..held import TheoremCheck, held
from ..rows import Row
from ..sources import NOTHING, Sources
from ..stats.wrong import mark_wrong
from ..tables import Cell, Table, numbers, texts

ABOUT = (
    (
        "Holds: the value is within the factor of the best proved bound of these rows.",
        ("holds",),
    ),
    (
        "Violated: it is not within the factor of the best valid schedule of these rows.",
        ("violated",),
    ),
    ("Open: neither.", ("open",)),
    ("Silent: the theorem does not speak of the run.", ("silent",)),
    (
        "Ratio: value over bound, or bound over value where it is to be large.",
        ("largest ratio", "largest ratio / factor"),
    ),
    ("Proved: in the documentation of Ringyard; else only printed somewhere.", ("proved",)),
)
NOTE = " ".join(sentence for sentence, _ in ABOUT)


def verdicts(rows: Sequence[Row], sources: Sources = NOTHING) -> Table:
    """Return for each theorem and method how often it holds, and how near runs come to it."""
    marked = mark_wrong(rows)
    found: dict[tuple[str, bool, str], list[TheoremCheck]] = {}
    for row, guarantee, one in held(marked, marked, sources):
        place = (guarantee.name, guarantee.proved, row["method"])
        found.setdefault(place, []).append(one)
    reasons = sorted({_kind(one.silent) for some in found.values() for one in some if one.silent})
    why = [f"Silent because: {'; '.join(reasons)}."] if reasons else []
    return Table(
        caption="Theorems checked against runs",
        columns=(
            *texts("theorem", "proved", "method"),
            *numbers("runs", "holds", "violated", "open", "silent"),
            *numbers("largest ratio", "largest ratio / factor", digits=3),
        ),
        rows=tuple(
            (name, "yes" if proved else "no", method, *_counts(some))
            for (name, proved, method), some in sorted(found.items())
        ),
        notes=(NOTE, *why),
        about=(*ABOUT, *((reason, ("silent",)) for reason in why)),
        shared=2,
    )


def _kind(reason: str) -> str:
    """Keep of a reason what does not depend on the run."""
    return reason.partition(":")[0]


def _counts(some: list[TheoremCheck]) -> tuple[Cell, ...]:
    spoken = [(one.verdict, one.factor, one.ratio) for one in some if one.factor is not None]
    known = [(ratio, float(factor)) for _, factor, ratio in spoken if ratio is not None]
    return (
        len(some),
        *(sum(verdict is one for one, _, _ in spoken) for verdict in FactorVerdict),
        len(some) - len(spoken),
        max((ratio for ratio, _ in known), default=None),
        max((ratio / factor for ratio, factor in known), default=None),
    )
