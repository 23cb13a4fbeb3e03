"""New instances by family, seed and options; a family is a preset of a problem family's mix."""

from dataclasses import replace
from typing import Any

from ..families import FAMILIES
from .errors import InputError, Problem, nearest
from .options import with_options
from .reading.files import Instance, validate


def presets() -> dict[str, tuple[str, Any]]:
    """Return the presets of all mixes by name: what they are, and their defaults."""
    known = [family.presets or {} for family in FAMILIES.values()]
    return {name: one for some in known for name, one in some.items()}


def generate(family: str, *, seed: int, name: str | None = None, **options: Any) -> Any:
    """Return a new instance of a family, of whatever kind; `options` are fields of its mix."""
    known = presets()
    if family not in known:
        like = nearest(family, list(known))
        advice = f"did you mean {like!r}?" if like else "see `ringyard list families`"
        expected = "one of " + ", ".join(map(repr, known))
        raise InputError("generate", [Problem("family", family, expected, advice)])
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
    for low, high in mix.ORDERED:
        if getattr(mix, low) > getattr(mix, high):
            value = getattr(mix, low)
            expected = f"at most {high} ({getattr(mix, high)})"
            raise InputError("options", [Problem(low, value, expected, f"raise {high} too")])
    return mix
