"""Random changes of an order and its rules, and the random numbers behind them."""

import numpy as np

from ...simulation.jit import kernel
from ...simulation.model import Ints
from .listing import BARRIER

RULE, FENCE, LATE, FAR, SWAP = 0.1, 0.001, 0.3, 0.5, 0.3
"""How often a move changes a rule or a barrier; else, how often it picks a job that ends too
late, sends it anywhere rather than at most `NEAR` places away, and swaps rather than inserts."""

NEAR = 10


@kernel
def below(rng: Ints, n: int) -> int:
    """Draw a whole number below n by xorshift; ``rng[0]`` is the state, never 0."""
    x = np.uint64(rng[0])
    x ^= x << np.uint64(13)
    x ^= x >> np.uint64(7)
    x ^= x << np.uint64(17)
    rng[0] = np.int64(x)
    return int(np.int64(x >> np.uint64(2)) % n)


@kernel
def unit(rng: Ints) -> float:
    """Draw a number in (0, 1]."""
    return float((below(rng, 1 << 53) + 1) / 9007199254740992.0)


@kernel
def change(
    rng: Ints, order: Ints, rules: Ints, late: Ints, menu: Ints, begin: Ints, end: Ints
) -> None:
    """Change `order` or `rules` at one place; `late` marks jobs that end after the goal."""
    n, u = order.size, unit(rng)
    job = order[below(rng, n)]
    if u < RULE and end[job] - begin[job] > 1:
        fence = rules[job] // BARRIER * BARRIER
        rules[job] = fence + menu[begin[job] + below(rng, end[job] - begin[job])]
        return
    if RULE <= u < RULE + FENCE:
        rules[job] = (rules[job] + BARRIER) % (2 * BARRIER)
        return
    i = below(rng, n)
    if unit(rng) < LATE:
        i = _late_one(rng, order, late, i)
    k = below(rng, n)
    if unit(rng) >= FAR:
        k = min(n - 1, max(0, i + below(rng, 2 * NEAR + 1) - NEAR))
    if unit(rng) < SWAP:
        order[i], order[k] = order[k], order[i]
    else:
        _insert(order, i, k)


@kernel
def _late_one(rng: Ints, order: Ints, late: Ints, i: int) -> int:
    """Return the place of a random job that ends too late; `i` if there is none."""
    count = 0
    for job in order:
        count += late[job]
    if count == 0:
        return i
    count = below(rng, count)
    for p in range(order.size):
        if late[order[p]] == 1:
            if count == 0:
                return p
            count -= 1
    return i


@kernel
def _insert(order: Ints, i: int, k: int) -> None:
    """Move the job at place i to place k."""
    job, step = order[i], 1 if i < k else -1
    for p in range(i, k, step):
        order[p] = order[p + step]
    order[k] = job
