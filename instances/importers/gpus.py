"""How many GPUs Slurm's list of resources means, slices of GPUs among them."""

import re
from fractions import Fraction
from math import ceil

from ..errors import shown
from .cells import Cells
from .job import PARTS

PART = re.compile(r"gres/gpu(?::([^=]*))?=(.*)")
COUNT = re.compile(r"\d{1,9}", re.ASCII)
PROFILE = re.compile(r"(?:^|[_.])([1-7])g\.(\d{1,3})gb(?![a-z0-9])", re.ASCII)
"""What NVIDIA calls a slice of a GPU: its share of the computing, and its memory."""
QUARTERS = ((1, 6), (2, 12), (4, 24))
"""Slices of an A30, which is cut into four; others are cut into seven."""


def gpus_of(cells: Cells, slice: Fraction | None) -> int | None:
    """Return the GPUs of a list such as cpu=8,gres/gpu=2,gres/gpu:a100=2,node=1.

    Slices count as `slice` says, else as parts of a GPU; what they sum up to is rounded up.
    """
    column = "AllocTRES" if cells.text("AllocTRES") else "ReqTRES"
    if not cells.text(column):
        return None
    total: int | None = None
    whole, slices, parts = 0, 0, Fraction(0)
    for part in cells.text(column).split(","):
        found = PART.fullmatch(part.strip())
        if found is None:
            continue
        kind, count = found[1] or "", int(found[2]) if COUNT.fullmatch(found[2]) else None
        share = _share(kind, slice)
        if count is None:
            advice = "correct it, or remove the line"
            cells.fault(column, "whole numbers of GPUs", advice, part)
        elif not kind:
            total = count if total is None else total
        elif share is None:
            whole += count
        else:
            slices, parts = slices + count, parts + count * share
            name = shown(kind, 40)
            cells.faults.tell(f"slices {name}, each counted as {share} of a GPU (--slice)", count)
    if parts.denominator > 1:
        cells.faults.tell(PARTS)
    return ceil(parts + (whole if total is None else max(0, total - slices)))


def _share(kind: str, slice: Fraction | None) -> Fraction | None:
    """Return the part of a GPU that a kind is; None if it is no slice."""
    found = PROFILE.search(kind)
    if found is None:
        return None
    cut = 4 if (int(found[1]), int(found[2])) in QUARTERS else 7
    return Fraction(int(found[1]), cut) if slice is None else slice
