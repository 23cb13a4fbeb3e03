"""What `ringyard verify` shows: rows, and what many runs say together."""

from collections.abc import Iterable
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from ...analysis.guarantees.guarantee import FactorVerdict
from ...analysis.intervals import ABOVE, mean_above
from ...instances.errors import plural
from ...instances.reading.encode import as_number
from ..shared.output import cell, say, table

if TYPE_CHECKING:
    from ...campaigns.verifying.random_runs import VerifiedRuns
    from ...campaigns.verifying.verify import VerifiedRun


ABOUT_ROWS = """\
value: of the checked schedule; bound: proved, on the best value; by: what it rests on
ratio: value over bound, or bound over value where more is better; 1 is the best possible
factor: what the theorem says the ratio to the best possible value is at most
verdict: holds if ratio <= factor; violated if a checked schedule is better by more than the factor;
inconclusive if neither is shown, or if a hypothesis is not met, which the remark names"""
"""What the columns of `show_rows` mean."""

ABOUT_TALLIES = """\
holds, violated, inconclusive: runs by verdict; silent: runs on which a hypothesis is not met
mean, largest: of the ratios to proved bounds; method, instance: of the largest
median_factor: of what the theorem allows; nearest: the largest ratio over its factor, factors of 1
apart"""
"""What the columns of the table of theorems mean."""


def show_rows(rows: "list[VerifiedRun]") -> None:
    """Print rows as a table with what its columns mean, and a sentence for each violation.

    A run of which some theorem speaks has no rows for those that do not.
    """
    if not rows:
        return
    spoken = {(row.instance, row.method) for row in rows if row.factor is not None}
    headers = ["instance", "method", "value", "bound", "by", "ratio", "theorem", "factor"]
    table(
        [*headers, "verdict", "remark"],
        [
            [
                row.instance,
                row.method,
                row.value,
                row.bound.value,
                row.bound.kind.value,
                rounded(row.ratio),
                row.guarantee.name,
                rounded(row.factor),
                row.verdict.value,
                row.remark,
            ]
            for row in rows
            if row.factor is not None or (row.instance, row.method) not in spoken
        ],
    )
    say("\n" + ABOUT_ROWS)
    for row in rows:
        if row.verdict is FactorVerdict.VIOLATED:
            say(sentence(row))


def rounded(value: Fraction | None) -> float | None:
    """Return a ratio for the eye."""
    return None if value is None else float(value)


def sentence(row: "VerifiedRun") -> str:
    """Say how a run violates a theorem."""
    gave = "is worth" if row.maximize else "ends at"
    return (
        f"{row.guarantee.name} is violated on {row.instance}: {row.method} {gave} "
        f"{cell(row.value)}, {cell(row.best)} is possible, and the factor is {cell(row.factor)}"
    )


def plain(row: "VerifiedRun") -> dict[str, Any]:
    """Return a row for JSON."""
    return {
        "instance": row.instance,
        "method": row.method,
        "guarantee": row.guarantee.name,
        "proved": row.guarantee.proved,
        "value": as_number(row.value),
        "bound": as_number(row.bound.value),
        "bound_kind": row.bound.kind.value,
        "best": as_number(row.best),
        "ratio": rounded(row.ratio),
        "factor": rounded(row.factor),
        "verdict": row.verdict.value,
        "remark": row.remark,
    }


def summary(found: "VerifiedRuns") -> dict[str, Any]:
    """Return what many runs say together, for JSON."""
    return {
        "runs": found.runs,
        "settled": found.settled,
        "guarantees": list(_tallies(found)),
        "means": list(_means(found)),
    }


def show_findings(found: "VerifiedRuns") -> None:
    """Print what many runs say together."""
    if not found.tallies:
        return
    say(f"{plural(found.runs, 'run')}, {found.settled} of them settled")
    tallies = list(_tallies(found))
    table(list(tallies[0]), [list(row.values()) for row in tallies])
    say("\n" + ABOUT_TALLIES)
    means = list(_means(found))
    if means:
        say("\nvalue over proved bound, or bound over value where more is better, with 95 %")
        say(f"confidence limits of the mean: {ABOVE} 1")
        table(list(means[0]), [list(row.values()) for row in means])


def _tallies(found: "VerifiedRuns") -> Iterable[dict[str, Any]]:
    for name, tally in found.tallies.items():
        worst = tally.worst
        yield {
            "guarantee": name,
            **{verdict.value: tally.verdicts[verdict] for verdict in FactorVerdict},
            "silent": tally.silent,
            "mean": tally.mean,
            "largest": worst and rounded(worst.ratio),
            "method": worst and worst.method,
            "instance": worst and worst.instance,
            "median_factor": tally.usual,
            "nearest": rounded(tally.nearest) if tally.nearest else None,
        }


def _means(found: "VerifiedRuns") -> Iterable[dict[str, Any]]:
    """Yield the mean ratio of each method; instances are independent draws."""
    for method, ratios in found.ratios.items():
        mean = mean_above(ratios, 1)
        yield {
            "method": method,
            "runs": mean.count,
            "mean": mean.mean,
            "low": mean.low if mean.bounded else None,
            "high": mean.high if mean.bounded else None,
            "largest": max(ratios),
        }
