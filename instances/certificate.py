"""Certificates: bounds as steps that a checker can verify."""

import gzip
import json
from fractions import Fraction
from math import ceil, floor
from pathlib import Path
from typing import Any

from .outcome import Bound
from .reading.encode import digest, exact_number
from .reading.vocabulary import Instance

VERSION = 1
"""Version of the format."""

SHORT = 10**60
"""Largest denominator of a claim. Larger ones are rounded so that the claim gets weaker."""


def searched_steps(rule: str, value: Fraction) -> tuple[dict[str, Any], ...]:
    """Return the step for the result of a search, with a rule whose check is a search.

    The step has only the conclusion. The checker has to repeat the whole search, if it can.
    """
    return ({"rule": rule, "at_least": exact_number(value)},)


def certificate_text(instance: Instance, bound: Bound, maximize: bool, metric: str = "") -> str:
    """Return the certificate of a bound that has a proof. With `maximize` it is an upper bound.

    It is about the objective, or about a metric.
    """
    assert bound.proof is not None, "a bound without a proof has no certificate"
    claim, side = bound.value, "at_most" if maximize else "at_least"
    if claim.denominator > SHORT:
        claim = Fraction((ceil if maximize else floor)(claim * SHORT), SHORT)
    head = {
        "certificate": VERSION,
        "instance": digest(instance),
        "family": instance.kind,
        **({"metric": metric} if metric else {}),
        "claim": {side: str(claim)},
    }
    return "".join(json.dumps(line) + "\n" for line in (head, *map(_plain, bound.proof)))


def certificate_bytes(
    instance: Instance, bound: Bound, maximize: bool, path: Path, metric: str = ""
) -> bytes:
    """Return the certificate as the content of a file, packed if the name ends in .gz."""
    data = certificate_text(instance, bound, maximize, metric).encode()
    return gzip.compress(data, mtime=0) if path.name.endswith(".gz") else data


def _plain(value: Any) -> Any:
    """Return a step with long integers as texts."""
    if isinstance(value, dict):
        return {key: _plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    return exact_number(value) if isinstance(value, int) and not isinstance(value, bool) else value
