"""Test instances: random ones, ones with extreme numbers, and ones solved by hand."""

from collections.abc import Iterator
from contextlib import suppress
from decimal import Decimal
from itertools import chain, islice
from random import Random
from typing import Any

from ..families import Family
from ..instances import InputError, RefusedError
from ..instances.catalogue import entries, load
from ..instances.generate import generate
from ..instances.reading.decode import parse_json
from ..instances.reading.encode import to_text
from ..instances.reading.files import INSTANCES, decode

SMALL = 12
"""Most jobs of a named instance for tests."""

NUMBERS = tuple(map(Decimal, ("0", "1", "2", "7", "1e-9", "1e9", "0.333333333333", "1.000000001")))
"""Extreme replacements for numbers, in addition to other numbers of the same instance."""

TRIES = 20
"""Attempts to replace numbers before an instance is left unchanged."""


def cases(family: Family, *, draws: int, seed: int) -> Iterator[Any]:
    """Yield small instances of a family, the same ones for a seed."""
    yield from islice(named_cases(family), draws)
    yield from islice(drawn_cases(family, seed), draws)
    if family.nasty is None:
        yield from islice(_twisted(family, seed), draws)
    else:
        yield from (family.nasty(seed, index) for index in range(draws))


def named_cases(family: Family) -> Iterator[Any]:
    """Yield catalogue instances, evenly spread over all small ones."""
    small = [
        name
        for name, entry in entries().items()
        if entry.kind == family.kind and entry.problem is None and entry.jobs <= SMALL
    ]
    yield from (load(name) for name in chain(small[::3], small[1::3], small[2::3]))


def drawn_cases(family: Family, seed: int) -> Iterator[Any]:
    """Yield random instances of a family, the same ones for a seed."""
    presets, drawn = list(family.presets or {}), 0
    for index in range(10**6):
        if index > TRIES * (drawn + 1):  # Random replacements rarely give an instance.
            return
        with suppress(InputError, RefusedError):
            if family.drawn is not None:
                yield family.drawn(seed, index)
                drawn += 1
            elif presets:
                yield generate(presets[index % len(presets)], seed=seed + index)
                drawn += 1
            else:
                return


def _twisted(family: Family, seed: int) -> Iterator[Any]:
    """Yield random instances in which some numbers are extreme, or tied with other numbers."""
    for index, instance in enumerate(drawn_cases(family, seed)):
        rng = Random(f"{family.kind} {seed} {index}")
        for _ in range(TRIES):
            body = parse_json(to_text(instance), "drawn")
            places = list(_numbers(body))
            for holder, key in rng.sample(places, min(len(places), rng.choice((1, 2, 4)))):
                other, name = rng.choice(places)
                holder[key] = rng.choice((other[name], rng.choice(NUMBERS)))
            body["name"] = f"nasty-{instance.name}"
            with suppress(InputError, RefusedError):
                yield decode(body, INSTANCES, "drawn")
                break


def _numbers(body: Any) -> Iterator[tuple[Any, Any]]:
    """Yield the positions of numbers: the container and the key."""
    items = body.items() if isinstance(body, dict) else enumerate(body)
    for key, value in items:
        if isinstance(value, dict | list):
            yield from _numbers(value)
        elif isinstance(value, int | Decimal) and not isinstance(value, bool):
            yield body, key
