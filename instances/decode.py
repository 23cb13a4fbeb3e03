"""Plain values to nouns; every fault on the way is collected, none stops the reading."""

from decimal import Decimal
from typing import Any

from .errors import Problem, nearest
from .parse import Refused, Repeated
from .shape import Shape, noun_fields, tag_of
from .vocabulary import MAX_DIGITS

FAULTY: Any = object()
"""Stands where a value could not be decoded."""

MAX_PROBLEMS = 200
"""After so many faults the reader stops collecting."""


class Decoder:
    """Decode values against shapes, collecting problems."""

    def __init__(self) -> None:
        """Start with no problems."""
        self.problems: list[Problem] = []

    def fault(self, path: str, value: Any, expected: str, advice: str) -> Any:
        """Note a problem and return the mark of a faulty value."""
        if len(self.problems) < MAX_PROBLEMS:
            self.problems.append(Problem(path or "file", value, expected, advice))
        return FAULTY

    def value(self, shape: Shape, value: Any, path: str) -> Any:
        """Decode one value."""
        if isinstance(value, Refused):
            return self.fault(path, str(value), value.why, "write an ordinary number")
        if value is None and shape.optional:
            return None
        decode = getattr(self, f"_{shape.kind}")
        return decode(shape, value, path)

    def _mismatch(self, shape: Shape, value: Any, path: str, advice: str) -> Any:
        return self.fault(path, value, shape.expectation(), advice)

    def _whole(self, shape: Shape, value: Any, path: str) -> Any:
        if isinstance(value, Decimal) and value == value.to_integral_value():
            value = int(value)
        if not isinstance(value, int) or isinstance(value, bool):
            return self._mismatch(shape, value, path, "write an integer without quotes")
        if not shape.range.holds(value):
            return self._mismatch(shape, value, path, "correct the value")
        return value

    def _real(self, shape: Shape, value: Any, path: str) -> Any:
        if isinstance(value, bool) or not isinstance(value, int | Decimal):
            return self._mismatch(shape, value, path, "write a number without quotes")
        exact = Decimal(value)
        if not exact.is_finite() or len(exact.as_tuple().digits) > MAX_DIGITS:
            return self._mismatch(shape, value, path, f"use at most {MAX_DIGITS} digits")
        if not shape.range.holds(exact):
            return self._mismatch(shape, value, path, "correct the value")
        return exact

    def _text(self, shape: Shape, value: Any, path: str) -> Any:
        if not isinstance(value, str):
            return self._mismatch(shape, value, path, "put it in double quotes")
        if not shape.text.holds(value) or not _encodable(value):
            return self._mismatch(shape, value, path, "correct the text")
        return value

    def _choice(self, shape: Shape, value: Any, path: str) -> Any:
        if isinstance(value, str) and value in shape.choices:
            return value
        like = nearest(value, list(shape.choices)) if isinstance(value, str) else None
        advice = f"did you mean {like!r}?" if like else "choose one of them"
        return self._mismatch(shape, value, path, advice)

    def _list(self, shape: Shape, value: Any, path: str) -> Any:
        if not isinstance(value, list | tuple):
            return self._mismatch(shape, value, path, "put the elements in [ ]")
        if shape.non_empty and not value:
            return self._mismatch(shape, value, path, "add at least one element")
        inner = shape.inner[0]
        return tuple(self.value(inner, item, f"{path}[{i}]") for i, item in enumerate(value))

    def _map(self, shape: Shape, value: Any, path: str) -> Any:
        if not isinstance(value, dict) or not value:
            return self._mismatch(shape, value, path, 'write for example {"s0": 2}')
        self._key_repeats(value, path)
        key, count = shape.inner
        pairs = []
        for name, number in value.items():
            self.value(key, name, f"{path} key")
            pairs.append((name, self.value(count, number, f"{path}.{name}")))
        return tuple(sorted(pairs, key=lambda pair: pair[0]))

    def _union(self, shape: Shape, value: Any, path: str) -> Any:
        members = {tag_of(member): member for member in shape.inner}
        tags = ", ".join(repr(tag) for tag in members)
        if not isinstance(value, dict):
            return self._mismatch(shape, value, path, f'write {{"model": ...}}, one of {tags}')
        tag = value.get("model")
        if not isinstance(tag, str) or tag not in members:
            like = nearest(tag, list(members)) if isinstance(tag, str) else None
            advice = f"did you mean {like!r}?" if like else "choose one of them"
            return self.fault(f"{path}.model", tag, f"one of {tags}", advice)
        return self._object(members[tag], value, path)

    def _object(self, shape: Shape, value: Any, path: str) -> Any:
        if not isinstance(value, dict):
            return self._mismatch(shape, value, path, "put the fields in { }")
        known = noun_fields(shape.noun)
        self._key_repeats(value, path)
        for key in value:
            if key not in known:
                like = nearest(key, [name for name in known if name not in value])
                advice = f"did you mean {like!r}?" if like else "remove it"
                expected = "one of the fields " + ", ".join(known)
                self.fault(_join(path, str(key)[:60]), value[key], expected, advice)
        given: dict[str, Any] = {}
        for name, field in known.items():
            if name in value:
                given[name] = self.value(field.shape, value[name], _join(path, name))
            elif field.required:
                expected = f"{name} ({field.about}), {field.shape.expectation()}"
                self.fault(_join(path, name), "nothing", expected, f"add {name!r}")
                given[name] = FAULTY
        return FAULTY if any(_faulty(v) for v in given.values()) else shape.noun(**given)

    def _key_repeats(self, value: dict[str, Any], path: str) -> None:
        if isinstance(value, Repeated):
            for key in value.keys_twice:
                self.fault(_join(path, key[:60]), "the key twice", "each key once", "remove one")


def _faulty(value: Any) -> bool:
    if isinstance(value, tuple):
        return any(_faulty(item) for item in value)
    return value is FAULTY


def _join(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def _encodable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
