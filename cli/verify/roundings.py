"""What `ringyard verify` shows of random rounding: what was stated, and how often it was false."""

from typing import TYPE_CHECKING, Any

from ..shared.output import say, table

if TYPE_CHECKING:
    from ...campaigns.verifying.roundings import RoundingRow


ABOUT = """\
gain: what fractions are multiplied by before they are rounded; form: which formula gives it
favours: the rows that it rather keeps, packing (capacities) or covering (demands)
W_b: the least capacity over an entry of its packing row; printed theorems need it to be large
cost, cover, packing: draws in which this statement was false; limit 99 %: the upper limit of the
probability that any of them is (Clopper and Pearson)
median cost, 99 %: quantiles of cost over that of the relaxation; stated: what it stays below
usable: the part of draws that keep every row as it is
verdict: of all three statements together; a hypothesis that is not met is named"""
"""What the columns of `show_roundings` mean."""


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
    say("\n" + ABOUT)


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
