"""Nouns that show themselves in a line, however much they hold."""

from typing import Any

from .errors import visible

LONGEST = 100
"""Characters of a text that a line shows."""


def find(name: str) -> Any:
    """Return what ``module:name`` of this package is, which may itself need this file."""
    from ..families import late

    return late.find(name)


class Short:
    """Has a `repr` of one line, also where a dataclass would write a longer one."""

    __slots__ = ()

    def __init_subclass__(cls) -> None:
        """Keep the short one."""
        cls.__repr__ = Short.__repr__  # type: ignore[method-assign]

    def __repr__(self) -> str:
        """Show what it is, and the least that tells it from others."""
        try:
            return f"{type(self).__name__}({self.brief()})"
        except Exception:  # Of a noun that no reader has seen anything can be wrong.
            return f"{type(self).__name__}(faulty: ringyard.save tells why)"

    def brief(self) -> str:
        """Return what stands in the brackets."""
        raise NotImplementedError


def sizes(noun: Any) -> list[str]:
    """Say how many of each kind of part a noun has: those of its lists of nouns."""
    noun_fields = find(".instances.reading.shape:noun_fields")
    found = []
    for name, field in noun_fields(type(noun)).items():
        held, shape = getattr(noun, name), field.shape
        if shape.kind == "list" and shape.inner[0].kind == "object":
            found.append(f"{len(held):,} {name[: len(name) - (len(held) == 1)]}")
        elif shape.kind == "object" and held is not None:
            found += sizes(held)
    return found


def cut(text: str) -> str:
    """Return the beginning of a text, printable."""
    return visible(text[:LONGEST]) + ("…" if len(text) > LONGEST else "")
