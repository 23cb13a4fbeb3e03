"""The names in Slurm's lists of nodes."""

import re
from collections.abc import Iterator
from itertools import product
from math import prod

from .reading import Cells

NUMBER = re.compile(r"\d{1,9}", re.ASCII)
MOST_NODES = 100_000
NODES = "names of nodes such as n[01-04],n7"


def node_names(cells: Cells, column: str) -> Iterator[str]:
    """Yield the names in a list of nodes, such as a[01-03,7],b2."""
    text = cells.text(column)
    if text.count("[") != text.count("]"):
        cells.reject(column, NODES, "widen the column")
        return
    for word in re.findall(r"(?:[^,\[\]]|\[[^\]]*\])+", text):
        parts = [_range(part) for part in re.split(r"\[([^\]]*)\]", word)[1::2]]
        if not all(parts) or prod(map(len, parts)) > MOST_NODES:
            cells.reject(column, NODES, "correct it, or widen the column")
            return
        pieces = re.split(r"\[[^\]]*\]", word)
        for chosen in product(*parts):
            yield "".join(a + b for a, b in zip(pieces, (*chosen, ""), strict=True))


def _range(text: str) -> list[str]:
    """Return the numbers in a text such as 01-03,7 as 01, 02, 03, 7. Other texts give none."""
    found: list[str] = []
    for part in text.split(","):
        low, dash, high = part.partition("-")
        if not (NUMBER.fullmatch(low) and NUMBER.fullmatch(high or low)):
            return []
        last = int(high if dash else low)
        if not 0 <= last - int(low) < MOST_NODES:
            return []
        found += [f"{number:0{len(low)}}" for number in range(int(low), last + 1)]
    return found
