"""Instances on which things are tried: random ones, nasty ones, and those worked out by hand."""

from collections.abc import Iterator
from contextlib import suppress
from itertools import chain, islice
from typing import Any

from ..families import Family
from ..instances import InputError, RefusedError
from ..instances.catalogue import entries, load
from ..instances.generate import generate
from .nasty import nasty_instance

SMALL = 12
"""Jobs of a named instance that is small enough."""


def cases(family: Family, *, draws: int, seed: int) -> Iterator[Any]:
    """Yield small instances of a family, the same ones for a seed."""
    yield from islice(_named(family), draws)
    yield from islice(_drawn(family, seed), draws)
    if family.instance.__name__ == "MakespanInstance":
        yield from (nasty_instance(seed, index) for index in range(draws))


def _named(family: Family) -> Iterator[Any]:
    """Yield instances of the catalogue, evenly over all that are small."""
    small = [
        name
        for name, entry in entries().items()
        if entry.family == family.kind and entry.fault is None and entry.jobs <= SMALL
    ]
    yield from (load(name) for name in chain(small[::3], small[1::3], small[2::3]))


def _drawn(family: Family, seed: int) -> Iterator[Any]:
    presets = list(family.presets or {})
    for index in range(10**6):
        with suppress(InputError, RefusedError):
            if family.drawn is not None:
                yield family.drawn(seed, index)
            elif presets:
                yield generate(presets[index % len(presets)], seed=seed + index)
            else:
                return
