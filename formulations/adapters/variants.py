"""HiGHS by one algorithm, and SCIP without presolve: names that a comparison can put into columns.

Each is the solver itself with some of its options set.
"""

import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from ..program import Caps, Floats, Matrix, Program, Settings, Solution
from ..stated import Stated, Value, ours
from . import highs, scip
from .solver import Report, Run, Solver, dual_bound, over, refuses

NAMED = "take the solver of that name instead"

ALGORITHMS: dict[str, Settings] = {
    "simplex": (("solver", "simplex"),),
    "ipm": (("solver", "ipm"),),
    "pdlp": (("solver", "pdlp"), ("kkt_tolerance", "1e-8"), ("presolve", "off")),
}
"""HiGHS's own options for each. A first-order method would stop too far from the rows by itself.

Behind presolve, HiGHS 1.15.1 reports results of `pdlp` with an unknown status.
HiGHS 1.16.0 does not, and presolve saves it a fifth of the time (34 programs).
"""

TOLERANCES: dict[str, Stated] = {
    "pdlp": {
        "row tolerance": ours("kkt_tolerance", 1e-8),
        "infeasibility tolerance": ours("kkt_tolerance", 1e-8),
    }
}
"""Settings that take the place of others of HiGHS."""

NO_PRESOLVE: Settings = (("presolving/maxrounds", "0"), ("presolving/maxrestarts", "0"))


def run_set(
    plain: Run,
    settings: Settings,
    program: Program,
    caps: Caps,
    start: Floats | None,
    report: Report,
) -> Solution:
    """Solve with options set before the caps."""
    return plain(program, replace(caps, settings=(*settings, *caps.settings)), start, report)


def run_continuous(
    plain: Run, settings: Settings, program: Program, caps: Caps, *given: Any
) -> Solution:
    """Do so with a linear program, whose bound comes from the duals: its points may be inexact."""
    if (late := over(caps, time.monotonic())) is not None:  # HiGHS's PDLP looks at its clock late.
        return late
    found = run_set(plain, settings, program, caps, *given)
    assert isinstance(program, Matrix)
    duals = found.duals
    return found if duals is None else replace(found, bound=dual_bound(program, duals))


def _variant(
    plain: Solver, name: str, run: Callable[..., Solution], settings: Settings, **others: Any
) -> Solver:
    """Return a solver that sets some options. The first is then fixed."""
    assert plain.options is not None
    ours = {**plain.options.ours, settings[0][0]: NAMED}
    options = replace(plain.options, ours=ours)
    ran = partial(run, plain.run, settings)
    once = partial(run, plain.plain, settings) if plain.plain else None
    named = f"{plain.name}-{name}"
    assert plain.asked is not None
    asked = partial(_asked, plain.asked, settings)
    made = replace(plain, name=named, run=ran, plain=once, options=options, asked=asked, **others)
    mixed = {"relative gap", "absolute gap or increment", "integer tolerance"}
    left = mixed if "milp" not in made.can else set()
    known = {head: one for head, one in plain.stated.items() if head not in left}
    return replace(made, stated={**_stated(known, settings), **TOLERANCES.get(name, {})})


def _asked(plain: Callable[[Caps, str], Value], settings: Settings, caps: Caps, name: str) -> Value:
    return plain(replace(caps, settings=(*settings, *caps.settings)), name)


def _stated(plain: Stated, settings: Settings) -> Stated:
    """Return the settings of a solver with some options set."""
    known = dict(settings)
    return {
        head: ours(one.option, known[one.option]) if one.option in known else one
        for head, one in plain.items()
    }


CONTINUOUS: dict[str, Any] = {"can": ("lp", "duals", "options"), "refuses": refuses}

SOLVERS = (
    *(
        _variant(highs.SOLVER, name, run_continuous, settings, **CONTINUOUS)
        for name, settings in ALGORITHMS.items()
    ),
    _variant(scip.SOLVER, "no-presolve", run_set, NO_PRESOLVE),
)
