"""What certificates of many instances are together: by family, by rule, and what is without."""

from collections import Counter
from collections.abc import Sequence

from ...analysis.by_key import by_key
from ...analysis.tables import Cell, Table, numbers, texts
from ...families import FAMILIES
from ...instances.errors import plural
from .certified import CertifiedInstance, ClaimReach

MINUTE = 60.0

SEEN = 0.1
"""Seconds of a check below which clocks say little."""

Rows = Sequence[CertifiedInstance]

_MEASURES = (
    *numbers("all", "most", over="bytes"),
    *numbers("all", over="s to make", digits=1),
    *numbers("all", "most", over="s to check", digits=1),
)


def by_family(rows: Rows) -> Table:
    """Return how far certificates go, by family, with a line for all."""
    groups = [*sorted(by_key(rows, lambda row: (row.family,)).items()), (("all",), rows)]
    return Table(
        caption="Certificates of named instances",
        columns=(
            *texts("family"),
            *numbers("instances"),
            *numbers("the optimum", "the bound on record", "less", over="proved"),
            *numbers("none", over="proved"),
            *_MEASURES,
        ),
        rows=tuple((*key, *_reached(own), *_measured(own)) for key, own in groups),
    )


def by_rule(rows: Rows) -> Table:
    """Return which rules prove what is claimed."""
    proved = [row for row in rows if row.accepted]
    groups = by_key(proved, lambda row: (row.family, ", ".join(row.rules)))
    return Table(
        caption="Rules of certificates",
        columns=(*texts("family", "rule"), *numbers("certificates"), *_MEASURES),
        rows=tuple((*key, len(own), *_measured(own)) for key, own in sorted(groups.items())),
    )


def lacking(rows: Rows) -> Table:
    """Return what is not proved as far as on record, and why."""
    short = [row for row in rows if row.reach in (ClaimReach.LESS, ClaimReach.NONE)]
    return Table(
        caption="What is on record without a certificate",
        columns=texts("family", "why", "instances"),
        rows=tuple(
            (*key, ", ".join(row.instance for row in own))
            for key, own in sorted(by_key(short, lambda row: (row.family, row.why)).items())
        ),
    )


def sentences(rows: Rows) -> tuple[str, ...]:
    """Say how many certificates there are, and what the largest take."""
    proved = [row for row in rows if row.accepted]
    limits = ", ".join(f"{limit:g}" for limit in sorted({row.time_limit for row in rows}))
    optima = sum(row.reach is ClaimReach.OPTIMUM for row in rows)
    refused = sum(row.refused for row in rows)
    said = [
        f"{plural(len(rows), 'instance')}, {limits} s at most for the bounds of each: "
        f"{plural(len(proved), 'certificate')} accepted, {refused} refused; {optima} prove that "
        "the best schedule on record is optimal."
    ]
    quick = [row for row in proved if row.checked_s <= MINUTE]
    if quick:
        largest = max(quick, key=lambda row: row.size)
        said.append(f"The largest that is checked within a minute: {_about(largest)}.")
        slowest = max(proved, key=lambda row: row.checked_s)
        said.append(f"The slowest to check: {_about(slowest)}.")
    long = [
        row
        for row in proved
        if row.reach is ClaimReach.OPTIMUM and row.checked_s >= SEEN and row.made_s
        if not {FAMILIES[row.family].tries} & {*row.rules}
    ]
    if long:
        most = max(long, key=lambda row: row.checked_s / row.made_s)
        said.append(
            "Optima by bounds: what takes longest to check beside the seconds in which the bound "
            f"was found is {most.instance}, {most.checked_s / most.made_s:.2f} times as long; "
            f"checks under {SEEN:g} s aside."
        )
    return tuple(said)


def _about(row: CertifiedInstance) -> str:
    return f"{row.instance}, {row.size:,} bytes packed, {row.checked_s:.1f} s"


def _reached(rows: Rows) -> tuple[Cell, ...]:
    reach = Counter(row.reach for row in rows)
    return len(rows), *(reach[one] for one in ClaimReach)


def _measured(rows: Rows) -> tuple[Cell, ...]:
    sizes, checked = [row.size for row in rows], [row.checked_s for row in rows]
    made = sum(row.made_s for row in rows)
    return sum(sizes), max(sizes), made, sum(checked), max(checked)
