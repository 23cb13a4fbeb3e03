"""Options that several commands share."""

from collections.abc import Sequence
from decimal import Decimal, InvalidOperation
from typing import Annotated, Any

from cyclopts import Parameter, Token

from ...instances.errors import Problem, Words


def _whole(_: Any, tokens: Sequence[Token]) -> int:
    text = tokens[0].value
    try:
        return int(text)
    except ValueError:
        raise ValueError(f"{text!r} is no whole number.") from None


Flag = Annotated[bool, Parameter(negative=())]
"""An option that is there or not."""

Whole = Annotated[int, Parameter(converter=_whole)]
"""An option in whole numbers; without this, 1.5 would count as 2."""


def _decimal(text: str, what: str) -> Decimal:
    try:
        value = Decimal(text)
    except InvalidOperation:
        value = Decimal("NaN")
    if not value.is_finite():
        raise ValueError(f"{text!r} is no {what}.")
    return value


def _number(_: Any, tokens: Sequence[Token]) -> Decimal:
    return _decimal(tokens[0].value, "number")


Number = Annotated[Decimal, Parameter(converter=_number)]
"""An option that is a number, exactly as written."""


def _seconds(_: Any, tokens: Sequence[Token]) -> Decimal:
    return _decimal(tokens[0].value, "number of seconds")


Seconds = Annotated[Decimal, Parameter(converter=_seconds)]
"""An option in seconds, exactly as written."""


def seed_problems(seed: int) -> list[Problem]:
    """Return what is wrong with a seed: it must fit into a file and into every generator."""
    if 0 <= seed < 2**63:
        return []
    return [Problem("--seed", seed, "an integer from 0 to 2^63 - 1", "choose another seed")]


def time_limit_problems(seconds: float | None) -> list[Problem]:
    """Return what is wrong with a time limit: there must be some time."""
    if seconds is None or seconds > 0:
        return []
    found = Words(f"{seconds:g}")
    return [Problem("--time-limit", found, "seconds above 0", "give a longer time")]


def at_least_one(option: str, number: int | None) -> list[Problem]:
    """Return what is wrong with a number that has to be 1 or more, if it is given."""
    if number is None or number >= 1:
        return []
    return [Problem(option, number, "an integer at least 1", "give 1 or more")]
