"""Bars in the free text of a line whose cells stand between bars, as Slurm writes them."""

import re

from .reading import Reading

FREE = ("JobName", "Comment", "AdminComment", "SystemComment", "SubmitLine", "WorkDir", "Extra")
"""Columns of free text, which may hold bars; the likeliest first."""
RESOURCES = r"(?:[^=,|]+=[^=,|]*,?)*"
LOOKS = {
    "JobID": r"\d[^|]*",
    "Submit": r"(?:\d[-\d:T.+Z ]*|Unknown|None|)",
    "Elapsed": r"(?:[-\d:.]*|INVALID)",
    "State": r"(?:[A-Z_]+(?: by \w+)?|)",
    "AllocTRES": RESOURCES,
    "ReqTRES": RESOURCES,
}
"""What columns look like, wherever else a line has bars."""


def rejoined(cells: list[str], header: list[str], faults: Reading) -> list[str]:
    """Give the bars of too many cells to the column of free text with which the others fit."""
    more = len(cells) - len(header)
    places = [header.index(name) for name in FREE if name in header]
    for i in () if faults.strict else places:
        end = i + more + 1
        tried = [*cells[:i], "|".join(cells[i:end]), *cells[end:]]
        found = dict(zip(header, tried, strict=True))
        if all(re.fullmatch(look, found.get(name, "")) for name, look in LOOKS.items()):
            faults.tell(f"lines with bars in {header[i]}")
            return tried
    return cells
