"""Values are shown short, printable and as they stand in a file."""

from decimal import Decimal

import numpy as np
import pytest

from ringyard.instances import InputError
from ringyard.instances.errors import ABSENT, Problem, Words, brief, nearest, shorten


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("four", "'four'"),
        ("it's", "'it's'"),
        ("Zürich 机", "'Zürich 机'"),
        ("a\nb\x00\ud800\u202e", r"'a\nb\x00\ud800\u202e'"),
        (r"C:\new", r"'C:\\new'"),
        ("x" * 60, f"'{'x' * 60}'"),
        ("x" * 61, f"'{'x' * 60}'... (61 characters)"),
        (ABSENT, "nothing"),
        (Words("a folder"), "a folder"),
        (brief("9" * 5000), f"{'9' * 60}... (5,000 characters)"),
        (None, "null"),
        (True, "true"),
        (False, "false"),
        (0, "0"),
        (-7, "-7"),
        (Decimal("0.10"), "0.10"),
        (0.5, "0.5 (float)"),
        (np.int64(4), "4 (int64)"),
        ([], "an empty list"),
        ([1, 2], "a list of 2"),
        ((1,), "a list of 1"),
        ({}, "an empty object"),
        ({"a": 1, "b\n": 2}, r"an object with keys 'a', 'b\n'"),
        (dict.fromkeys("abc", 1), "an object with keys 'a', 'b', 'c'"),
        (dict.fromkeys("abcd", 1), "an object with keys 'a', 'b', 'c', ..."),
        ({"x" * 100: 1}, f"an object with keys '{'x' * 20}'"),
    ],
)
def test_a_long_value_is_shown_short(value, shown):
    assert shorten(value) == shown


def test_shorten_spares_itself_the_digits_of_a_large_integer():
    assert shorten(10**100_000) == "an integer of 332193 bits"


@pytest.mark.parametrize(
    ("name", "like"),
    [
        ("gpu", "gpus"),
        ("GPUS", "gpus"),
        ("backwards", "backward_s"),
        ("zzz", None),
        ("", None),
        ("gpus" * 1000, None),
    ],
)
def test_the_name_that_was_meant_is_found(name, like):
    assert nearest(name, ["iterations", "gpus", "backward_s"]) == like
    assert nearest(name, []) is None


def test_an_error_keeps_source_problems_and_the_number_left_out():
    problem = Problem("jobs[0].gpus", ABSENT, "an integer", 'add "gpus"')
    error = InputError("a\nb.json", [problem, problem], more=1234)
    assert error.source == "a\nb.json"
    assert error.problems == (problem, problem)
    assert error.more == 1234
    line = r'a\nb.json: jobs[0].gpus: found nothing, expected an integer. Add "gpus".'
    last = r"a\nb.json: 1,234 more problems are hidden. Correct these first."
    assert str(error) == f"{line}\n{line}\n{last}"
    assert str(InputError("f", [], more=9_999)).startswith("f: 9,999 more problems are hidden")
    assert str(InputError("f", [], more=10_000)).startswith("f: at least 10,000 more problems")
