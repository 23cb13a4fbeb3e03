"""The text of a certificate to what it claims and its steps."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ....instances.errors import ABSENT, InputError, Problem
from ....instances.reading.parse import parse_json
from .steps import ProofStep, exact_of

VERSION = 1
"""Of the format; others are refused."""

MOST = 10**100
"""Claims have to stay below."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Certificate:
    """A claim about the instance of a digest, and the steps from which it is to follow."""

    digest: str
    family: str
    most: bool
    """Whether the claim is an upper bound."""
    claim: Fraction
    steps: tuple[ProofStep, ...]


def is_certificate(text: str) -> bool:
    """Say whether a text begins as certificates do."""
    return text.lstrip("\ufeff \t\r\n").replace(" ", "")[:14] == '{"certificate"'


def read_certificate(text: str, source: str) -> Certificate:
    """Read a certificate; raise `InputError` at the first line that cannot be understood."""
    lines = [(i, line) for i, line in enumerate(text.splitlines(), 1) if line.strip()]
    if not lines:
        raise InputError(source, [Problem("file", ABSENT, "a certificate", "complete the file")])
    heads, *others = [(i, _object(line, i, source)) for i, line in lines]
    number, head = heads

    def said(key: str, expected: str, fits: Callable[[Any], bool]) -> Any:
        value = head.get(key, ABSENT)
        if not fits(value):
            problem = Problem(f"line {number}: {key}", value, expected, "correct it")
            raise InputError(source, [problem])
        return value

    said("certificate", f"{VERSION}, the version of the format", lambda one: one == VERSION)
    expected = 'an object with a number as "at_least" or "at_most"'
    claim = said("claim", expected, lambda one: _claimed(one) is not None)
    value = _claimed(claim)
    assert value is not None
    return Certificate(
        digest=said("instance", "the digest of an instance", _plain_text),
        family=said("family", "the kind of an instance", _plain_text),
        most="at_most" in claim,
        claim=value,
        steps=tuple(_step(values, i, source) for i, values in others),
    )


def _claimed(claim: Any) -> Fraction | None:
    known = isinstance(claim, dict) and len(claim) == 1 and {*claim} <= {"at_least", "at_most"}
    value = exact_of(next(iter(claim.values()))) if known else None
    return value if value is not None and abs(value) < MOST else None


def _plain_text(value: Any) -> bool:
    return isinstance(value, str) and value is not ABSENT


def _step(values: dict[str, Any], line: int, source: str) -> ProofStep:
    rule = values.get("rule", ABSENT)
    if not _plain_text(rule):
        problem = Problem(f"line {line}: rule", rule, "the name of a rule", "name it")
        raise InputError(source, [problem])
    others = {key: value for key, value in values.items() if key != "rule"}
    return ProofStep(line=line, rule=rule, values=others)


def _object(text: str, line: int, source: str) -> dict[str, Any]:
    """Return the object in a line."""
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
