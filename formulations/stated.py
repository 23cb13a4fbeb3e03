"""The settings that runs of solvers have, under the same heads for all solvers."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

Head = Literal[
    "relative gap",
    "absolute gap or increment",
    "row tolerance",
    "integer tolerance",
    "infeasibility tolerance",
    "presolve",
    "seed",
    "threads",
    "algorithm",
]

HEADS: dict[Head, str] = {
    "relative gap": "relative distance of value and bound at which it stops",
    "absolute gap or increment": "absolute distance at which it stops, or least improvement",
    "row tolerance": "how far a point may miss a row",
    "integer tolerance": "how far an integer may be from a whole number",
    "infeasibility tolerance": "accuracy of its proof that there is no point",
    "presolve": "whether the program is simplified first",
    "seed": "what its random numbers begin with",
    "threads": "threads of one run",
    "algorithm": "which of its algorithms runs",
}

Value = float | str | bool | None


@dataclass(frozen=True, slots=True)
class Setting:
    """The value of one option in a run without limits, or a property that no option changes."""

    option: str
    """The solver's own name of it, empty for a property."""
    value: Value
    """None if it is the solver's default and the solver cannot be asked for it."""
    ours: bool
    """True if Ringyard sets it, False if it is the solver's default."""

    @property
    def shown(self) -> str:
        """The value as text."""
        return shown(self.value)


Stated = Mapping[Head, Setting]


def ours(option: str, value: Value) -> Setting:
    """Return a setting that Ringyard makes."""
    return Setting(option, value, True)


def own(option: str, value: Value = None) -> Setting:
    """Return a setting that is the solver's default."""
    return Setting(option, value, False)


def fixed(value: str) -> Setting:
    """Return a property of a solver."""
    return Setting("", value, False)


def shown(value: Value) -> str:
    """Return a value as text, the same for equal values of different types."""
    if value is None:
        return "its default"
    if isinstance(value, str):
        return value
    return f"{float(value):g}"
