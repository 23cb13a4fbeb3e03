"""What `ringyard verify` shows of random rounding: what was stated, and how often it was false."""

from typing import TYPE_CHECKING, Any

from ..shared.output import say, table

if TYPE_CHECKING:
    from ...campaigns.verifying.verify_rounding import RoundingRow


def show_roundings(rows: "list[RoundingRow]") -> None:
    """Print a row for each gain: draws in which a statement was false, and what that says.

    `--json` has a row for each statement, with its own limit and verdict.
    """
    if not rows:
        return
    draws, delta = rows[0].statement.draws, rows[0].gain.delta
    say(
        f"\nrandom rounding of slot programs, {draws:,} draws each: how often a statement was "
        f"false;\nall of them together should fail with probability {delta:g} at most"
    )
    heads = ["instance", "gain", "form", "favours", "W_b", "cost", "cover", "packing"]
    costs = ["median cost", "99 %", "stated", "usable"]
    table(
        [*heads, "limit 99 %", *costs, "verdict"],
        [
            [
                one["all"].instance,
                one["all"].gain.factor,
                one["all"].gain.form,
                one["all"].favours,
                one["all"].widths[1],
                *(one[what].statement.failures for what in ("cost", "cover", "packing")),
                one["all"].statement.high,
                *(one["all"].cost_factors[k] for k in (0, 2)),
                one["all"].gain.cost,
                one["all"].usable,
                one["all"].statement.verdict,
            ]
            for one in _by_gain(rows)
        ],
    )
    say("costs are over that of the relaxation; usable is the part of draws that keep every row")


def _by_gain(rows: "list[RoundingRow]") -> "list[dict[str, RoundingRow]]":
    """Return the statements about each gain by what they say."""
    found: dict[tuple[str, str, str], dict[str, RoundingRow]] = {}
    for row in rows:
        key = row.instance, row.gain.form, row.favours
        found.setdefault(key, {})[row.statement.what] = row
    return list(found.values())


def plain_rounding(row: "RoundingRow") -> dict[str, Any]:
    """Return a row for JSON."""
    return {
        "instance": row.instance,
        "job": row.job,
        "form": row.gain.form,
        "favours": row.favours,
        "gain": row.gain.factor,
        "delta": row.gain.delta,
        "width_cover": row.widths[0],
        "width_packing": row.widths[1],
        "statement": row.statement.what,
        "false": row.statement.failures,
        "draws": row.statement.draws,
        "limit_99": row.statement.high,
        "stated": row.statement.stated,
        "verdict": row.statement.verdict,
        "cost_factors": list(row.cost_factors),
        "cost_stated": row.gain.cost,
        "usable": row.usable,
    }


def rounding_sentence(row: "RoundingRow") -> str:
    """Say how a statement fails."""
    one = row.statement
    return (
        f"on {row.instance}, job {row.job}, the {row.gain.form} gain that favours {row.favours} "
        f"states that {one.what} fails with probability {one.stated:.3g} at most; it is at least "
        f"{one.low:.3g}"
    )
