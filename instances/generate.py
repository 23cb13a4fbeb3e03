"""New instances by family, seed and options; a family is a preset of a problem family's mix."""

from dataclasses import replace
from typing import Any

from .coded import mix as coded_mix
from .errors import InputError, Problem, nearest
from .makespan import mix as ring_mix
from .online import mix as online_mix
from .options import with_options
from .reading.files import Instance, validate
from .rental import presets as rental_presets
from .reserved import mix as reserved_mix
from .shuffle import mix as shuffle_mix
from .trace import presets as trace_presets
from .transfers import mix as transfers_mix

FAMILIES: dict[str, tuple[str, Any]] = {
    **ring_mix.PRESETS,
    **online_mix.PRESETS,
    **reserved_mix.PRESETS,
    **trace_presets.PRESETS,
    **rental_presets.PRESETS,
    **shuffle_mix.PRESETS,
    **coded_mix.PRESETS,
    **transfers_mix.PRESETS,
}
"""Families by name: what they are, and their defaults."""


def generate(family: str, *, seed: int, name: str | None = None, **options: Any) -> Any:
    """Return a new instance of a family, of whatever kind; `options` are fields of its mix."""
    if family not in FAMILIES:
        like = nearest(family, list(FAMILIES))
        advice = f"did you mean {like!r}?" if like else "see `ringyard list families`"
        expected = "one of " + ", ".join(map(repr, FAMILIES))
        raise InputError("generate", [Problem("family", family, expected, advice)])
    about, preset = FAMILIES[family]
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
