"""`ringyard generate`: a new instance."""

from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from ..instances.errors import InputError, Problem
from .options import seed_problems
from .output import emit, note, say


def generate_command(
    family: str,
    /,
    *,
    seed: int,
    set: Annotated[list[str] | None, Parameter(negative=())] = None,
    name: str | None = None,
    out: Path | None = None,
    json: Annotated[bool, Parameter(negative=())] = False,
) -> int:
    """Generate an instance of a family.

    Parameters
    ----------
    family
        A name from `ringyard list families`.
    seed
        The same family, seed and options give the same instance.
    set
        An option as key=value, such as servers=10; repeat for more. A wrong key lists all.
    name
        Name of the instance.
    out
        Write it to this file (.json or .json.gz); to standard output otherwise.
    json
        Print one JSON object about it instead of the instance itself.
    """
    from ..instances import digest, save
    from ..instances.encode import to_text
    from ..instances.generate import generate

    problems = seed_problems(seed)
    if problems:
        raise InputError("ringyard generate", problems)
    instance = generate(family, seed=seed, name=name, **_options(set or []))
    if out is not None:
        save(instance, out)
        note(f"wrote {out}")
    if json:
        emit({"instance": instance.name, "digest": digest(instance), "out": str(out or "")})
    elif out is None:
        say(to_text(instance).rstrip())
    return 0


def _options(words: list[str]) -> dict[str, Any]:
    from ..instances.parse import parse_json

    options: dict[str, Any] = {}
    problems = []
    for word in words:
        key, equals, text = word.partition("=")
        if not equals or not key:
            problems.append(Problem("--set", word, "key=value", "write for example servers=10"))
            continue
        if key in options:
            problems.append(Problem("--set", word, "each key once", "remove one"))
        try:
            options[key] = parse_json(text, "--set")
        except InputError:
            options[key] = text
    if problems:
        raise InputError("ringyard generate", problems)
    return options
