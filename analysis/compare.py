"""Where the answers of several methods to one instance cannot all be right."""

from collections.abc import Iterable
from typing import Any

from ..instances import BoundKind


def contradictions(rows: Iterable[dict[str, Any]]) -> list[str]:
    """Return a sentence for every bound that the best valid value of its instance crosses.

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
        sign, side = (-1, "above") if values[0].get("sense") == "max" else (1, "below")
        best = min(values, key=lambda row: sign * float(row["objective"]))
        what = "utility" if sign < 0 else "makespan"
        found += [
            f"{best['instance']}: {best['method']} gave a valid {what} of {best['objective']}, "
            f"{side} the {row['bound_kind']} bound {row['bound']} of {row['method']}"
            for row in same
            if row["bound"] is not None
            and row["bound_kind"] != BoundKind.NONE
            and sign * row["bound"] > sign * best["objective"]
        ]
    return found
