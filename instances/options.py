"""Options as key=value, for generators and methods alike: frozen nouns with defaults."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, TypeVar

from .errors import InputError, Problem
from .reading.decode import FAULTY, Decoder
from .reading.parse import parse_json
from .reading.shape import Shape

Noun = TypeVar("Noun")


def read_words(words: Iterable[str], where: str, example: str) -> dict[str, Any]:
    """Return the options that words such as servers=10 give; values are JSON, or plain text."""
    options: dict[str, Any] = {}
    problems = []
    for word in words:
        key, equals, text = word.partition("=")
        if not equals or not key:
            problems.append(Problem(where, word, "key=value", f"write for example {example}"))
            continue
        if key in options:
            problems.append(Problem(where, word, "each key once", "remove one"))
        try:
            options[key] = parse_json(text, where)
        except InputError:
            options[key] = text
    if problems:
        raise InputError(where, problems)
    return options


def with_options(preset: Noun, options: dict[str, Any], where: str) -> Noun:
    """Return a noun with some fields replaced, each checked against what it may be."""
    decoder = Decoder()
    given = decoder.value(Shape("object", noun=type(preset)), options, "")
    if decoder.problems or given is FAULTY:
        raise InputError(where, decoder.problems)
    return replace(preset, **{key: getattr(given, key) for key in options})  # type: ignore[type-var]
