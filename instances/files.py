"""Files of nouns: load a path, parse a text, validate an object, save a noun."""

import gzip
from pathlib import Path
from typing import Any

from .decode import FAULTY, Decoder
from .encode import FORMAT, plain, to_text
from .errors import InputError, Problem, nearest
from .makespan import MakespanInstance
from .parse import parse_json, read_text
from .schedule import Schedule
from .shape import Shape

INSTANCES: dict[str, Any] = {"makespan": MakespanInstance}
"""Instance nouns by the `kind` their files carry: one for each problem family."""

SCHEDULES: dict[str, Any] = {"makespan-schedule": Schedule}
"""Schedule nouns by the `kind` their files carry."""


def load_instance(path: str | Path) -> MakespanInstance:
    """Read an instance file; raise `InputError` with all its problems."""
    noun: MakespanInstance = parse(read_text(Path(path)), INSTANCES, str(path))
    return noun


def load_schedule(path: str | Path) -> Schedule:
    """Read a schedule file; raise `InputError` with all its problems."""
    noun: Schedule = parse(read_text(Path(path)), SCHEDULES, str(path))
    return noun


def parse(text: str, kinds: dict[str, Any], source: str = "text") -> Any:
    """Turn the text of a file into a noun of one of `kinds`."""
    return decode(parse_json(text, source), kinds, source)


def decode(value: Any, kinds: dict[str, Any], source: str) -> Any:
    """Turn plain values into a noun of one of `kinds`."""
    if not isinstance(value, dict):
        problem = Problem("file", value, 'an object with "format" and "kind"', "see docs/format.md")
        raise InputError(source, [problem])
    heads = [_head(value, "format", [FORMAT]), _head(value, "kind", list(kinds))]
    wrong = [problem for problem in heads if problem]
    decoder = Decoder()
    noun: Any = FAULTY
    if heads[1] is None:
        body = type(value)(value)
        body.__dict__.update(getattr(value, "__dict__", {})) if type(value) is not dict else None
        body.pop("format", None)
        noun = decoder.value(Shape("object", noun=kinds[value["kind"]]), body, "")
    problems = [*wrong, *decoder.problems]
    if noun is not FAULTY and hasattr(noun, "problems"):
        problems += noun.problems()
    if problems:
        raise InputError(source, problems)
    return noun


def _head(value: dict[str, Any], key: str, known: list[str]) -> Problem | None:
    found = value.get(key)
    if isinstance(found, str) and found in known:
        return None
    like = nearest(found, known) if isinstance(found, str) else None
    expected = "one of " + ", ".join(map(repr, known))
    advice = f"did you mean {like!r}?" if like else f"write {key!r}: {known[0]!r}"
    return Problem(key, found if key in value else "nothing", expected, advice)


def validate(noun: Any) -> None:
    """Hold a noun made in Python against the rules of files; raise `InputError` if it fails."""
    kinds = {**INSTANCES, **SCHEDULES}
    decode({"format": FORMAT, **plain(noun)}, kinds, f"{type(noun).__name__}")


def save(noun: Any, path: str | Path) -> None:
    """Write a noun to a file, compressed if its name ends in .gz; all of it or nothing."""
    target = Path(path)
    data = to_text(noun).encode()
    if target.suffix == ".gz":
        data = gzip.compress(data, mtime=0)
    write_whole(target, data)


def write_whole(target: Path, data: bytes) -> None:
    """Write a file so that a reader sees the old content or the new one, never a part."""
    draft = target.with_name(f".{target.name}.draft")
    try:
        draft.write_bytes(data)
        draft.replace(target)
    except OSError as error:
        draft.unlink(missing_ok=True)
        problem = Problem("file", str(error), "a writable place", "choose another path")
        raise InputError(str(target), [problem]) from None
