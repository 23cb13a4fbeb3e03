"""Rows of made-up runs, for tests of what is said about many of them."""

from typing import Any

from ringyard.analysis.rows import Row, whole_row


def run(method: str = "a", instance: str = "i", **columns: Any) -> Row:
    """Return a run that found and proved 10 in 5 of 100 seconds, but for what is given."""
    usual = {
        "key": f"{method} {instance} {columns.get('seed', 0)}",
        "instance": instance,
        "digest": f"digest of {instance}",
        "family": "makespan",
        "sense": "min",
        "method": method,
        "seed": 0,
        "repetition": 0,
        "threads": 1,
        "time_limit": 100.0,
        "status": "optimal",
        "note": "",
        "objective": 10,
        "bound": 10,
        "bound_kind": "searched",
        "seconds": 5.0,
        "valid": True,
        "violations": 0,
        "trajectory": [],
    }
    return whole_row(usual | columns)


def failed(method: str = "a", instance: str = "i", **columns: Any) -> Row:
    """Return a run without an answer, but for what is given."""
    nothing = {"objective": None, "bound": None, "bound_kind": "none", "valid": False}
    return run(method, instance, **({"status": "crashed", "note": "died"} | nothing | columns))
