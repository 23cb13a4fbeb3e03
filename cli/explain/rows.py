"""Which rows of a program cannot hold together, for `ringyard explain`."""

from math import inf
from time import monotonic
from typing import Any

from ...formulations.catalogue import find_formulation
from ...formulations.iis import Core, in_words, irreducible, letters, parts, without_slots
from ...formulations.matrix import matrix_of, relaxed
from ...formulations.program import Caps
from ...instances import MakespanInstance, RefusedError


def conflict_of_rows(
    instance: MakespanInstance, name: str, horizon: int, until: float
) -> tuple[dict[str, Any], list[str]]:
    """Return an irreducible infeasible part of a program, as values and as lines.

    That of the linear relaxation, row by row; if there is none, that of the program itself,
    where rows that differ in slots only go together.
    """
    formulation = find_formulation(name)
    reason = formulation.refuses(instance)
    if formulation.form != "linear":
        reason = f"{name} has no linear rows; choose another formulation"
    if reason is not None:
        raise RefusedError(f"{instance.name}: {reason}")
    known = letters(formulation.mathematics)
    program = matrix_of(formulation.build(instance, horizon))
    core, what = irreducible(relaxed(program), caps=_caps(until)), f"linear relaxation of {name}"
    if core is None:
        core = irreducible(program, caps=_caps(until), group=lambda row: without_slots(row, known))
        what = name
    if core is None:
        return {"formulation": name, "rows": None}, [f"{name}: not shown to be infeasible"]
    row = {
        "formulation": name,
        "relaxed": what != name,
        "rows": list(core.rows),
        "lower": list(core.lower),
        "upper": list(core.upper),
        "minimal": core.minimal,
    }
    doubt = "" if core.minimal else " (not shown minimal, time was up)"
    return row, [f"{what}, rows that cannot all hold{doubt}:", *_lines(core, known)]


def _caps(until: float) -> Caps:
    return Caps(time_s=None if until == inf else max(0.0, until - monotonic()))


def _lines(core: Core, known: dict[str, tuple[str, ...]]) -> list[str]:
    names = dict.fromkeys(parts(column)[0] for column in (*core.lower, *core.upper))
    found = [f"  {line}" for line in in_words(core.rows, known)]
    return [*found, *([f"  with the bounds of {', '.join(names)}"] if names else [])]
