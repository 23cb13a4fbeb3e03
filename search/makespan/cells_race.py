"""Several choices of cells, all annealed: which of them whole jobs fit best is seen only then.

In every round each choice that still promises less than the best has its turn, side by side.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass
from math import inf

import numpy as np
from numpy.random import Generator

from ...instances import Limits, TerminationReason
from ...simulation.model import Ints
from .blocks import Blocks
from .blocks_anneal import anneal, pile
from .blocks_moves import move_odds
from .nested import Halt, heaviest_of, large_first

ROUNDS, MOVES = 5, 8_000
"""Rounds, and moves for each job in the first two; in the next ones twice as many, and so on."""

MOST = 4
"""Choices at most."""

HOT, WARM, COLD = (100.0, 40.0), 10.0, 0.8
"""Heat at the start of turns, where a layout is made a slot lighter, and at the end of both."""

NEAR = 400
"""A turn aims at a horizon beyond what was promised by this part of it."""


@dataclass(slots=True)
class Racer:
    """Blocks that promise a layout of `floor` slots, who takes layouts, and the best so far."""

    blocks: Blocks
    floor: int
    offer: Callable[[Ints], None]
    where: Ints
    top: float = inf

    @classmethod
    def at_start(cls, blocks: Blocks, floor: int, offer: Callable[[Ints], None]) -> "Racer":
        """Return one whose jobs are piled up."""
        return cls(blocks, floor, offer, pile(blocks, large_first(blocks)))

    def turn(
        self, where: Ints, horizon: int, steps: int, hot: float, seed: int, halt: Halt
    ) -> tuple[Ints, int]:
        """Anneal a layout towards a horizon, and make what comes out lighter, a slot at a time."""
        blocks, nothing = self.blocks, np.zeros(self.blocks.server.size, np.int64)
        odds, top, heat = move_odds(), inf, hot
        while top > self.floor and not halt[0]:
            aim = horizon if top == inf else int(top) - 1
            _, found, lowest = anneal(
                blocks, where, aim, steps, heat, COLD, seed, halt, nothing, odds
            )
            if lowest >= top:
                break
            where, top, heat, seed = found, int(lowest), WARM, seed + 1
        return where, heaviest_of(blocks, where)

    def learn(self, where: Ints, top: int) -> None:
        """Keep a layout if it is lighter, and offer it."""
        if top < self.top:
            self.where, self.top = where, top
            self.offer(where)


def race(racers: list[Racer], top: float, limits: Limits, rng: Generator) -> TerminationReason:
    """Offer lighter and lighter layouts until none promises less than `top` or the best found."""
    halt = np.zeros(1, np.bool_)
    with ThreadPoolExecutor(limits.threads) as pool:
        for number in range(ROUNDS):
            best = min(top, *(one.top for one in racers))
            running = [one for one in racers if one.floor < best][:MOST]
            if not running:
                return TerminationReason.DONE
            running *= -(-limits.threads // len(running))
            seeds = rng.integers(2**31, size=len(running)).tolist()
            annealed = [
                pool.submit(
                    one.turn,
                    one.where,
                    int(min(one.floor + one.floor // NEAR, best - 1)),
                    (MOVES << number // 2) * one.where.size,
                    HOT[number % len(HOT)],
                    seed,
                    halt,
                )
                for one, seed in zip(running, seeds, strict=True)
            ]
            try:
                for one, future in zip(running, annealed, strict=True):
                    # The clock stands still while a kernel compiles: then more is left afterwards.
                    while wait([future], limits.left_s()).not_done and not limits.over():
                        pass
                    halt[0] |= limits.over()
                    one.learn(*future.result())
            finally:
                halt[0] |= any(not future.done() for future in annealed)
            if limits.over():
                return TerminationReason.TIME_LIMIT
    return TerminationReason.WORK_LIMIT
