"""The text of a certificate to what it claims and its steps."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeVar

from ....instances.errors import ABSENT, InputError, Problem
from ....instances.reading.decode import parse_json
from .steps import ProofStep, exact_of

VERSION = 1
"""Of the format; others are refused."""

MOST = 10**100
"""Claims have to stay below."""

Said = TypeVar("Said")


@dataclass(frozen=True, slots=True, kw_only=True)
class Certificate:
    """A claim about the instance of a digest, and the steps from which it is to follow."""

    digest: str
    family: str
    maximize: bool
    """Whether the claim is an upper bound."""
    claim: Fraction
    steps: tuple[ProofStep, ...]


def is_certificate(text: str) -> bool:
    """Say whether a text begins as certificates do."""
    return text.lstrip("\ufeff \t\r\n").replace(" ", "")[:14] == '{"certificate"'


def read_certificate(text: str, source: str) -> Certificate:
    """Read a certificate; raise `InputError` at the first line that cannot be understood."""
    lines = [
        (i, _object(line, i, source)) for i, line in enumerate(text.splitlines(), 1) if line.strip()
    ]
    if not lines:
        raise InputError(source, [Problem("file", ABSENT, "a certificate", "complete the file")])

    def said(line: int, key: str, expected: str, read: Callable[[Any], Said | None]) -> Said:
        value = values.get(key, ABSENT)
        found = None if value is ABSENT else read(value)
        if found is None:
            problem = Problem(f"line {line}: {key}", value, expected, "correct it")
            raise InputError(source, [problem])
        return found

    (first, values), *others = lines
    said(first, "certificate", f"{VERSION}, the version of the format", _version)
    expected = 'an object with a number as "at_least" or "at_most"'
    most, claim = said(first, "claim", expected, _claimed)
    named = said(first, "instance", "the digest of an instance", _text)
    family = said(first, "family", "the kind of an instance", _text)
    steps = list[ProofStep]()
    for line, values in others:
        rule = said(line, "rule", "the name of a rule", _text)
        steps.append(ProofStep(line=line, rule=rule, values=values))
    return Certificate(digest=named, family=family, maximize=most, claim=claim, steps=tuple(steps))


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
