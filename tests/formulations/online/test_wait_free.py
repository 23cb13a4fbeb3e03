"""The time of wait-free backpropagation, against a simulation and by hand."""

from random import Random

import pytest

from ringyard.formulations.online.wait_free import wait_free_ms


def simulated(backward: list[int], transfer: list[int], forward: list[int]) -> int:
    """Count milliseconds: a processor and two links, each works at one layer at a time."""
    layers = len(backward)
    queues = [list(reversed(range(layers))), [], []]
    needs = [backward, transfer, transfer]
    left = [0, 0, 0]
    back = clock = 0
    while back < layers:
        for queue, need, at in zip(queues, needs, range(3), strict=True):
            if queue and not left[at]:
                left[at] = need[queue[0]]
        clock += 1
        for at in reversed(range(3)):
            if left[at] == 1:
                layer = queues[at].pop(0)
                if at < 2:
                    queues[at + 1].append(layer)
                else:
                    back += 1
            left[at] = max(0, left[at] - 1)
    return clock + sum(forward)


def test_three_layers_by_hand() -> None:
    """Gradients are there at 2, 5, 6; sent by 6, 7, 9; back by 10, 11, 13; then 3 forward."""
    assert wait_free_ms([1, 3, 2], [2, 1, 4], [1, 1, 1]) == 16


@pytest.mark.parametrize("seed", range(20))
def test_the_formula_is_what_happens(seed: int) -> None:
    rng = Random(seed)
    layers = 1 + int(rng.random() * 8)
    times = [[1 + int(rng.random() * most) for _ in range(layers)] for most in (30, 25, 50)]
    assert wait_free_ms(*times) == simulated(*times)


def test_nothing_to_send_leaves_the_passes() -> None:
    assert wait_free_ms([3, 4], [0, 0], [1, 2]) == 10
