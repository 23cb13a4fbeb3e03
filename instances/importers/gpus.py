"""How many GPUs Slurm's list of resources means, slices of GPUs among them."""

import re
from collections.abc import Iterator
from fractions import Fraction
from math import ceil

from ..errors import shown
from .cells import PARTS, Cells

PART = re.compile(r"gres/(gpu|shard)(?::([^=]*))?=(.*)")
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
    for what, kind, number in _counts(cells, column):
        share = slice if what == "shard" else _share(kind, slice)
        if what == "gpu" and not kind:
            total = number if total is None else total
        elif what == "gpu" and share is None:
            whole += number
        elif share is None:
            expected = "GPUs; say with --slice what part of one a shard is"
            cells.fault(column, expected, "say for example --slice 1/4")
        else:
            slices, parts = slices + number * (what == "gpu"), parts + number * share
            each = "a GPU" if share == 1 else f"{share} of a GPU"
            name = shown(kind or what, 40)
            cells.faults.tell(f"slices {name}, each counted as {each} (--slice)", number)
    if parts.denominator > 1:
        cells.faults.tell(PARTS)
    return ceil(parts + (whole if total is None else max(0, total - slices)))


def _counts(cells: Cells, column: str) -> Iterator[tuple[str, str, int]]:
    """Yield gpu or shard, the kind if there is one, and the number; shards only if that is all."""
    found = [PART.fullmatch(part.strip()) for part in cells.text(column).split(",")]
    gpus = any(part and part[1] == "gpu" for part in found)
    for part in found:
        if part is None or (gpus and part[1] == "shard"):
            continue
        if COUNT.fullmatch(part[3]):
            yield part[1], part[2] or "", int(part[3])
        else:
            cells.fault(column, "whole numbers of GPUs", "correct it, or remove the line", part[0])


def _share(kind: str, slice: Fraction | None) -> Fraction | None:
    """Return the part of a GPU that a kind is; None if it is no slice."""
    found = PROFILE.search(kind)
    if found is None:
        return None
    cut = 4 if (int(found[1]), int(found[2])) in QUARTERS else 7
    return Fraction(int(found[1]), cut) if slice is None else slice
