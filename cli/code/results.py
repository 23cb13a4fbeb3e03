"""What `ringyard code` shows, and what it writes."""

from collections.abc import Sequence
from math import isfinite
from typing import Any

from ...analysis.coded.decoding import Decoded
from ...analysis.coded.limits import Limit
from ...analysis.coded.tables import PartsPoint, Scheme, decoding_table, draw_curve
from ...analysis.tables import Table
from ...campaigns.coded import Decodings
from ...instances import CodedPlan
from ...run import Answer
from ..shared.options import write_noun
from ..shared.output import note, say, show_table
from ..shared.tables import draw_to, write_table
from .options import CodeFiles


def tell(table: Table, best: Answer, limit: Limit, schemes: Sequence[Scheme]) -> None:
    """Print the schemes, the bound of the best, and the limit for many workers."""
    show_table(table)
    bound = best.bound
    say(f"  bound     {float(bound.value):.6g} s ({bound.kind}: {bound.argument})")
    say(
        f"  limit     {limit.parts:.4g} n parts of n workers, "
        f"and {limit.scaled_s:.6g}/n s, if n is large"
    )
    say(f"  gain      {limit.gain}")
    lacking = [one.name for one in schemes if one.parts is None]
    if lacking:
        say(f"  infinite  expected time of {', '.join(lacking)}")
    doubtful = [one.name for one in schemes if one.doubt and one.simulated]
    if doubtful:
        say(f"  doubt     {', '.join(doubtful)}: the variance is infinite, the interval too narrow")


def tell_decodings(found: Decodings, name: str) -> None:
    """Print how products came out."""
    show_table(decoding_table(found.codes, f"Decoding: {name}"))
    for method, one in found.plans.items():
        exact = "; each part bit by bit" if one.same else f", condition {one.condition:.0e}"
        say(f"  {method:<11}  error {one.error:.0e}{exact}")


def plain_decodings(found: Decodings) -> dict[str, Any]:
    """Return how products came out, for JSON; null stands for what overflows."""
    return {
        "plans": {name: _plain(one) for name, one in found.plans.items()},
        "codes": [
            {"parts": parts, "code": kind, **_plain(one)}
            for parts, row in found.codes.items()
            for kind, one in row.items()
        ],
    }


def _plain(one: Decoded) -> dict[str, Any]:
    numbers = {"error": one.error, "condition": one.condition}
    finite = {name: value if isfinite(value) else None for name, value in numbers.items()}
    return {**finite, "same": one.same}


def write(
    name: str,
    plan: CodedPlan | None,
    table: Table,
    points: Sequence[PartsPoint],
    files: CodeFiles,
) -> None:
    """Write the files that are asked for."""
    write_table(table, "tab:code", files.latex, files.csv)
    if files.plot is not None:
        draw_to(files.plot, draw_curve, name, points)
    if files.out is not None and plan is None:
        note(f"note: no code has a finite expected time; {files.out} is not written")
    elif files.out is not None:
        write_noun(plan, files.out)
