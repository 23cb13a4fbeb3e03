"""Random small instances of every family, with whatever its format can say, through the default.

Of `torture.py`, which says how it is run. Instances come from every preset of `ringyard generate`,
small and with options changed, and from the draws with nasty numbers of `tests/`; of either some
fields are changed then to anything that their shape allows.
"""

import re
import sys
from contextlib import suppress
from dataclasses import fields, replace
from pathlib import Path
from random import Random
from typing import Any
from unittest.mock import patch

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

import fleet_small
from family_draws import DRAWN, drawn
from little import little_work
from shaped import changed

from ringyard.analysis.check import check
from ringyard.instances import InputError, Instance, RefusedError, validate
from ringyard.instances.generate import presets
from ringyard.instances.reading.encode import to_text
from ringyard.instances.reading.files import SCHEDULES, parse
from ringyard.policies.fleet import within
from ringyard.run import Answer, solve
from ringyard.testing.makespan import nasty_instance

SMALL = {
    **{"jobs": 4, "servers": 3, "machines": 2, "slots": 3, "racks": 2, "types": 2},
    **{"pairs": 2, "parts": 3, "numbers": 4, "room": 4, "levels": 3},
    **{"rows": 8, "workers": 4, "samples": 4, "aggregators": 2, "regions": 3, "epochs": 3},
}
"""Sizes of generated instances at most, by option."""

TRIES = 20
"""Changes that may come out invalid before an instance stays as it is."""


def one(index: int) -> dict[str, Any]:
    """Solve an instance by its number; return what came of it as a row."""
    instance = instance_of(index)
    row: dict[str, Any] = {"fault": None, "kind": instance.kind}
    try:
        with little_work(), patch.multiple(within, STEPS=2, ROUNDS=1):
            answer = solve(instance)
    except RefusedError as error:
        return {**row, "what": "refused", "reason": _reason(instance, str(error))}
    return {**row, "what": answer.status, "fault": _fault(answer)}


def instance_of(index: int) -> Instance:
    """Return an instance by its number, the same everywhere."""
    rng = Random(f"torture/{index}")
    made = _nasty(index) if index % 2 else _generated(index, rng)
    for _ in range(rng.choice((0, 1, 1, 2, 3, 6))):
        made = _valid_change(made, rng)
    return made


def _nasty(index: int) -> Instance:
    kinds = ("makespan", "fleet", *DRAWN)
    kind, number = kinds[index // 2 % len(kinds)], index // 2 // len(kinds)
    if kind == "makespan":
        return nasty_instance(0, number)
    return fleet_small.draw(number) if kind == "fleet" else drawn(kind, 0, number)


def _generated(index: int, rng: Random) -> Instance:
    """Return a small instance of a preset with a few options changed."""
    known = [preset for _, preset in presets().values()]
    usual = _small(known[index // 2 % len(known)])
    while True:
        mix = usual
        for _ in range(rng.choice((0, 1, 2, 4))):
            mix = changed(mix, rng)
        with suppress(InputError):
            made: Instance = _small(mix).build(index, f"torture-{index}")
            if made.kind == "reserved" and rng.random() < 0.2:  # No single change leads there.
                alone = tuple(replace(machine, rack=None) for machine in made.machines)
                made = replace(made, racks=(), machines=alone)
            validate(made)
            return made


def _small(mix: Any) -> Any:
    sizes = {one.name: getattr(mix, one.name) for one in fields(mix) if one.name in SMALL}
    return replace(mix, **{n: SMALL[n] for n, size in sizes.items() if (size or 0) > SMALL[n]})


def _valid_change(instance: Instance, rng: Random) -> Instance:
    for _ in range(TRIES):
        other = changed(instance, rng)
        with suppress(InputError):
            validate(other)
            return other
    return instance


def _fault(answer: Answer) -> str | None:
    """Describe what is wrong with an answer: of itself, or once its schedule was in a file."""
    if answer.rejection or answer.status == "error":
        broken = answer.verdict.violations if answer.verdict else ()
        return f"INVALID: {answer.rejection or ', '.join(str(one) for one in broken)}"
    if answer.schedule is None:
        return None
    again = check(answer.instance, parse(to_text(answer.schedule), SCHEDULES))
    if (again.valid, again.objective) != (True, answer.objective):
        return f"from its file the schedule has {again.objective}, not {answer.objective}"
    return None


def _reason(instance: Instance, text: str) -> str:
    """Return a reason without the names and numbers of one instance."""
    words = re.sub(r"'[^']*'", "..", text.removeprefix(f"{instance.name}: "))
    return f"{instance.kind}: {re.sub(r'[0-9][0-9.e+,/-]*', 'N', words)}"
