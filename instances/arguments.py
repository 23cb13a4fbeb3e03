"""Numbers that are asked for, in Python by a name and on the command line by an option."""

from typing import Any

from .errors import ABSENT, Problem, Words


def seed_problems(seed: Any, place: str = "--seed") -> list[Problem]:
    """Return what is wrong with a seed: it must fit into a file and into every generator."""
    if hasattr(seed, "__index__") and 0 <= seed < 2**63:
        return []
    return [Problem(place, _shown(seed), "an integer from 0 to 2^63 - 1", "choose another seed")]


def time_limit_problems(
    seconds: Any, place: str = "--time-limit", *, none: bool = False
) -> list[Problem]:
    """Return what is wrong with a time limit: there must be some time, or perhaps none."""
    number = hasattr(seconds, "__float__")
    if seconds is None or (number and (seconds > 0 or (none and seconds == 0))):
        return []
    found = Words(f"{seconds:g}") if number else _shown(seconds)
    expected = "seconds, 0 or more" if none else "seconds above 0"
    return [Problem(place, found, expected, "give a longer time")]


def at_least_one(place: str, number: Any, *, given: bool = False) -> list[Problem]:
    """Return what is wrong with a number that has to be 1 or more, if it need not be given."""
    if (number is None and not given) or (hasattr(number, "__index__") and number >= 1):
        return []
    return [Problem(place, _shown(number), "an integer at least 1", "give 1 or more")]


def _shown(value: Any) -> Any:
    return ABSENT if value is None else value
