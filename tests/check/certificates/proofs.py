"""Certificates of bounds, checked, and damaged."""

import json
from collections.abc import Callable, Iterator
from fractions import Fraction
from random import Random
from typing import Any

from ringyard.analysis.check.certificates.checking import CertificateVerdict, check_certificate
from ringyard.analysis.check.certificates.reading import read_certificate
from ringyard.families import family_of
from ringyard.instances import Bound, Instance
from ringyard.instances.certificate import certificate_text

Lines = list[dict[str, Any]]


def lines_of(instance: Instance, bound: Bound) -> Lines:
    """Return the certificate of a bound line by line."""
    text = certificate_text(instance, bound, family_of(instance).maximize)
    return [json.loads(line) for line in text.splitlines()]


def checked(instance: Instance, lines: Lines) -> CertificateVerdict:
    """Check a certificate given line by line."""
    text = "\n".join(map(json.dumps, lines))
    return check_certificate(instance, read_certificate(text, "certificate"))


def claiming(lines: Lines, value: Fraction | int) -> Lines:
    """Return the certificate with another claim."""
    side = next(iter(lines[0]["claim"]))
    return [{**lines[0], "claim": {side: str(value)}}, *lines[1:]]


def changed(lines: Lines, change: Callable[[dict[str, Any]], object]) -> Lines:
    """Return the certificate with its last step changed."""
    copy: Lines = json.loads(json.dumps(lines))
    change(copy[-1])
    return copy


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Yield every container with every key or place in it that holds a number or a text."""
    for key in value if isinstance(value, dict) else range(len(value)):
        if isinstance(value[key], dict | list):
            yield value, key
            yield from places(value[key])
        else:
            yield value, key


def mutated(lines: Lines, rng: Random) -> Lines:
    """Return the certificate with something in its steps changed, dropped or doubled."""
    copy: Lines = json.loads(json.dumps(lines))
    for _ in range(rng.choice([1, 1, 1, 2, 4])):
        where, key = rng.choice(list(places(copy[1:])))
        value = where[key]
        if isinstance(value, int | str) and (isinstance(value, int) or value[:1].isdigit()):
            number = Fraction(value)
            others = (0, 1, number + 1, number - 1, 2 * number, number / 2, -number, 10**6 * number)
            where[key] = str(rng.choice([*others, number + rng.randrange(20), "x"]))
        elif isinstance(value, list) and value:
            how = rng.randrange(3)
            if how == 0:
                value.pop(rng.randrange(len(value)))
            elif how == 1:
                value.append(rng.choice(value))
            else:
                value.reverse()
        elif isinstance(where, dict) and key != "rule":
            del where[key]
    return copy
