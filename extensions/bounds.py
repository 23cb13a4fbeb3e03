"""User-defined and other packages' bounds: functions that are called only by name, not certified.

Such a function gets an instance, and limits if it has that parameter. It returns a number, a
`Bound`, several of them, or None.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from math import isfinite
from typing import Any

from ..instances import Bound, BoundKind, Instance, Limits
from ..instances.errors import InputError, unknown
from .calling import Call
from .entry_points import brought_as, named

GROUP = "ringyard.bounds"
"""Entry point group of other packages' bounds, each a function."""

SEEN = ("instance", "limits")
"""The permitted parameter names of a bound."""


def find_bound(name: str | Callable[..., Any]) -> Call:
    """Return a bound by name, by ``path/to/file.py:function``, or by ``module:function``."""
    if not isinstance(name, str):
        return Call(name, getattr(name, "__name__", type(name).__name__), SEEN, "instance")
    if "=" in name.rpartition(":")[2]:
        advice = "leave them out, or give the function other defaults"
        raise InputError.of("--by", "bound", name, "a bound without options", advice)
    if one := brought_as(GROUP, name):
        return Call(one.load(Callable), one.name, SEEN, "instance")
    expected = "a bound of another package, FILE.py:FUNCTION or MODULE:FUNCTION, or PROGRAM:SOLVER"
    other = unknown("bound", name, named(GROUP), "see `ringyard list bounds`", expected)
    raise InputError("--by", [other])


def bounds_by(call: Call, instance: Instance, limits: Limits) -> list[Bound]:
    """Return the bounds of a user-defined function, with a kind that is never certified."""
    given = call({"instance": instance, "limits": limits}, call.Options())
    about = ((call.function.__doc__ or "").strip().splitlines() or [""])[0].rstrip(".")
    with call.guarded():
        found = list(_bounds(call, given, about))
    return [replace(one, kind=BoundKind.NONE) for one in found]


def _bounds(call: Call, given: Any, about: str) -> Iterator[Bound]:
    if given is None:
        return
    if isinstance(given, Bound):
        yield given
    elif isinstance(given, list | tuple):
        for part in given:
            yield from _bounds(call, part, about)
    elif isinstance(given, int | float | Decimal | Fraction) and isfinite(given):
        yield Bound(value=Fraction(given), kind=BoundKind.NONE, name=call.label, argument=about)
    else:
        raise call.error(given, "a finite number, a Bound, or a list of them")
