"""New instances by family, seed and options as key=value, which methods also accept."""

from collections.abc import Iterable
from dataclasses import fields, replace
from typing import Any, TypeVar

from ..families import FAMILIES
from .arguments import seed_problems
from .errors import InputError, Problem, raise_any, unknown
from .reading.decode import INVALID, Decoder, parse_json
from .reading.files import Instance, validate
from .reading.vocabulary import Shape

Entity = TypeVar("Entity")


def read_words(words: Iterable[str], where: str, example: str) -> dict[str, Any]:
    """Return the options in words such as servers=10. Values are JSON, or plain text."""
    options: dict[str, Any] = {}
    problems = []
    for word in words:
        key, equals, text = word.partition("=")
        if not equals or not key:
            problems.append(Problem(where, word, "key=value", f"write for example {example}"))
            continue
        if key in options:
            problems.append(Problem(where, word, "each key once", "remove one"))
        try:
            options[key] = parse_json(text, where)
        except InputError:
            options[key] = text
    raise_any(where, problems)
    return options


def with_options(preset: Entity, options: dict[str, Any], where: str) -> Entity:
    """Return an entity with some fields replaced and checked against their types."""
    decoder = Decoder()
    given = decoder.value(Shape("object", entity=type(preset)), options, "")
    if decoder.problems or given is INVALID:
        raise InputError(where, decoder.problems)
    return replace(preset, **{key: getattr(given, key) for key in options})  # type: ignore[type-var]


def presets() -> dict[str, tuple[str, Any]]:
    """Return the presets of all mixes by name: their descriptions, and their defaults."""
    known = [family.presets or {} for family in FAMILIES.values()]
    return {name: one for some in known for name, one in some.items()}


def generate(family: str, *, seed: int, name: str | None = None, **options: Any) -> Any:
    """Return a new instance of a family of any kind. `options` are fields of its mix."""
    known = presets()
    if problems := seed_problems(seed, "seed"):
        raise InputError("ringyard.generate", problems)
    if family not in known:
        expected = "one of " + ", ".join(map(repr, known))
        hint = "see `ringyard list families`"
        raise InputError("generate", [unknown("family", family, known, hint, expected)])
    about, preset = known[family]
    mix = _with_options(preset, options)
    chosen = ", ".join(f"{key}={value}" for key, value in options.items())
    made: Instance = replace(
        mix.build(seed, name or f"{family}-{mix.tag}-s{seed}"),
        title=f"{mix.size}: {about}",
        source=f"ringyard generate {family} --seed {seed}" + (f" ({chosen})" if chosen else ""),
        licence="CC0-1.0",
    )
    validate(made)
    return made


def _with_options(preset: Any, options: dict[str, Any]) -> Any:
    mix = with_options(preset, options, "options")
    names = [field.name for field in fields(mix)]
    pairs = [(name, "most_" + name[6:]) for name in names if name.startswith("least_")]
    for low, high in (*(pair for pair in pairs if pair[1] in names), *mix.ORDERED):
        least, most = getattr(mix, low), getattr(mix, high)
        if None not in (least, most) and least > most:
            expected = f"at most {high} ({most})"
            raise InputError.of("options", low, least, expected, f"raise {high} too")
    return mix
