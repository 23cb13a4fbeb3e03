"""Theorems held against the runs of a campaign: never a ratio without its factor and verdict."""

from collections.abc import Sequence
from typing import Any

from ..by_key import by_key
from ..guarantees import FactorVerdict, Guarantee, guarantees_of
from ..rows import Row
from ..sources import Sources
from ..stats.references import Key, key_of
from ..theorem_check import TheoremCheck, check_theorems
from .grid import Grid, Heads, columns_of

MOST = 300
"""Instances on which theorems are held against runs; factors take time."""

ORDER = (FactorVerdict.VIOLATED, FactorVerdict.HOLDS, FactorVerdict.INCONCLUSIVE)

HEADS: Heads = {
    "instance": ("instance", "text", "name of the instance"),
    "method": ("method", "text", "method, with the options behind its name"),
    "theorem": ("theorem", "text", "name of the theorem, as `ringyard list guarantees` has it"),
    "proved": ("proved", "text", "whether the theorem is proved here, or only printed somewhere"),
    "factor": ("factor", "number", "factor that the theorem promises on this instance"),
    "ratio": ("ratio", "number", "objective over the best proved bound, or its inverse"),
    "verdict": (
        "verdict",
        "status",
        "holds: within the factor of a proved bound; violated: not within the factor of a "
        "checked schedule; inconclusive: neither is shown, or the theorem does not speak",
    ),
    "remark": ("remark", "text", "why a theorem does not speak of a run"),
    "statement": ("statement", "text", "what the theorem says"),
}


def verdicts(rows: Sequence[Row], sources: Sources) -> tuple[Grid | None, str]:
    """Return a line for each theorem about each method on each instance, and what is left out.

    Of several runs the one with the worst objective counts.
    """
    worst = _worst(rows)
    chosen = [row for digest in list(worst)[:MOST] for row in worst[digest]]
    lines = [_line(*one) for one in check_theorems(chosen, rows, sources)]
    more = len(worst) - MOST
    left_out = f"{more:,} instances beyond the first {MOST:,} are left out." if more > 0 else ""
    if not lines:
        return None, left_out
    lines.sort(key=lambda line: ORDER.index(line["verdict"]))
    columns = columns_of(HEADS, lines, hidden="statement")
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
    return by_key(found.values(), lambda row: str(row["digest"]))


def _line(row: Row, guarantee: Guarantee, one: TheoremCheck) -> dict[str, Any]:
    return {
        "instance": row["instance"],
        "method": row["method"],
        "theorem": guarantee.name,
        "proved": guarantee.proved,
        "statement": guarantee.statement,
        "factor": None if one.factor is None else float(one.factor),
        "ratio": one.ratio,
        "verdict": one.verdict.value,
        "remark": one.silent,
    }
