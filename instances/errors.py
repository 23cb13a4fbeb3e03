"""What goes wrong, said so that the reader knows the next step."""

from dataclasses import dataclass
from typing import Any


class RingyardError(Exception):
    """Base of every error that Ringyard raises on purpose."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One fault of an input: where it stands, what stands there, what was expected."""

    path: str
    value: Any
    expected: str
    advice: str

    def __str__(self) -> str:
        """One line: path, value, expectation, next step."""
        return f"{self.path}: found {shorten(self.value)}; expected {self.expected}; {self.advice}"


class InputError(RingyardError):
    """A file or value that cannot be used, with every fault found in it."""

    def __init__(self, source: str, problems: list[Problem]) -> None:
        """Keep the source's name and all its problems."""
        self.source = source
        self.problems = tuple(problems)
        super().__init__("\n".join(f"{source}: {problem}" for problem in problems))


class RefusedError(RingyardError):
    """A method that says in advance that it cannot treat an instance."""


class MissingError(RingyardError):
    """A part that is not installed; the message holds the command that installs it."""


def shorten(value: Any, width: int = 60) -> str:
    """Show a value in at most `width` characters, without walking all of a large one."""
    if isinstance(value, str):
        text = ascii_safe(value[: width + 1])
    elif isinstance(value, dict):
        keys = ", ".join(ascii_safe(str(key)[:20]) for key in list(value)[:3])
        text = f"an object with keys {keys}" if value else "an empty object"
    elif isinstance(value, list | tuple):
        text = f"a list of {len(value)}"
    elif value is None:
        text = "null"
    elif isinstance(value, bool):
        text = "true" if value else "false"
    elif isinstance(value, int):
        text = str(value) if abs(value) < 10**width else f"an integer of {value.bit_length()} bits"
    else:
        text = str(value)
    return text if len(text) <= width else text[: width - 3] + "..."


def ascii_safe(text: str) -> str:
    """Quote a text so that control characters and lone surrogates can be printed."""
    return "'" + text.encode("unicode_escape").decode("ascii").replace("'", "\\'") + "'"


def nearest(name: str, known: list[str]) -> str | None:
    """Return the known name that looks most like `name`, if any does."""
    from difflib import get_close_matches

    found = get_close_matches(name.lower(), [k.lower() for k in known], n=1, cutoff=0.6)
    return next((k for k in known if found and k.lower() == found[0]), None)
