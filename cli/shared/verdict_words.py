"""What commands say about a verdict of the judge, in words and as keys of a JSON object.

What an answer is called, such as `optimal (certified)`, is decided by `Answer` in `run.py`.
"""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from ...analysis.check import AnyVerdict
from ...families import Family
from ...instances.errors import plural
from ...instances.reading.encode import as_number, exact_text
from .output import cell, say, valued

MOST_SHOWN = 20
"""Violations listed as text."""


def verdict_row(family: Family, verdict: AnyVerdict) -> dict[str, Any]:
    """Return a verdict as the keys of a JSON object."""
    from ...run import violation_rows

    return {
        "valid": verdict.valid,
        "objective": as_number(verdict.objective),
        "objective_exact": exact_text(verdict.objective),
        **family.said.parts(verdict),
        "violations": violation_rows(verdict),
    }


def exact_texts(values: Mapping[str, Fraction]) -> dict[str, str | None]:
    """Return exact values by name as text."""
    return {name: exact_text(value) for name, value in values.items()}


def print_verdict(
    family: Family, verdict: AnyVerdict, *, listed: bool = True, invalid: str = "INVALID"
) -> None:
    """Print what the judge found, violations first; only their number if they are not `listed`."""
    count, shown = len(verdict.violations), MOST_SHOWN if listed else 0
    elsewhere = "" if listed else " here (--json lists them)"
    words = f"{invalid}: {plural(count, 'violation')}{elsewhere}"
    say("valid" if verdict.valid else words)
    for violation in verdict.violations[:shown]:
        say(f"  {violation.rule} at {violation.where} by {cell(violation.amount)}")
    if listed and count > shown:
        say(f"  ... and {count - shown} more (--json lists all)")
    say(f"{family.objective} {valued(family, verdict.objective)}{family.said.rest(verdict)}")
