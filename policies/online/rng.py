"""Random numbers for kernels: a stream for every key, so that a plan can be reproduced.

Methods have `request.rng`, which `run.py` makes of the seed; keys of kernels are drawn from it.
"""

import numpy as np
from numpy.typing import NDArray

from ...simulation.jit import kernel

Words = NDArray[np.uint64]


@kernel
def shuffle(rng: Words, key: int) -> None:
    """Begin the stream of a key: ``rng[0]`` becomes its state, ``rng[1]`` is the seed."""
    word = rng[1] + np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)
    word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    rng[0] = (word ^ (word >> np.uint64(31))) | np.uint64(1)


@kernel
def fraction(rng: Words) -> float:
    """Draw a number from 0 to 1, without 1, by a xorshift of 64 bits (Marsaglia 2003)."""
    word = rng[0]
    word ^= word << np.uint64(13)
    word ^= word >> np.uint64(7)
    word ^= word << np.uint64(17)
    rng[0] = word
    return float(word >> np.uint64(11)) * 2.0**-53
