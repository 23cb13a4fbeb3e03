"""The text of a certificate: its claim, and its steps, each a rule with numbers."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, TypeVar

from ....instances.errors import ABSENT, InputError, Problem, shorten
from ....instances.reading.decode import parse_json

NUMBER = re.compile(r"-?[0-9]{1,1000}(/[0-9]{1,1000})?")
"""Text form of an exact number."""


T = TypeVar("T")


class StepError(Exception):
    """The reason why a step proves no bound."""


def exact_of(value: Any) -> Fraction | None:
    """Return the value of an integer or a text such as 14/3, None if it is not a number."""
    if isinstance(value, int) and not isinstance(value, bool):
        return Fraction(value)
    if not isinstance(value, str) or not NUMBER.fullmatch(value):
        return None
    above, _, below = value.partition("/")
    bottom = int(below or 1)
    return Fraction(int(above), bottom) if bottom else None


@dataclass(frozen=True, slots=True, kw_only=True)
class ProofStep:
    """A certificate line after the first, with nonnegative numbers."""

    line: int
    rule: str
    values: Mapping[str, Any]
    read: set[str] = field(default_factory=set)
    """Keys read by a rule."""

    def get(self, key: str) -> Any:
        """Return the value of a key, None if it is missing."""
        self.read.add(key)
        return self.values.get(key)

    def end(self) -> None:
        """Refuse keys that the rule has not read."""
        for key in self.values.keys() - self.read - {"rule"}:
            raise StepError(f"this rule is given no {shorten(key)}")

    def number(self, key: str) -> Fraction:
        """Return an exact number."""
        found = exact_of(self.get(key))
        if found is None or found < 0:
            raise self._wrong(key, "a nonnegative number")
        return found

    def whole(self, key: str, least: int = 0, absent: int | None = None) -> int:
        """Return an integer, with an optional default."""
        if key not in self.values and absent is not None:
            return absent
        found = self.number(key)
        if found.denominator != 1 or found < least:
            raise self._wrong(key, f"a whole number of at least {least}")
        return int(found)

    def _of(self, kind: type[T], key: str, expected: str) -> T:
        found = self.get(key)
        if not isinstance(found, kind):
            raise self._wrong(key, expected)
        return found

    def text(self, key: str) -> str:
        """Return a text."""
        return self._of(str, key, "a text")

    def texts(self, key: str) -> list[str]:
        """Return the texts of a list."""
        found = self.each(key)
        if not all(isinstance(one, str) for one in found):
            raise self._wrong(key, "a list of texts")
        return found

    def each(self, key: str) -> list[Any]:
        """Return a list."""
        return self._of(list, key, "a list")

    def prices(self, key: str) -> list[Fraction]:
        """Return the exact numbers of a list."""
        return _numbers(key, self.each(key))

    def counts(self, key: str) -> tuple[int, ...]:
        """Return the whole numbers of a list."""
        return _wholes(key, self.each(key))

    def rows(self, key: str, width: int | None = None) -> list[tuple[int, ...]]:
        """Return a list of lists of whole numbers, each of `width` of them if that is given."""
        rows = [_wholes(key, row) for row in self.each(key)]
        for row in rows:
            if width not in (None, len(row)):
                raise StepError(f"{key} has {shorten([*row])}, expected lists of {width} numbers")
        return rows

    def named(self, key: str) -> dict[str, tuple[int, ...]]:
        """Return lists of whole numbers by name."""
        found = self._of(dict, key, "lists by name")
        return {name: _wholes(key, row) for name, row in found.items()}

    def whole_by_name(self, key: str) -> dict[str | None, int]:
        """Return whole numbers by name."""
        found = self._of(dict, key, "whole numbers by name")
        return dict(zip(found, _wholes(key, [*found.values()]), strict=True))

    def _wrong(self, key: str, expected: str) -> StepError:
        found = self.values.get(key, ABSENT)
        what = "is missing" if found is ABSENT else f"is {shorten(found)}"
        return StepError(f"{key} {what}, expected {expected}")


def _numbers(key: str, row: Any) -> list[Fraction]:
    numbers = [exact_of(one) for one in row] if isinstance(row, list) else [None]
    found = [one for one in numbers if one is not None and one >= 0]
    if len(found) < len(numbers):
        raise StepError(
            f"{key} has {shorten(row)}, expected a list of numbers without negative ones"
        )
    return found


def _wholes(key: str, row: Any) -> tuple[int, ...]:
    found = _numbers(key, row)
    if any(one.denominator != 1 for one in found):
        raise StepError(f"{key} has {shorten(row)}, expected whole numbers without negative ones")
    return tuple(map(int, found))


VERSION = 1
"""Version of the format. Other versions are refused."""

MOST = 10**100
"""Claims have to stay below."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Certificate:
    """A claim about an instance, given by its digest, and the steps that prove it."""

    digest: str
    family: str
    maximize: bool
    """True if the claim is an upper bound."""
    metric: str = ""
    """The metric that the claim is about. Empty: the objective."""
    claim: Fraction
    steps: tuple[ProofStep, ...]


def is_certificate(text: str) -> bool:
    """Return True if a text begins as certificates do."""
    return text.lstrip("\ufeff \t\r\n").replace(" ", "")[:14] == '{"certificate"'


def read_certificate(text: str, source: str) -> Certificate:
    """Return a certificate. Raise `InputError` at the first invalid line."""
    lines = [
        (i, _object(line, i, source)) for i, line in enumerate(text.splitlines(), 1) if line.strip()
    ]
    if not lines:
        raise InputError(source, [Problem("file", ABSENT, "a certificate", "complete the file")])

    def field(line: int, key: str, expected: str, read: Callable[[Any], T | None]) -> T:
        value = values.get(key, ABSENT)
        found = None if value is ABSENT else read(value)
        if found is None:
            problem = Problem(f"line {line}: {key}", value, expected, "correct it")
            raise InputError(source, [problem])
        return found

    (first, values), *others = lines
    field(first, "certificate", f"{VERSION}, the version of the format", _version)
    expected = 'an object with a number as "at_least" or "at_most"'
    most, claim = field(first, "claim", expected, _claimed)
    named = field(first, "instance", "the digest of an instance", _text)
    family = field(first, "family", "the kind of an instance", _text)
    metric = field(first, "metric", "the name of a metric", _text) if "metric" in values else ""
    steps = list[ProofStep]()
    for line, values in others:
        rule = field(line, "rule", "the name of a rule", _text)
        steps.append(ProofStep(line=line, rule=rule, values=values))
    return Certificate(
        digest=named,
        family=family,
        maximize=most,
        metric=metric,
        claim=claim,
        steps=tuple(steps),
    )


def _version(value: Any) -> Fraction | None:
    found = exact_of(value)
    return found if found == VERSION else None


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _claimed(claim: Any) -> tuple[bool, Fraction] | None:
    if not isinstance(claim, dict) or [*claim] not in (["at_least"], ["at_most"]):
        return None
    ((side, number),) = claim.items()
    value = exact_of(number)
    return None if value is None or abs(value) >= MOST else (side == "at_most", value)


def _object(text: str, line: int, source: str) -> dict[str, Any]:
    try:
        found = parse_json(text, source)
    except InputError as error:
        problem = error.problems[0]
        where = problem.path.removeprefix("line 1 ") if problem.path != "file" else ""
        path = f"line {line} {where}".rstrip()
        problem = Problem(path, problem.value, problem.expected, problem.advice)
        raise InputError(source, [problem]) from None
    if not isinstance(found, dict):
        expected = "an object, one to a line"
        raise InputError(source, [Problem(f"line {line}", found, expected, "put it in { }")])
    return found
