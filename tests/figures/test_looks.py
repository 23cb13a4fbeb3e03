"""Eight looks: told apart by colour-blind eyes, and without any colour."""

from itertools import combinations

import numpy as np
import pytest
from gantt.test_colours import VISIONS, lab

from ringyard.analysis.charts.looks import GUIDE, LOOKS
from ringyard.analysis.charts.panel import looks_for
from ringyard.instances.errors import InputError


@pytest.mark.parametrize("vision", VISIONS)
def test_colours_are_told_apart(vision: str) -> None:
    seen = [lab(look.colour, vision) for look in (*LOOKS, GUIDE)]
    assert min(np.linalg.norm(a - b) for a, b in combinations(seen, 2)) >= 19


def test_colours_are_seen_on_paper() -> None:
    assert max(lab(look.colour)[0] for look in LOOKS) < 70


def test_lines_and_points_are_told_apart_without_colour() -> None:
    assert len({look.dash for look in (*LOOKS, GUIDE)}) == len(LOOKS) + 1
    assert len({(look.outline, look.hollow) for look in LOOKS}) == len(LOOKS) == 8


def test_a_name_has_one_look() -> None:
    looks = looks_for(["b", "a", "b"])
    assert list(looks) == ["b", "a"]
    assert looks["a"] != looks["b"]


def test_a_ninth_name_is_refused() -> None:
    assert len(looks_for(map(str, range(8)))) == 8
    with pytest.raises(InputError, match="found 9; expected at most 8"):
        looks_for(map(str, range(9)))
