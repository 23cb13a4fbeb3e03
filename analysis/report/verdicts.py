"""Theorems held against the runs of a campaign: never a ratio without its factor and verdict."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from ...instances import Instance
from ..guarantees import Guarantee, Verdict, guarantees_of, rule
from ..results.sources import Unmet
from ..results.verdicts import ROUNDING
from ..rows import Row
from ..stats.references import Key, best_bounds, best_values, key_of, ratio
from .grid import Column, Form, Grid

MOST = 300
"""Instances on which theorems are held against runs; factors take time."""

ORDER = (Verdict.VIOLATED, Verdict.HOLDS, Verdict.INCONCLUSIVE)

HEADS: dict[str, tuple[str, Form, str]] = {
    "instance": ("instance", "text", "name of the instance"),
    "method": ("method", "text", "method, with the options behind its name"),
    "theorem": ("theorem", "text", "name of the theorem, as `ringyard list guarantees` has it"),
    "proved": ("proved", "text", "whether the theorem is proved here, or only printed somewhere"),
    "factor": ("factor", "number", "factor that the theorem promises on this instance"),
    "ratio": ("ratio", "number", "objective over the best certified bound, or its inverse"),
    "verdict": (
        "verdict",
        "status",
        "holds: within the factor of a certified bound; violated: not within the factor of a "
        "checked schedule; inconclusive: neither is shown, or the theorem does not speak",
    ),
    "remark": ("remark", "text", "why a theorem does not speak of a run"),
    "statement": ("statement", "text", "what the theorem says"),
}


def verdicts(
    rows: Sequence[Row], read: Callable[[str], Instance], unmet: Unmet
) -> tuple[Grid | None, str]:
    """Return a line for each theorem about each method on each instance, and what is left out.

    Of several runs the one with the worst objective counts. `read` gives an instance by digest.
    """
    worst = _worst(rows)
    bounds, best = best_bounds(rows), best_values(rows)
    lines = []
    for digest in list(worst)[:MOST]:
        instance = read(digest)
        lines += [
            _line(guarantee, row, instance, bounds, best, unmet)
            for row in worst[digest]
            for guarantee in guarantees_of(row["method"])
        ]
    more = len(worst) - MOST
    left_out = f"{more:,} instances beyond the first {MOST:,} are left out." if more > 0 else ""
    if not lines:
        return None, left_out
    lines.sort(key=lambda line: ORDER.index(line["verdict"]))
    columns = tuple(
        Column(
            name=name,
            head=head,
            form=form,
            about=about,
            values=[line[name] for line in lines],
            shown=name != "statement",
        )
        for name, (head, form, about) in HEADS.items()
    )
    facets = ("verdict", "theorem")
    return Grid(
        name="verdicts", about="theorems about methods", columns=columns, facets=facets
    ), left_out


def _worst(rows: Sequence[Row]) -> dict[str, list[Row]]:
    """Return by instance the worst valid run of each method about which something is claimed."""
    found: dict[tuple[Key, str], Row] = {}
    for row in rows:
        if row["valid"] and guarantees_of(row["method"]):
            other = found.setdefault((key_of(row), row["method"]), row)
            worse = min if row["sense"] == "max" else max
            found[key_of(row), row["method"]] = worse(other, row, key=lambda one: one["objective"])
    by_instance: dict[str, list[Row]] = {}
    for row in found.values():
        by_instance.setdefault(row["digest"], []).append(row)
    return by_instance


def _line(
    guarantee: Guarantee,
    row: Row,
    instance: Instance,
    bounds: dict[Key, float],
    best: dict[Key, float],
    unmet: Unmet,
) -> dict[str, Any]:
    bound, most = bounds.get(key_of(row)), row["sense"] == "max"
    line = {
        "instance": row["instance"],
        "method": row["method"],
        "theorem": guarantee.name,
        "proved": guarantee.proved,
        "statement": guarantee.statement,
        "factor": None,
        "ratio": None if bound is None else ratio(row["objective"], bound, row["sense"]),
        "verdict": Verdict.INCONCLUSIVE.value,
        "remark": "",
    }
    if bound is None:
        return line | {"remark": "no certified bound: add the method `bound`"}
    if row["stop"] != "done":
        return line | {"remark": f"needs the whole run: {row['stop']}"}
    reason = unmet(guarantee, row, instance)
    if reason:
        return line | {"remark": reason}
    factor = guarantee.factor(instance)
    numbers = (Fraction(str(value)) for value in (row["objective"], bound, best[key_of(row)]))
    verdict = rule(factor * ROUNDING, *numbers, most=most)
    return line | {"factor": float(factor), "verdict": verdict.value}
