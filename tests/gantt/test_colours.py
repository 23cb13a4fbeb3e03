"""What colours promise: told apart by colour-blind eyes, and a darker bar is a slower ring."""

from itertools import combinations

import numpy as np
import pytest

from ringyard.analysis.drawing import colours

TO_XYZ = np.array(
    [
        [0.4124564, 0.3575761, 0.1804375],
        [0.2126729, 0.7151522, 0.0721750],
        [0.0193339, 0.1191920, 0.9503041],
    ]
)
VISIONS = {
    "normal": np.eye(3),
    "green-blind": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
    "red-blind": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
}
"""How linear RGB looks to whom (Machado, Oliveira and Fernandes 2009, severity 1)."""


def lab(colour: str, vision: str = "normal") -> np.ndarray:
    """Return CIE Lab coordinates of a colour as somebody sees it."""
    part = np.array(list(bytes.fromhex(colour[1:]))) / 255
    linear = np.where(part <= 0.04045, part / 12.92, ((part + 0.055) / 1.055) ** 2.4)
    seen = np.clip(np.array(VISIONS[vision]) @ linear, 0, 1)
    white = TO_XYZ.sum(axis=1)
    xyz = TO_XYZ @ seen / white
    root = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    x, y, z = root
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


@pytest.mark.parametrize("vision", VISIONS)
def test_hues_are_told_apart(vision: str) -> None:
    seen = [lab(hue, vision) for hue in colours.HUES]
    assert min(np.linalg.norm(a - b) for a, b in combinations(seen, 2)) >= 19


def test_hues_are_light_and_quiet_tones_lighter() -> None:
    for number, hue in enumerate(colours.HUES):
        light, quiet = lab(hue), lab(colours.quiet_colour(number))
        assert 65 < light[0] < quiet[0] + 5
        assert np.linalg.norm(quiet[1:]) < 0.65 * np.linalg.norm(light[1:])


def test_a_slower_ring_is_darker() -> None:
    slowdowns = [1.0, 1.2, 1.5, 2.0, 3.0, 5.0, 50.0, 1e9]
    steps = [colours.shade_step(colours.lost_part(slowdown)) for slowdown in slowdowns]
    assert steps[0] == 0
    assert steps == sorted(steps)
    assert len(set(steps[:7])) == 7
    assert colours.shade_opacity(0) == 0
    assert colours.shade_opacity(max(steps)) < 0.7


@pytest.mark.parametrize("step", range(0, colours.STEPS + 1, 2))
@pytest.mark.parametrize("hue", colours.HUES)
def test_names_can_be_read_on_every_bar(hue: str, step: int) -> None:
    ground = colours.mixed(hue, colours.SHADE, colours.shade_opacity(step))
    ink = colours.ink_on(hue, step)
    assert abs(lab(ground)[0] - lab(ink)[0]) > 38
