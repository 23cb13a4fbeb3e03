"""Eight looks: told apart by colour-blind eyes, and without any colour."""

from itertools import combinations

import numpy as np
import pytest
from gantt.test_colours import VISIONS, lab

from ringyard.analysis.figures.style import GUIDE, LOOKS, looks_for
from ringyard.instances.errors import InputError


@pytest.mark.parametrize("vision", VISIONS)
def test_colours_are_told_apart(vision: str) -> None:
    seen = [lab(look["color"], vision) for look in (*LOOKS, GUIDE)]
    assert min(np.linalg.norm(a - b) for a, b in combinations(seen, 2)) >= 19


def test_colours_are_seen_on_paper() -> None:
    assert max(lab(look["color"])[0] for look in LOOKS) < 70


def test_lines_and_points_are_told_apart_without_colour() -> None:
    assert len({look["linestyle"] for look in (*LOOKS, GUIDE)}) == len(LOOKS) + 1
    marks = {(look["marker"], look["markerfacecolor"] == look["color"]) for look in LOOKS}
    assert len(marks) == len(LOOKS) == 8


def test_a_name_has_one_look() -> None:
    looks = looks_for(["b", "a", "b"])
    assert list(looks) == ["b", "a"]
    assert looks["a"] != looks["b"]


def test_a_ninth_name_is_refused() -> None:
    assert len(looks_for(map(str, range(8)))) == 8
    with pytest.raises(InputError, match="found 9, expected at most 8"):
        looks_for(map(str, range(9)))


def test_a_name_keeps_its_look_among_all_methods() -> None:
    among = {"d", "b:k=1", "b:k=2", "a", "c"}
    assert looks_for(["c", "b"], among) == {"c": LOOKS[3], "b": LOOKS[1]}
    assert looks_for(["c", "other"], among) == {"c": LOOKS[0], "other": LOOKS[1]}
    assert looks_for(["c"], {"c", *map(str, range(8))}) == {"c": LOOKS[0]}
