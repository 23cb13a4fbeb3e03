"""Plain values to nouns; every fault on the way is collected, none stops the reading."""

from decimal import Decimal
from typing import Any

from ..errors import ABSENT, MANY, Problem, RingyardError, Words, nearest, quoted, shorten
from .parse import ORDINARY, Refused, Repeated, ordinary
from .shape import FieldShape, Shape, noun_fields, one_of, tag_of

FAULTY: Any = object()
"""Stands where a value could not be decoded."""

MAX_PROBLEMS = 200
"""How many faults are kept; further ones are counted."""


class TooManyError(RingyardError):
    """There are too many faults to look for more."""


class Decoder:
    """Decode values against shapes, collecting problems."""

    def __init__(self) -> None:
        """Start with no problems."""
        self.problems: list[Problem] = []
        self.more = 0
        self._likes: dict[tuple[str, ...], str | None] = {}
        self._by_kind = {
            "whole": self._whole,
            "real": self._real,
            "text": self._text,
            "choice": self._choice,
            "list": self._list,
            "map": self._map,
            "union": self._union,
            "object": self._object,
        }

    def note(self, problem: Problem) -> None:
        """Keep a problem, or count it if there are many already."""
        if len(self.problems) < MAX_PROBLEMS:
            self.problems.append(problem)
            return
        self.more += 1
        if self.more == MANY:
            raise TooManyError

    def fault(self, path: str, value: Any, expected: str, advice: str) -> Any:
        """Note a problem and return the mark of a faulty value."""
        self.note(Problem(path, value, expected, advice))
        return FAULTY

    def value(self, shape: Shape, value: Any, path: str) -> Any:
        """Decode one value."""
        if value is None and shape.optional:
            return None
        return self._by_kind[shape.kind](shape, value, path)

    def repeats(self, value: dict[str, Any], path: str) -> None:
        """Note the keys that stand twice in an object."""
        if isinstance(value, Repeated):
            for key in value.keys_twice:
                self.fault(join(path, key), Words("this key twice"), "it once", "remove one")

    def _mismatch(self, shape: Shape, value: Any, path: str, advice: str) -> Any:
        return self.fault(path, value, shape.expectation(), advice)

    def _like(self, name: Any, known: list[str]) -> str | None:
        """Return the known name meant; the search stops when it will not be shown."""
        if not isinstance(name, str):
            return None
        asked = (name, *known)
        if asked not in self._likes and not self.more:
            self._likes[asked] = nearest(name, known)
        return self._likes.get(asked)

    def _whole(self, shape: Shape, value: Any, path: str) -> Any:
        if isinstance(value, Decimal) and ordinary(value) and value == int(value):
            value = int(value)
        if not isinstance(value, int) or isinstance(value, bool):
            return self._no_number(shape, value, path, "an integer")
        if not shape.range.holds(value):
            return self._outside(shape, value, path)
        return value

    def _real(self, shape: Shape, value: Any, path: str) -> Any:
        if isinstance(value, bool) or not isinstance(value, int | Decimal):
            return self._no_number(shape, value, path, "a number")
        exact = Decimal(value)
        if not ordinary(exact):
            return self.fault(path, value, ORDINARY, "round it")
        if not shape.range.holds(exact):
            return self._outside(shape, value, path)
        return exact

    def _no_number(self, shape: Shape, value: Any, path: str, what: str) -> Any:
        if isinstance(value, Refused):
            if value.lstrip("-")[:1].isdigit():
                return self.fault(path, value, ORDINARY, "correct or round it")
            advice = "write a finite number"
        elif isinstance(value, str) and _is_number(value):
            advice = "remove the quotes"
        elif isinstance(value, float):
            advice = f"write Decimal('{value}'), which is exact"
        else:
            advice = "round it" if isinstance(value, Decimal) else f"write {what}"
        return self._mismatch(shape, value, path, advice)

    def _outside(self, shape: Shape, value: Any, path: str) -> Any:
        high = shape.range.high
        advice = "lower it" if high is not None and value > high else "raise it"
        return self._mismatch(shape, value, path, advice)

    def _text(self, shape: Shape, value: Any, path: str) -> Any:
        if not isinstance(value, str) or isinstance(value, Words):
            return self._mismatch(shape, value, path, "write a text in double quotes")
        if not _encodable(value):
            return self.fault(path, value, "whole Unicode characters", "remove the half ones")
        if not shape.text.holds(value):
            return self._mismatch(shape, value, path, _text_advice(shape, value))
        return value

    def _choice(self, shape: Shape, value: Any, path: str) -> Any:
        if isinstance(value, str) and value in shape.choices:
            return value
        like = self._like(value, list(shape.choices))
        advice = f"did you mean {like!r}?" if like else f"write {one_of(shape.choices)}"
        return self._mismatch(shape, value, path, advice)

    def _list(self, shape: Shape, value: Any, path: str) -> Any:
        if not isinstance(value, list | tuple):
            return self._mismatch(shape, value, path, "put the elements in [ ]")
        if shape.non_empty and not value:
            return self._mismatch(shape, value, path, "add at least one element")
        inner = shape.inner[0]
        return tuple([self.value(inner, item, f"{path}[{i}]") for i, item in enumerate(value)])

    def _map(self, shape: Shape, value: Any, path: str) -> Any:
        if not isinstance(value, dict) or not value:
            example = shape.map.example if shape.map else "{}"
            return self._mismatch(shape, value, path, f"write for example {example}")
        self.repeats(value, path)
        key, count = shape.inner
        pairs = tuple(
            (self.value(key, name, place), self.value(count, number, place))
            for name, number in value.items()
            for place in [join(path, name)]
        )
        return FAULTY if _faulty(pairs) else tuple(sorted(pairs))

    def _union(self, shape: Shape, value: Any, path: str) -> Any:
        members = {tag_of(member): member for member in shape.inner}
        if not isinstance(value, dict):
            return self._mismatch(shape, value, path, f'write {{"model": "{next(iter(members))}"}}')
        tag = value.get("model", ABSENT)
        if not isinstance(tag, str) or tag not in members:
            like = self._like(tag, list(members))
            names = one_of(tuple(members))
            advice = f"did you mean {like!r}?" if like else f"write {names}"
            return self.fault(join(path, "model"), tag, names, advice)
        return self._object(members[tag], value, path)

    def _object(self, shape: Shape, value: Any, path: str) -> Any:
        if not isinstance(value, dict):
            return self._mismatch(shape, value, path, "put the fields in { }")
        known = noun_fields(shape.noun)
        self.repeats(value, path)
        meant = set() if value.keys() <= known.keys() else self._unknown(known, value, path)
        given: dict[str, Any] = {}
        for name, field in known.items():
            if name in value:
                given[name] = self.value(field.shape, value[name], join(path, name))
            elif field.required:
                given[name] = FAULTY
                if name not in meant:
                    expected = f"{field.shape.expectation()}: {field.about}"
                    self.fault(join(path, name), ABSENT, expected, f'add "{name}"')
        return FAULTY if _faulty(tuple(given.values())) else shape.noun(**given)

    def _unknown(self, known: dict[str, FieldShape], value: dict[str, Any], path: str) -> set[str]:
        """Note the unknown keys; return the missing fields that they seem to mean."""
        missing = [name for name in known if name not in value]
        expected = "one of the fields " + ", ".join(known)
        meant: set[str] = set()
        for key, found in value.items():
            if key not in known:
                like = self._like(key, missing)
                advice = f"did you mean {like!r}?" if like else "remove it"
                words = Words(f"an unknown key (value {shorten(found)})")
                self.fault(join(path, key), words, expected, advice)
                meant.update([like] if like else [])
        return meant


def join(path: str, key: Any) -> str:
    """Extend a JSON path by a key, which may be any text."""
    if not isinstance(key, str) or not (key.isascii() and key.isidentifier() and len(key) <= 60):
        return f"{path}[{quoted(str(key)[:60])}]"
    return f"{path}.{key}" if path else key


def _faulty(values: tuple[Any, ...]) -> bool:
    return any(v is FAULTY or (type(v) is tuple and _faulty(v)) for v in values)


def _is_number(text: str) -> bool:
    try:
        return len(text) < 100 and Decimal(text).is_finite()
    except ArithmeticError:
        return False


def _text_advice(shape: Shape, value: str) -> str:
    if len(value) > shape.text.high:
        return "shorten it"
    if len(value) < shape.text.low:
        return "write one"
    return "remove the blanks at its ends" if value.isprintable() else "remove what does not print"


def _encodable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
