"""Where the answers of several methods to one instance cannot all be right."""

from collections.abc import Iterable
from typing import Any

from ..instances import BoundKind


def contradictions(rows: Iterable[dict[str, Any]]) -> list[str]:
    """Return a sentence for every bound above the least valid value of its instance.

    Rows are those of `ringyard solve --json`; instances are told apart by their digest. Of
    what a method gave back without a certificate (`none`), nothing is concluded.
    """
    rows = list(rows)
    found = []
    for digest in dict.fromkeys(row["digest"] for row in rows if "digest" in row):
        same = [row for row in rows if row.get("digest") == digest]
        values = [row for row in same if row["valid"]]
        if not values:
            continue
        best = min(values, key=lambda row: float(row["objective"]))
        found += [
            f"{best['instance']}: {best['method']} gave a valid makespan of {best['objective']}, "
            f"below the {row['bound_kind']} bound {row['bound']} of {row['method']}"
            for row in same
            if row["bound_kind"] != BoundKind.NONE and row["bound"] > best["objective"]
        ]
    return found
