"""Output of `ringyard verify`: rows of runs, random rounding, and a sentence for each theorem."""

from collections import Counter
from collections.abc import Iterable
from fractions import Fraction
from textwrap import fill
from typing import TYPE_CHECKING, Any

from ...analysis.guarantees import FactorVerdict
from ...analysis.intervals import mean_above
from ...instances.errors import plural
from ...instances.reading.encode import as_number
from ..shared.output import cell, say, table

if TYPE_CHECKING:
    from ...campaigns.verifying.roundings import RoundingRow
    from ...campaigns.verifying.theorems import TheoremTally, VerifiedRun, VerifiedRuns


ABOUT_ROWS = """\
bound: proved bound on the best value, with its evidence
value: objective of the checked schedule
ratio: value / bound, or bound / value when maximizing (1 is optimal)
factor: the theorem's upper limit on the ratio to the best possible value
verdict: holds if ratio <= factor, violated if a checked schedule is better by
more than the factor, else inconclusive
remark: a hypothesis that is not met"""
"""Legend of the columns of `show_rows`."""

ABOUT_TALLIES = """\
holds, violated, inconclusive: runs by verdict
silent: runs on which a hypothesis is not met
mean, largest: ratios to proved bounds
method, instance: the run with the largest ratio
median_factor: median of the theorem's factors
nearest: the largest ratio over its factor, without factors of 1"""
"""Legend of the columns of the table of theorems."""


def show_rows(rows: "list[VerifiedRun]") -> None:
    """Print rows as a table with its legend, and a sentence for each violation.

    A run with a theorem has no rows for theorems that do not apply to it.
    """
    if not rows:
        return
    spoken = {(row.instance, row.method) for row in rows if row.factor is not None}
    groups: dict[str, list[VerifiedRun]] = {}
    for row in rows:
        if row.factor is not None or (row.instance, row.method) not in spoken:
            kind, bound = row.bound.kind.value, cell(row.bound.value)
            groups.setdefault(f"{row.instance}: bound {bound} ({kind})", []).append(row)
    headers = ["method", "value", "ratio", "theorem", "factor", "verdict", "remark"]
    for title, some in groups.items():
        say(title)
        table(
            headers if any(row.remark for row in some) else headers[:-1],
            [_cells(row)[: None if any(one.remark for one in some) else -1] for row in some],
        )
        say()
    say(ABOUT_ROWS)
    for row in rows:
        if row.verdict is FactorVerdict.VIOLATED:
            say(sentence(row, pause=":\n  "))


def _cells(row: "VerifiedRun") -> list[Any]:
    name, ratio, factor = row.guarantee.name, rounded(row.ratio), rounded(row.factor)
    return [row.method, row.value, ratio, name, factor, row.verdict.value, row.remark]


def rounded(value: Fraction | None) -> float | None:
    """Format a ratio."""
    return None if value is None else float(value)


def sentence(row: "VerifiedRun", pause: str = ": ") -> str:
    """Return a sentence on a run that violates a theorem, with a `pause` before the numbers."""
    gave = "is worth" if row.maximize else "ends at"
    return (
        f"{row.guarantee.name} is violated on {row.instance}{pause}{row.method} {gave} "
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
    """Return the combined result of many runs, for JSON."""
    return {
        "runs": found.runs,
        "settled": found.settled,
        "guarantees": list(_tallies(found)),
        "means": list(_means(found)),
    }


def show_findings(found: "VerifiedRuns") -> None:
    """Print the combined result of many runs."""
    if not found.tallies:
        return
    say(f"{plural(found.runs, 'run')}, {found.settled} of them settled")
    tallies = list(_tallies(found))
    table(list(tallies[0]), [list(row.values()) for row in tallies])
    say("\n" + ABOUT_TALLIES)
    means = list(_means(found))
    if means:
        say("\nvalue / proved bound, or bound / value when maximizing. Means have 95 %")
        say("confidence limits, by Student's t on log(mean - 1)")
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
    """Yield the mean ratio of each method. Instances are independent draws."""
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


ABOUT = """\
gain: factor of the fractions before rounding, form: its formula
favours: the favoured rows, packing (capacities) or covering (demands)
W_b: least capacity over an entry of its packing row (printed theorems need a large W_b)
cost, cover, packing: samples in which this statement was false
limit 99 %: upper limit of the probability that any of them is false (Clopper and Pearson)
median cost, 99 %: quantiles of cost over the relaxation's cost
stated: the stated limit of this ratio
usable: fraction of samples that satisfy every row
verdict: for all three statements together. It names a hypothesis that is not met."""
"""Legend of the columns of `show_roundings`."""


def show_roundings(rows: "list[RoundingRow]") -> None:
    """Print a row for each gain: samples in which a statement was false, and the verdict.

    `--json` has a row for each statement, with its own limit and verdict.
    """
    if not rows:
        return
    draws, delta = rows[0].statement.draws, rows[0].gain.delta
    say(
        "\n"
        f"Random rounding of slot programs, {draws:,} samples each: how often a statement was "
        "false.\n"
        f"The probability that any of them fails should be at most {delta:g}."
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
    """Return the statements about each gain by their kind."""
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
    """Return a sentence on a statement that fails."""
    one = row.statement
    return (
        f"On {row.instance}, job {row.job}, the {row.gain.form} gain that favours "
        f"{row.favours} states that {one.what} fails with probability at most "
        f"{one.stated:.3g}. The probability is at least {one.low:.3g}."
    )


def show_theorems(
    rows: "list[VerifiedRun]", rounded: "list[RoundingRow]", found: "VerifiedRuns"
) -> None:
    """Report for each theorem on how many named and random instances it held."""
    from ...campaigns.verifying.theorems import TheoremTally

    tallies: dict[str, TheoremTally] = {}
    for row in rows:
        tallies.setdefault(row.guarantee.name, TheoremTally()).add(row)
    for name, tally in found.tallies.items():
        tallies.setdefault(name, TheoremTally()).join(tally)
    if tallies:
        say()
    for name, tally in tallies.items():
        say(fill(theorem_sentence(name, tally), 80, subsequent_indent="  "))
    for form in dict.fromkeys(row.gain.form for row in rounded):
        same = [r.statement for r in rounded if r.gain.form == form and r.statement.what == "all"]
        say(_rounding_sentence(form, Counter(one.verdict.partition(":")[0] for one in same)))


def theorem_sentence(name: str, tally: "TheoremTally") -> str:
    """Report the runs on which a theorem held, the closest one, and the skipped runs."""
    spoken = tally.verdicts.total()
    parts = [_held(tally, spoken)] if spoken else []
    if tally.nearest and not tally.verdicts[FactorVerdict.VIOLATED]:
        parts.append(f"the ratio reached at most {float(100 * tally.nearest):.3g} % of the factor")
    if tally.silent:
        parts.append(f"hypothesis not met on {plural(tally.silent, 'run')}")
    return f"{name}: {', '.join(parts)}"


def _rounding_sentence(form: str, verdicts: Counter[str]) -> str:
    """Return for how many gains of a form the statements held, as text."""
    unmet = verdicts.pop("hypothesis not met", 0)
    held = verdicts.pop("holds", 0)
    parts = [f"held for {plural(held, 'gain')}"] if held or not unmet else []
    parts += [f"{verdict} for {count:,}" for verdict, count in verdicts.items()]
    parts += [f"hypothesis not met for {plural(unmet, 'gain')}"] if unmet else []
    return f"random rounding, {form} gains: {', '.join(parts)}"


def _held(tally: "TheoremTally", spoken: int) -> str:
    """Return the number of each verdict as text, without verdicts that do not occur."""
    held = tally.verdicts[FactorVerdict.HOLDS]
    of = "" if held == spoken else f"{held:,} of "
    others = [one for one in FactorVerdict if tally.verdicts[one] and one != FactorVerdict.HOLDS]
    parts = (f"{one.value} on {tally.verdicts[one]:,}" for one in others)
    return ", ".join([f"held on {of}{plural(spoken, 'run')}", *parts])
