"""Methods that are not of this package: how they are named, loaded, called and understood.

A function from an instance to a plan, or one under `policy` that decides as things happen, is a
method wherever one can be named: ``ringyard solve X --method my_file.py:my_function``.
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
"""The attribute of a function in which its declaration is."""


@dataclass(frozen=True, slots=True)
class Declared:
    """A function decides as things happen, in instances of a family."""

    family: str
    traits: dict[str, Any] = field(default_factory=dict)


def policy(family: str, **traits: Any) -> Callable[[Function], Function]:
    """Declare a function that decides as things happen; the engine asks it at every event.

    The function says by the names of its parameters what it wants to see; those with a default
    are its options. What it can see and what it returns stands, for each family, in the
    page "Your own method". `traits` are those that the family knows.
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
    """Return the declaration of a function, also of one that is partly applied, if it has one."""
    while isinstance(thing, partial) and not hasattr(thing, DECLARED):
        thing = thing.func
    found = getattr(thing, DECLARED, None)
    return found if isinstance(found, Declared) else None
