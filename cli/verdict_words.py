"""What commands say about a verdict of the judge, in words and as keys of a JSON object."""

from typing import Any

from ..analysis.check import (
    AnyVerdict,
    FleetVerdict,
    OnlineVerdict,
    RentalVerdict,
    ReservedVerdict,
    TraceVerdict,
)
from ..instances.encode import as_number, exact_text
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
    if isinstance(verdict, OnlineVerdict):
        return {
            "completions": dict(verdict.completions),
            "utilities": {job: exact_text(worth) for job, worth in verdict.utilities.items()},
        }
    if isinstance(verdict, ReservedVerdict):
        return {"gains": {job: exact_text(worth) for job, worth in verdict.gains.items()}}
    if isinstance(verdict, TraceVerdict):
        return {"ends": {job: exact_text(end) for job, end in verdict.ends.items()}}
    if isinstance(verdict, RentalVerdict):
        return {
            "mean_gpus": as_number(verdict.mean_gpus),
            "times_h": {name: as_number(hours) for name, hours in verdict.times.items()},
        }
    if isinstance(verdict, FleetVerdict):
        return {
            "spend": as_number(verdict.spend),
            "held_gpu_h": as_number(verdict.held),
            "leased_gpu_h": as_number(verdict.leased),
            "ends": {job: exact_text(end) for job, end in verdict.ends.items()},
        }
    return {
        "mean_completion": as_number(verdict.mean_completion),
        "mean_completion_exact": exact_text(verdict.mean_completion),
        "ends": {job: exact_text(end) for job, end in verdict.ends.items()},
    }


def print_verdict(verdict: AnyVerdict) -> None:
    """Print what the judge found, violations first."""
    count = len(verdict.violations)
    say("valid" if verdict.valid else f"INVALID: {count} violation{'s' if count != 1 else ''}")
    for violation in verdict.violations[:MOST_SHOWN]:
        say(f"  {violation.rule} at {violation.where} by {cell(violation.amount)}")
    if count > MOST_SHOWN:
        say(f"  ... and {count - MOST_SHOWN} more (--json lists all)")
    if isinstance(verdict, OnlineVerdict):
        say(f"utility {cell(verdict.objective)} of {len(verdict.completions)} completed jobs")
    elif isinstance(verdict, ReservedVerdict):
        say(f"gain {cell(verdict.objective)} of {len(verdict.gains)} rings")
    elif isinstance(verdict, TraceVerdict):
        say(f"mean JCT {cell(verdict.objective)} s, {len(verdict.ends)} jobs ended")
    elif isinstance(verdict, RentalVerdict):
        say(f"mean JCT {cell(verdict.objective)} h, {cell(verdict.mean_gpus)} GPUs paid for")
    elif isinstance(verdict, FleetVerdict):
        ended = f"{len(verdict.ends)} jobs ended"
        say(f"mean JCT {cell(verdict.objective)} h, {ended}, spend {float(verdict.spend):,.2f}")
    else:
        mean = cell(verdict.mean_completion)
        say(f"makespan {cell(verdict.makespan)} slots, mean end {mean} slots")
