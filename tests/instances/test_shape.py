"""Annotations are unpacked into shapes, and shapes described in words."""

from decimal import Decimal
from typing import Annotated, Literal

import pytest

from ringyard.instances.reading.decode import INVALID, Decoder
from ringyard.instances.reading.vocabulary import (
    Label,
    NonEmpty,
    Pieces,
    Prose,
    Range,
    one_of,
    shape_of,
    span,
)


@pytest.mark.parametrize(
    ("limits", "words"),
    [
        (Range(), ""),
        (Range(low=2), "of at least 2"),
        (Range(high=5), "of at most 5"),
        (Range(low=0, open_low=True), "above 0"),
        (Range(0, 1, open_low=True), "above 0, at most 1"),
        (Range(-3, 10**6), "from -3 to 1e6"),
        (Range(1, 10**5), "from 1 to 100000"),
        (Range(1, 2 * 10**6), "from 1 to 2000000"),
    ],
)
def test_ranges_in_words(limits, words):
    assert span(limits) == words


@pytest.mark.parametrize(
    ("choices", "words"),
    [(("a",), "'a'"), (("a", "b"), "'a' or 'b'"), (("a", "b", "c"), "'a', 'b' or 'c'")],
)
def test_choices_in_words(choices, words):
    assert one_of(choices) == words


@pytest.mark.parametrize(
    ("hint", "words"),
    [
        (int, "an integer"),
        (Decimal, "a number"),
        (Decimal | None, "a number or null"),
        (Annotated[int, Range(1, 9)] | None, "an integer from 1 to 9 or null"),
        (Label, "a name of 1 to 100 printable characters"),
        (Prose | None, "a text of at most 20,000 characters or null"),
        (Literal["x", "y"] | None, "'x' or 'y' or null"),
        (tuple[Label, ...], "a list"),
        (Annotated[tuple[Label, ...], NonEmpty()] | None, "a non-empty list or null"),
        (Pieces, "a non-empty object from server names to numbers of GPUs"),
    ],
)
def test_shapes_in_words(hint, words):
    shape = shape_of(hint)
    assert shape.expectation() == words
    assert (Decoder().value(shape, None, "x") is INVALID) is not words.endswith("or null")
