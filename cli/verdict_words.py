"""What commands say about a verdict of the judge, in words and as keys of a JSON object."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from ..analysis.check import (
    AnyVerdict,
    CodedVerdict,
    FleetVerdict,
    OnlineVerdict,
    RentalVerdict,
    ReservedVerdict,
    ShuffleVerdict,
    TraceVerdict,
    TransfersVerdict,
)
from ..instances.reading.encode import as_number, exact_text
from .output import cell, say

MOST_SHOWN = 20
"""Violations listed as text."""


def verdict_row(verdict: AnyVerdict) -> dict[str, Any]:
    """Return a verdict as the keys of a JSON object."""
    from ..run import violation_rows

    return {
        "valid": verdict.valid,
        "objective": as_number(verdict.objective),
        "objective_exact": exact_text(verdict.objective),
        **_parts(verdict),
        "violations": violation_rows(verdict),
    }


def _parts(verdict: AnyVerdict) -> dict[str, Any]:
    match verdict:
        case OnlineVerdict():
            worth = {job: exact_text(worth) for job, worth in verdict.utilities.items()}
            return {"completions": dict(verdict.completions), "utilities": worth}
        case ReservedVerdict():
            return {"gains": {job: exact_text(worth) for job, worth in verdict.gains.items()}}
        case TraceVerdict():
            return {"ends": _exact(verdict.ends)}
        case RentalVerdict():
            times = {name: as_number(hours) for name, hours in verdict.times.items()}
            return {"mean_gpus": as_number(verdict.mean_gpus), "times_h": times}
        case FleetVerdict():
            return {
                "spend": as_number(verdict.spend),
                "held_gpu_h": as_number(verdict.held),
                "leased_gpu_h": as_number(verdict.leased),
                "ends": _exact(verdict.ends),
            }
        case CodedVerdict():
            return {}
        case ShuffleVerdict():
            return {"unknown": {name: list(rows) for name, rows in verdict.unknown.items()}}
        case TransfersVerdict():
            return {
                "applied": _exact(verdict.applied),
                "dropped": list(verdict.dropped),
                "spread": as_number(verdict.spread),
            }
    return {
        "mean_completion": as_number(verdict.mean_completion),
        "mean_completion_exact": exact_text(verdict.mean_completion),
        "ends": _exact(verdict.ends),
    }


def _exact(values: Mapping[str, Fraction]) -> dict[str, str | None]:
    return {name: exact_text(value) for name, value in values.items()}


def beside(verdict: AnyVerdict) -> tuple[str, str] | None:
    """Return what is worth knowing beside the objective: what it is, and how much."""
    match verdict:
        case OnlineVerdict():
            return "completed", f"{len(verdict.completions)} jobs"
        case ReservedVerdict():
            return "working", f"{len(verdict.gains)} rings"
        case TraceVerdict():
            return "ended", f"{len(verdict.ends)} jobs"
        case RentalVerdict():
            return "paid for", f"{cell(verdict.mean_gpus)} GPUs, on average"
        case FleetVerdict():
            return "spend", f"{float(verdict.spend):,.2f}, {len(verdict.ends)} jobs ended"
        case CodedVerdict() | ShuffleVerdict():
            return None
        case TransfersVerdict():
            return "applied", f"{len(verdict.applied)} updates, {len(verdict.dropped)} dropped"
    mean = verdict.mean_completion
    return "mean end", "-" if mean is None else f"{float(mean):.2f} slots"


def print_verdict(verdict: AnyVerdict) -> None:
    """Print what the judge found, violations first."""
    count = len(verdict.violations)
    say("valid" if verdict.valid else f"INVALID: {count} violation{'s' if count != 1 else ''}")
    for violation in verdict.violations[:MOST_SHOWN]:
        say(f"  {violation.rule} at {violation.where} by {cell(violation.amount)}")
    if count > MOST_SHOWN:
        say(f"  ... and {count - MOST_SHOWN} more (--json lists all)")
    say(_sentence(verdict))


def _sentence(verdict: AnyVerdict) -> str:
    value = cell(verdict.objective)
    match verdict:
        case OnlineVerdict():
            return f"utility {value} of {len(verdict.completions)} completed jobs"
        case ReservedVerdict():
            return f"gain {value} of {len(verdict.gains)} rings"
        case TraceVerdict():
            return f"mean JCT {value} s, {len(verdict.ends)} jobs ended"
        case RentalVerdict():
            return f"mean JCT {value} h, {cell(verdict.mean_gpus)} GPUs paid for"
        case FleetVerdict():
            ended = f"{len(verdict.ends)} jobs ended"
            return f"mean JCT {value} h, {ended}, spend {float(verdict.spend):,.2f}"
        case CodedVerdict():
            return f"expected time {value} s"
        case ShuffleVerdict():
            return f"load {value} rows"
        case TransfersVerdict():
            known = f"{len(verdict.applied)} updates applied, {len(verdict.dropped)} dropped"
            return f"time {value} s, {known}"
    return f"makespan {value} slots, mean end {cell(verdict.mean_completion)} slots"
