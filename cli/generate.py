"""`ringyard generate`: a new instance."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from ..instances import digest
from ..instances.arguments import seed_problems
from ..instances.errors import raise_any
from ..instances.generate import generate, read_words
from ..instances.reading.encode import to_text
from .shared.options import Flag, out_problems, write_entity
from .shared.output import emit, json_visible, say


def generate_command(
    family: str,
    /,
    *,
    seed: int,
    set: Annotated[list[str] | None, Parameter(negative=())] = None,
    name: str | None = None,
    out: Path | None = None,
    json: Flag = False,
) -> int:
    """Generate an instance of a family.

    Parameters
    ----------
    family
        A name from `ringyard list families`.
    seed
        Seed of the random numbers. The same family, seed and options give the same instance.
    set
        An option as key=value, such as servers=10. May be repeated. An invalid key lists all keys.
    name
        Name of the instance.
    out
        Write the instance to this file (.json or .json.gz). The default is standard output.
    json
        Print one JSON object that describes the instance, instead of the instance.
    """
    raise_any("ringyard generate", seed_problems(seed) + out_problems("", out))
    options = read_words(set or [], "--set", "servers=10")
    instance = generate(family, seed=seed, name=name, **options)
    if out is not None:
        write_entity(instance, out)
    if json:
        emit({"instance": instance.name, "digest": digest(instance), "out": str(out or "")})
    elif out is None:
        say(json_visible(to_text(instance).rstrip()))
    return 0
