"""Files of entities: load a path, parse a text, validate an object, save an entity."""

import gzip
import re
from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from ...families import FAMILIES
from ..arguments import mistaken
from ..errors import ABSENT, InputError, Problem, Words, nearest
from ..writing import write_whole
from .decode import INVALID, Decoder, TooManyError, parse_json, read_text
from .encode import FORMAT, digest, plain, to_text
from .vocabulary import AnySchedule as AnySchedule
from .vocabulary import Instance as Instance
from .vocabulary import Shape, one_of


def mended(body: dict[str, Any], about: tuple[str, ...], problems: list[Problem]) -> dict[str, Any]:
    """Replace invalid jobs by a valid one, and invalid descriptions by none.

    A problem in one job implies none in the other jobs. The same holds for a title. Problems
    elsewhere
    stay, because reports about the remaining file could then be wrong.
    """
    out = dict.fromkeys(about, "-") | {k: v for k, v in body.items() if k not in about}
    jobs = body.get("jobs")
    if isinstance(jobs, list):
        faulty = {i for problem in problems for i in _job(problem.path)}
        sound = next((job for i, job in enumerate(jobs) if i not in faulty), None)
        if isinstance(sound, dict):
            out["jobs"] = [
                {**sound, "name": f"stand-in for invalid job {i}"} if i in faulty else job
                for i, job in enumerate(jobs)
            ]
    return out


def beside(found: list[Problem], known: list[Problem]) -> list[Problem]:
    """Return the problems found that are not about the replacement of an invalid job."""
    faulty = {i for problem in known for i in _job(problem.path)}
    return [problem for problem in found if not faulty.intersection(_job(problem.path))]


def _job(path: str) -> list[int]:
    match = re.match(r"jobs\[(\d+)\]", path)
    return [int(match[1])] if match else []


BEHIND = "-schedule"
"""Suffix of a family's name in the `kind` of its schedules."""


class _Entities(Mapping[str, Any]):
    """Entities by the `kind` of their files, from the records of families."""

    def __init__(self, field: str, behind: str = "") -> None:
        self._field, self._behind = field, behind

    def __getitem__(self, kind: str) -> Any:
        if not kind.endswith(self._behind):
            raise KeyError(kind)
        return getattr(FAMILIES[kind.removesuffix(self._behind)], self._field)

    def __iter__(self) -> Iterator[str]:
        return (family + self._behind for family in FAMILIES)

    def __len__(self) -> int:
        return len(FAMILIES)


INSTANCES = _Entities("instance")
"""Instance entities by the `kind` of their files: one for each problem family."""

SCHEDULES = _Entities("schedule", BEHIND)
"""Schedule entities by the `kind` of their files."""

PROGRAMS = (".mps", ".lp", ".nl", ".cbf")
"""Ends of names of files that hold programs, which are no instances."""

_SOUND: deque[Any] = deque(maxlen=8)
"""Recently validated entities. They never change, and need no further check."""


def recent_instance(name: str) -> Instance | None:
    """Return the instance of a digest, if it is among the recently validated entities."""
    known = (one for one in tuple(_SOUND) if isinstance(one, Instance))
    return next((one for one in known if digest(one) == name), None)


def load_instance(path: str | Path) -> Instance:
    """Read an instance file. Raise `InputError` with all its problems."""
    if Path(str(path).lower().removesuffix(".gz")).suffix in PROGRAMS and Path(path).is_file():
        found, advice = Words("a program"), f"use `ringyard bench {path} --solvers highs`"
        raise InputError.of(str(path), "file", found, "an instance", advice)
    text = read_text(Path(path))
    if format := _log_format(text):
        found, advice = Words("a log"), f"use `ringyard import {format} {path} --out trace.json`"
        advice += ", with a name of `ringyard list formats`" if format == "FORMAT" else ""
        raise InputError.of(str(path), "file", found, "an instance", advice)
    entity: Instance = parse(text, INSTANCES, str(path))
    return entity


def _log_format(text: str) -> str | None:
    """Return the format to import a text that begins like a log, mostly with a header."""
    start = text.lstrip()[:2000]
    if start.startswith("[") and '"attempts"' in start:
        return "philly"
    head, _, rest = start.partition("\n")
    if not rest or head[:1] in ("{", "[", '"'):
        return None
    marks = [mark for mark in "|,\t" if head.count(mark) > 1]
    of_slurm = {"JobID": "sacct", "JOBID": "squeue"}
    named = (format for name, format in of_slurm.items() if name in head and "|" in marks)
    return next(named, "FORMAT" if marks else None)


def load_schedule(path: str | Path) -> AnySchedule:
    """Read a schedule file. Raise `InputError` with all its problems."""
    entity: AnySchedule = parse(read_text(Path(path)), SCHEDULES, str(path))
    return entity


def parse(text: str, kinds: Mapping[str, Any], source: str = "text") -> Any:
    """Convert the text of a file to an entity of one of `kinds`."""
    entity = decode(parse_json(text, source), kinds, source)
    _SOUND.append(entity)
    return entity


def decode(value: Any, kinds: Mapping[str, Any], source: str) -> Any:
    """Convert plain values to an entity of one of `kinds`."""
    if not isinstance(value, dict):
        expected = 'an object with "format" and "kind"'
        raise InputError.of(source, "file", value, expected, "put the fields in { }")
    decoder = Decoder()
    entity: Any = INVALID
    with suppress(TooManyError):
        entity = _whole(value, kinds, decoder)
    if decoder.problems:
        raise InputError(source, decoder.problems, decoder.more)
    return entity


def _whole(value: dict[str, Any], kinds: Mapping[str, Any], decoder: Decoder) -> Any:
    """Decode the object of a file, head and body."""
    decoder.repeats(value, "")
    _check_format(value.get("format", ABSENT), decoder)
    kind = _kind(value.get("kind", ABSENT), kinds, decoder)
    if kind is None:
        return INVALID
    body = {**value, "kind": kind}
    body.pop("format", None)
    entity = decoder.value(Shape("object", entity=kinds[kind]), body, "")
    _check_across(entity, kinds[kind], body, decoder)
    return entity


def _check_format(found: Any, decoder: Decoder) -> None:
    if found == FORMAT:
        return
    advice = f'write "format": "{FORMAT}"'
    if isinstance(found, str) and found.startswith("ringyard/"):
        advice = "use the version of Ringyard that wrote it"
    decoder.reject("format", found, repr(FORMAT), advice)


def _kind(found: Any, kinds: Mapping[str, Any], decoder: Decoder) -> str | None:
    """Return the kind of a file. For an invalid kind, report it and return the probable one."""
    if isinstance(found, str) and found in kinds:
        return found
    other = "a schedule" if found in list(SCHEDULES) else "an instance"
    if found in [*INSTANCES, *SCHEDULES]:
        decoder.reject("kind", found, one_of(tuple(kinds)), f"this is {other}: name another file")
        return None
    like = nearest(found, list(kinds)) if isinstance(found, str) else None
    meant = like or (next(iter(kinds)) if len(kinds) == 1 else None)
    advice = f'write "kind": "{meant}"' if meant else "write one of them"
    decoder.reject(
        "kind", found, one_of(tuple(kinds)), f"did you mean {like!r}?" if like else advice
    )
    return meant


def _check_across(entity: Any, home: Any, body: dict[str, Any], decoder: Decoder) -> None:
    """Report problems that involve several fields, as far as these are readable."""
    if not hasattr(home, "problems"):
        return
    known = list(decoder.problems)
    if entity is INVALID:
        entity = Decoder().value(Shape("object", entity=home), mended(body, home.ABOUT, known), "")
    if entity is not INVALID:
        for problem in beside(entity.problems(), known):
            decoder.note(problem)


def validate(entity: Any) -> None:
    """Validate an entity made in Python by the rules of files. Raise `InputError` if it fails."""
    if any(entity is one for one in tuple(_SOUND)):
        return
    kinds = {**INSTANCES, **SCHEDULES}
    decode({"format": FORMAT, **plain(entity)}, kinds, type(entity).__name__)
    _SOUND.append(entity)


ENDINGS = (".json", ".json.gz")
"""Suffixes of files of entities."""


def save(entity: Any, path: str | Path, *, own: bool = False) -> None:
    """Write an entity to a file, compressed if its name ends in .gz, all or nothing."""
    if Path(path).suffix and not Path(path).name.endswith(ENDINGS):
        expected = f"a name that ends in {' or '.join(ENDINGS)}"
        problem = Problem("suffix", Path(path).suffix, expected, "name the file plan.json")
        raise InputError(str(path), [problem])
    write_whole(Path(path), to_bytes(entity, Path(path)), own=own)


def to_bytes(entity: Any, path: Path) -> bytes:
    """Return the content of a file with this name for an entity."""
    if not isinstance(entity, Instance | AnySchedule):
        advice = "give answer.schedule" if hasattr(entity, "schedule") else "make or load one first"
        problem = mistaken("entity", entity, "an instance or a schedule", advice)
        raise InputError("ringyard.save", [problem])
    validate(entity)
    data = to_text(entity).encode()
    return gzip.compress(data, mtime=0) if path.suffix == ".gz" else data
