"""The best pieces for a room, by dynamic programming in whole numbers."""

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]

NEVER = -(2**62)
"""What a room is worth that cannot be filled."""


def fill(start: Ints, worth: Ints, most: int) -> tuple[Ints, list[Ints]]:
    """Return the best worth of every room, and which pieces were added to it, layer by layer.

    `start` is the worth of each room before, `worth` that of a piece by its size, nothing for
    size 0; at most `most` pieces are added.
    """
    left = np.arange(len(start))[:, None] - np.arange(len(worth))
    before = np.maximum(left, 0)
    table, layers = start, list[Ints]()
    for _ in range(most):
        can = (left >= 0) & (table[before] != NEVER)
        sums = np.where(can, table[before] + worth, NEVER)
        added = sums.argmax(axis=1)
        if not added.any():
            break
        table = sums.max(axis=1)
        layers.append(added)
    return table, layers


def taken(layers: list[Ints], room: int, sizes: int) -> tuple[Ints, int]:
    """Return how many pieces of each size below `sizes` are in a room, and what room is left."""
    counts = np.zeros(sizes, np.int64)
    for added in reversed(layers):
        counts[added[room]] += 1
        room -= int(added[room])
    counts[0] = 0
    return counts, room
