"""Errors that name the next step."""

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any


class RingyardError(Exception):
    """Base of every error that Ringyard raises on purpose."""


class Words(str):
    """A description of the found value, shown as it is. A plain text is shown in quotes."""

    __slots__ = ()


ABSENT = Words("nothing")
"""The found value if a field is missing."""


MANY = 10_000
"""Number of problems at which a reader stops."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One problem of an input: its place, the value found, and the expected value."""

    path: str
    value: Any
    expected: str
    advice: str

    def __str__(self) -> str:
        """One line: path, value, expectation, next step."""
        found = f"{self.path}: found {shorten(self.value)}, expected {self.expected}"
        return f"{found}. {sentence(self.advice)}"


class InputError(RingyardError):
    """A file or value that cannot be used, with its problems.

    ``problems`` holds every problem, or the first of very many. ``more`` is the number of further
    ones.
    """

    def __init__(self, source: str, problems: list[Problem], more: int = 0) -> None:
        """Store the source's name and its problems."""
        self.source = source
        self.problems = tuple(problems)
        self.more = more
        name = visible(source)
        lines = [f"{name}: {problem}" for problem in problems]
        if more:
            count = f"{'at least ' if more >= MANY else ''}{more:,} more problems"
            lines.append(f"{name}: {count} are hidden. Correct these first.")
        super().__init__("\n".join(lines))

    @classmethod
    def of(cls, source: str, path: str, value: Any, expected: str, advice: str) -> "InputError":
        """Return the error of a single problem, with the fields of `Problem`."""
        return cls(source, [Problem(path, value, expected, advice)])


def raise_any(source: str, problems: Iterable[Problem]) -> None:
    """Raise the problems found, if any."""
    if found := list(problems):
        raise InputError(source, found)


class UnknownError(InputError, KeyError):
    """An unknown name, which lookups can also catch as a `KeyError`."""

    __str__ = Exception.__str__


class RefusedError(RingyardError):
    """A method's refusal in advance of an instance that it does not support."""


class MethodError(RingyardError):
    """A failure of a user-defined or external method, with the lines of its own code."""


class MissingError(RingyardError):
    """A part that is not installed. The message has the command that installs it."""


def shorten(value: Any, width: int = 60) -> str:
    """Return a value as a text of about `width` characters, without walking all of a large one."""
    if isinstance(value, Words):
        return visible(value)
    if isinstance(value, str):
        return quoted(value[:width]) + _rest(value, width)
    if isinstance(value, dict):
        keys = ", ".join(quoted(str(key)[:20]) for key in list(value)[:3])
        rest = ", ..." if len(value) > 3 else ""
        return f"an object with keys {keys}{rest}" if value else "an empty object"
    if isinstance(value, list | tuple):
        return f"a list of {len(value)}" if value else "an empty list"
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, int) and value.bit_length() > 200:
        return f"an integer of {value.bit_length()} bits"
    text = visible(str(value)[:width])
    # Only an object made in Python can hold other types. Their name explains the refusal.
    return text if isinstance(value, int | Decimal) else f"{text} ({type(value).__name__})"


def brief(text: str, width: int = 60) -> Words:
    """Describe a long text by its beginning and its length."""
    return Words(text[:width] + _rest(text, width))


def shown(text: str, width: int) -> str:
    """Return the beginning of a text, with unprintable characters escaped."""
    return visible(text[:width]) + _rest(text, width)


def _rest(text: str, width: int) -> str:
    return f"... ({len(text):,} characters)" if len(text) > width else ""


def visible(text: str, *, but: str = "") -> str:
    """Escape control characters and lone surrogates, except the ones in `but`."""
    if text.isprintable():
        return text
    return "".join(
        c if c.isprintable() or c in but else c.encode("unicode_escape").decode("ascii")
        for c in text
    )


def sentence(text: str) -> str:
    """Return a text with a full stop, and with a capital letter unless it begins with a name."""
    capital = text[:1].upper() if text.partition(" ")[0].isalpha() else text[:1]
    return capital + text[1:] + "." * (text[-1:] not in ".?!")


def plural(count: int, noun: str) -> str:
    """Return a count with its noun, which gets an s unless it is 1."""
    return f"{count:,} {noun}" + "s" * (count != 1)


def quoted(text: str) -> str:
    """Return a text in quotes, with unprintable characters escaped."""
    return "'" + visible(text.replace("\\", "\\\\")) + "'"


def reason(error: Exception) -> Words:
    """Return the system's reason why a path could not be used."""
    if isinstance(error, ValueError):
        return Words("characters that no file name allows")
    return Words((getattr(error, "strerror", None) or str(error)).lower())


def nearest(name: str, known: list[str], cutoff: float = 0.6) -> str | None:
    """Return the known name that is most similar to `name`, if any is."""
    from difflib import get_close_matches

    if len(name) > 100:
        return None
    found = get_close_matches(name.lower(), [k.lower() for k in known], n=1, cutoff=cutoff)
    return next((k for k in known if found and k.lower() == found[0]), None)


def unknown(place: str, name: str, known: Iterable[str], hint: str, expected: str = "") -> Problem:
    """Return the problem of an unknown name, with a similar one or a hint."""
    like = nearest(name, list(known))
    advice = f"did you mean {like!r}?" if like else hint
    return Problem(place, name, expected or "one of " + ", ".join(known), advice)
