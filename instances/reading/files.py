"""Files of nouns: load a path, parse a text, validate an object, save a noun."""

import gzip
import re
from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from ...families import FAMILIES
from ..arguments import mistaken
from ..errors import ABSENT, InputError, Problem, nearest
from ..writing import write_whole
from .decode import INVALID, Decoder, TooManyError, parse_json, read_text
from .encode import FORMAT, digest, plain, to_text
from .vocabulary import AnySchedule as AnySchedule
from .vocabulary import Instance as Instance
from .vocabulary import Shape, one_of


def mended(body: dict[str, Any], about: tuple[str, ...], problems: list[Problem]) -> dict[str, Any]:
    """Replace faulty jobs by a sound one, and faulty descriptions by none.

    A problem in one job says nothing about the others, nor does one in a title; problems
    elsewhere stay, since what is said about the rest could then be wrong.
    """
    out = dict.fromkeys(about, "-") | {k: v for k, v in body.items() if k not in about}
    jobs = body.get("jobs")
    if isinstance(jobs, list):
        faulty = {i for problem in problems for i in _job(problem.path)}
        sound = next((job for i, job in enumerate(jobs) if i not in faulty), None)
        if isinstance(sound, dict):
            out["jobs"] = [
                {**sound, "name": f"stand-in for faulty job {i}"} if i in faulty else job
                for i, job in enumerate(jobs)
            ]
    return out


def beside(found: list[Problem], known: list[Problem]) -> list[Problem]:
    """Return the problems found that are not about the stand-in of a job known as faulty."""
    faulty = {i for problem in known for i in _job(problem.path)}
    return [problem for problem in found if not faulty.intersection(_job(problem.path))]


def _job(path: str) -> list[int]:
    match = re.match(r"jobs\[(\d+)\]", path)
    return [int(match[1])] if match else []


BEHIND = "-schedule"
"""Stands behind a family's name in the `kind` of its schedules."""


class _Nouns(Mapping[str, Any]):
    """Nouns by the `kind` that their files carry, as the records of families have them."""

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


INSTANCES = _Nouns("instance")
"""Instance nouns by the `kind` their files carry: one for each problem family."""

SCHEDULES = _Nouns("schedule", BEHIND)
"""Schedule nouns by the `kind` their files carry."""

_SOUND: deque[Any] = deque(maxlen=8)
"""Nouns that were found sound last; as they never change, they are not looked at again."""


def recent_instance(name: str) -> Instance | None:
    """Return the instance of a digest, if it is among the nouns that were found sound last."""
    known = (one for one in tuple(_SOUND) if isinstance(one, Instance))
    return next((one for one in known if digest(one) == name), None)


def load_instance(path: str | Path) -> Instance:
    """Read an instance file; raise `InputError` with all its problems."""
    noun: Instance = parse(read_text(Path(path)), INSTANCES, str(path))
    return noun


def load_schedule(path: str | Path) -> AnySchedule:
    """Read a schedule file; raise `InputError` with all its problems."""
    noun: AnySchedule = parse(read_text(Path(path)), SCHEDULES, str(path))
    return noun


def parse(text: str, kinds: Mapping[str, Any], source: str = "text") -> Any:
    """Turn the text of a file into a noun of one of `kinds`."""
    noun = decode(parse_json(text, source), kinds, source)
    _SOUND.append(noun)
    return noun


def decode(value: Any, kinds: Mapping[str, Any], source: str) -> Any:
    """Turn plain values into a noun of one of `kinds`."""
    if not isinstance(value, dict):
        expected = 'an object with "format" and "kind"'
        raise InputError.of(source, "file", value, expected, "put the fields in { }")
    decoder = Decoder()
    noun: Any = INVALID
    with suppress(TooManyError):
        noun = _whole(value, kinds, decoder)
    if decoder.problems:
        raise InputError(source, decoder.problems, decoder.more)
    return noun


def _whole(value: dict[str, Any], kinds: Mapping[str, Any], decoder: Decoder) -> Any:
    """Decode the object of a file, head and body."""
    decoder.repeats(value, "")
    _check_format(value.get("format", ABSENT), decoder)
    kind = _kind(value.get("kind", ABSENT), kinds, decoder)
    if kind is None:
        return INVALID
    body = {**value, "kind": kind}
    body.pop("format", None)
    noun = decoder.value(Shape("object", noun=kinds[kind]), body, "")
    _check_across(noun, kinds[kind], body, decoder)
    return noun


def _check_format(found: Any, decoder: Decoder) -> None:
    if found == FORMAT:
        return
    advice = f'write "format": "{FORMAT}"'
    if isinstance(found, str) and found.startswith("ringyard/"):
        advice = "use the version of Ringyard that wrote it"
    decoder.reject("format", found, repr(FORMAT), advice)


def _kind(found: Any, kinds: Mapping[str, Any], decoder: Decoder) -> str | None:
    """Return the kind of a file or, after noting the problem, the kind that seems meant."""
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


def _check_across(noun: Any, home: Any, body: dict[str, Any], decoder: Decoder) -> None:
    """Note what shows only when fields are seen together, as far as they can be seen."""
    if not hasattr(home, "problems"):
        return
    known = list(decoder.problems)
    if noun is INVALID:
        noun = Decoder().value(Shape("object", noun=home), mended(body, home.ABOUT, known), "")
    if noun is not INVALID:
        for problem in beside(noun.problems(), known):
            decoder.note(problem)


def validate(noun: Any) -> None:
    """Hold a noun made in Python against the rules of files; raise `InputError` if it fails."""
    if any(noun is one for one in tuple(_SOUND)):
        return
    kinds = {**INSTANCES, **SCHEDULES}
    decode({"format": FORMAT, **plain(noun)}, kinds, type(noun).__name__)
    _SOUND.append(noun)


ENDINGS = (".json", ".json.gz")
"""How the names of files of nouns end."""


def save(noun: Any, path: str | Path, *, own: bool = False) -> None:
    """Write a noun to a file, compressed if its name ends in .gz; all of it or nothing."""
    if Path(path).suffix and not Path(path).name.endswith(ENDINGS):
        expected = f"a name that ends in {' or '.join(ENDINGS)}"
        problem = Problem("suffix", Path(path).suffix, expected, "name the file plan.json")
        raise InputError(str(path), [problem])
    write_whole(Path(path), to_bytes(noun, Path(path)), own=own)


def to_bytes(noun: Any, path: Path) -> bytes:
    """Return what a file of this name holds for a noun."""
    if not isinstance(noun, Instance | AnySchedule):
        told = "give answer.schedule" if hasattr(noun, "schedule") else "make or load one first"
        problem = mistaken("noun", noun, "an instance or a schedule", told)
        raise InputError("ringyard.save", [problem])
    validate(noun)
    data = to_text(noun).encode()
    return gzip.compress(data, mtime=0) if path.suffix == ".gz" else data
