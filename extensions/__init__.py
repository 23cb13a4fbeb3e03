"""User-defined and other packages' methods: how they are named, loaded, called and interpreted.

A function from an instance to a plan, or one under `policy` that decides at events, is accepted
wherever a method is named: ``ringyard solve X --method my_file.py:my_function``.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar

from ..instances.errors import InputError, Words
from .entry_points import register

__all__ = ["policy", "register"]


Function = TypeVar("Function", bound=Callable[..., Any])

DECLARED = "__ringyard_policy__"
"""The attribute of a function with its declaration."""


@dataclass(frozen=True, slots=True)
class Declared:
    """Declaration of a function that decides at events, for instances of a family."""

    family: str
    traits: dict[str, Any] = field(default_factory=dict)


def policy(family: str, **traits: Any) -> Callable[[Function], Function]:
    """Declare a function that decides at events. The engine calls it at every event.

    A function gets the values that its parameters name. Parameters with a default are its options.
    The page "Your own method" lists the values and the result of each family. `traits` are traits
    of the family.
    """
    if not isinstance(family, str):
        raise InputError.of(
            "@policy",
            "family",
            Words("a function"),
            "the name of a problem family",
            'name it: @policy("makespan"), for example',
        )

    def declare(function: Function) -> Function:
        setattr(function, DECLARED, Declared(family, traits))
        return function

    return declare


def declared(thing: Any) -> Declared | None:
    """Return the declaration of a function or of its partial application, or None."""
    while isinstance(thing, partial) and not hasattr(thing, DECLARED):
        thing = thing.func
    found = getattr(thing, DECLARED, None)
    return found if isinstance(found, Declared) else None
