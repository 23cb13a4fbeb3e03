"""The catalogue of named instances: their files, and their best known values and bounds."""

import hashlib
import json
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from .errors import InputError, Problem, RingyardError, Words, unknown
from .outcome import relative_gap
from .reading.encode import digest
from .reading.files import AnySchedule, Instance, load_instance, load_schedule
from .reading.vocabulary import entity_fields

Entity = TypeVar("Entity")

DATA = Path(__file__).parent / "data"
"""Folder of the catalogue: index.json, a folder for each family, and schedules/."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """A value or bound on record: its method, its evidence, and its date."""

    value: Fraction
    method: str
    certificate: str
    date: str
    seed: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """An entry of the catalogue.

    `difficulty` is toy (optimality proved within 1 min), easy (10 min), medium (1 h), hard (more),
    or
    open. `upper` holds values and `lower` bounds, the best first. For maximization, the bounds are
    the larger ones.
    """

    name: str
    kind: str
    family: str
    title: str
    jobs: int
    servers: int
    gpus: int
    digest: str
    source: str
    licence: str
    difficulty: str
    upper: tuple[Known, ...] = ()
    lower: tuple[Known, ...] = ()
    file: str | None = None
    recipe: dict[str, Any] | None = None
    problem: str | None = None

    @property
    def closed(self) -> bool:
        """Return True if the best value is proved to be optimal."""
        return bool(self.upper and self.lower and meet(self.upper[0].value, self.lower[0].value))

    @property
    def gap(self) -> Fraction | None:
        """The gap between the best value and the best bound, if both are known."""
        if not (self.upper and self.lower):
            return None
        return relative_gap(self.upper[0].value, self.lower[0].value)


SCALE = 10**12
"""Number of recorded decimals of values with larger denominators."""


def on_record(value: Fraction, *, up: bool) -> Fraction:
    """Return a value for the record, with long fractions rounded outward to 12 decimals.

    Speed-ups under a power law are irrational, so sums of their digits have very long fractions.
    """
    if value.denominator <= SCALE:
        return value
    return Fraction(-(-value * SCALE // 1) if up else value * SCALE // 1, SCALE)


def meet(value: Fraction, bound: Fraction) -> bool:
    """Return True if a value and a bound on record are equal up to rounding."""
    return abs(value - bound) * SCALE <= 2


@cache
def entries() -> dict[str, Entry]:
    """Return the catalogue by name."""
    return {row["name"]: _entry(row) for row in _index()["instances"]}


def list_instances(
    kind: str | None = None, family: str | None = None, *, proved: bool | None = None
) -> list[str]:
    """Return the names that `load` accepts, as `ringyard list instances` shows them.

    Args:
        kind: Only this problem family, such as makespan.
        family: Only this generator family, such as mobihoc or tight.
        proved: Only instances with a proved optimum (True), or open ones (False).
    """
    found = [one for one in entries().values() if one.problem is None]
    problems = [
        unknown(word, name, known, "leave it out to see all")
        for word, name, known in (
            ("kind", kind, dict.fromkeys(one.kind for one in found)),
            ("family", family, dict.fromkeys(one.family for one in found)),
        )
        if name is not None and name not in known
    ]
    if problems:
        raise InputError("list_instances", problems)
    return [
        one.name
        for one in found
        if kind in (None, one.kind) and family in (None, one.family)
        if proved is None or one.closed == proved
    ]


def edition() -> tuple[int, str]:
    """Return the edition of the catalogue, and a digest of its names and their digests.

    An edition always means the same problems, but their known values may improve.
    """
    lines = "".join(f"{name} {entry.digest}\n" for name, entry in sorted(entries().items()))
    return _index()["edition"], hashlib.sha256(lines.encode()).hexdigest()


def _index() -> dict[str, Any]:
    text = (DATA / "index.json").read_text(encoding="utf-8")
    index: dict[str, Any] = json.loads(text, parse_float=Decimal)
    return index


def _entry(row: dict[str, Any]) -> Entry:
    known = {side: tuple(_known(k) for k in row.pop(side, ())) for side in ("upper", "lower")}
    return Entry(**{**row, **known})


def _known(row: dict[str, Any]) -> Known:
    return Known(**{**row, "value": Fraction(row["value"])})


def load(name: str | Path) -> Instance:
    """Return an instance by its name in the catalogue, by its recipe, or from a file.

    A recipe is ``FAMILY@KEY=VALUE,..,seed=N``, such as ``small@jobs=24,servers=8,seed=0``, with
    the keys of `ringyard generate`.
    """
    entry = entries().get(str(name))
    if entry is None:
        if not _looks_like_path(name):
            if "@" in str(name):
                return _drawn(str(name))
            raise InputError(str(name), [_unknown(str(name))])
        return load_instance(name)
    if entry.recipe is None:
        return load_instance(DATA / str(entry.file))
    return _generate(entry)


def load_as(entity: type[Entity], name: str | Path) -> Entity:
    """Return an instance of one problem family, by its name or from a file."""
    found = load(name)
    if isinstance(found, entity):
        return found
    home: Any = entity
    kind = entity_fields(home)["kind"].default
    advice = "only this family is supported, so name another instance"
    raise InputError.of(str(name), "kind", found.kind, repr(kind), advice)


def best_schedule(name: str) -> AnySchedule | None:
    """Return the best schedule on record for a named instance, if one is stored."""
    if name not in entries():
        return None
    for suffix in (".json", ".json.gz"):
        path = DATA / "schedules" / f"{name}{suffix}"
        if path.exists():
            return load_schedule(path)
    return None


def _generate(entry: Entry) -> Instance:
    from .generate import generate

    recipe = entry.recipe or {}
    options = {"seed": recipe["seed"], "name": entry.name, **recipe["options"]}
    instance: Instance = generate(recipe["family"], **options)
    if digest(instance) != entry.digest:
        raise RingyardError(
            f"{entry.name}: generated data differ from the catalogue's digest "
            f"{entry.digest[:12]}... Reinstall ringyard or report this."
        )
    return instance


def _drawn(name: str) -> Instance:
    """Return the instance that a recipe describes."""
    from .generate import generate, read_words

    family, _, words = name.partition("@")
    options = read_words(words.split(","), name, f"{family}@seed=0")
    if "seed" not in options:
        raise InputError.of(name, "seed", Words("no seed"), "seed=N", f"write {name},seed=0")
    instance: Instance = generate(family, name=name, **options)
    return instance


def _looks_like_path(name: str | Path) -> bool:
    text = str(name)
    if isinstance(name, Path) or "/" in text or "." in text:
        return True
    try:
        return Path(text).exists()
    except (OSError, ValueError):
        return False


def _unknown(name: str) -> Problem:
    expected = "a catalogue name or the path of a file"
    return unknown("instance", name, entries(), "see `ringyard list instances`", expected)
