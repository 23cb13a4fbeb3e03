"""CBC: linear and mixed-integer programs, by the program that the package `cbcbox` brings.

It reads an MPS file and writes a solution file. Rows and columns go by number, because names may be
repeated. Rows without sides are left out, because readers of MPS drop them.
"""

import re
import time
from collections.abc import Mapping
from dataclasses import replace
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from ...instances import SolutionStatus, TerminationReason
from ..files.write import write_matrix
from ..program import Caps, Flags, Floats, Matrix, Program, Solution
from ..stated import ours, own
from .executable import ProgramEnd, call
from .solver import BY_LIMIT, End, Report, Solver, SolverOptions, claim, dual_bound

ENDS: dict[str, End] = {
    "Optimal": SolutionStatus.OPTIMAL,
    "Infeasible": SolutionStatus.INFEASIBLE,
    "Integer infeasible": SolutionStatus.INFEASIBLE,
    "Unbounded": SolutionStatus.UNBOUNDED,
    "Stopped on time": TerminationReason.TIME_LIMIT,
    "Stopped on": TerminationReason.WORK_LIMIT,
}
"""Beginnings of the first line of a solution, with their meaning."""

UNTOUCHED = {"boundPropLevel": "off", "singletonBounds": "off"}
"""For linear programs: where rows became bounds, their duals are lost."""

EXACTLY = {"increment": "1e-9", "allowableGap": "0"}
"""For programs with integers: by itself, CBC passes over points that are slightly better."""

PROVED = "infeasibility proved"
"""Printed during the run. The final status is then unknown."""

TOO_LATE = "said infeasible when its time was over"
"""It reported so for feasible programs whose time ended during its preparations."""

BOUND = re.compile(r"^Lower bound: +(\S+)$", re.MULTILINE)
DIGITS = 1e-5
"""It writes six digits of its bound, rounded."""

OURS = "leave it out: answers are read from its output"

SECTIONS = re.compile(r"\*\*\* (\w+) parameters: \*\*\*")

NAMES = re.compile(r"[A-Za-z]\w*(?:\(\w+\))?")


AT_THE_END = ("-printingOptions", "all", "-solve", "-solution", "program.sol")
"""Words of the command behind all options."""


def run(program: Program, caps: Caps, start: Floats | None, report: Report) -> Solution:
    """Solve a linear or mixed-integer program."""
    assert isinstance(program, Matrix)
    began = time.monotonic()
    sided = np.isfinite(program.row_lower) | np.isfinite(program.row_upper)
    with TemporaryDirectory() as name:
        folder = Path(name)
        kept = np.flatnonzero(sided)
        numbered = replace(
            program.with_rows(kept),
            columns=tuple(f"c{j}" for j in range(len(program.columns))),
            rows=tuple(f"r{i}" for i in kept),
        )
        write_matrix(folder / "program.mps", numbered)
        left = caps.since(began)
        words = _words(left, EXACTLY if program.integer.any() else UNTOUCHED)
        setup_s = time.monotonic() - began  # It does not print how long it reads.
        ended = call([_program(), "program.mps", *words], folder, left)
        late = left.time_s is not None and time.monotonic() - began > setup_s + left.time_s
        file = folder / "program.sol"
        text = file.read_text(encoding="ascii") if file.exists() else ""
    found = _answer(program, caps, ended, text.splitlines(), sided)
    if late and found.status is SolutionStatus.INFEASIBLE:
        found = claim(TerminationReason.TIME_LIMIT, TOO_LATE, memory_mb=found.memory_mb)
    return replace(found, setup_s=setup_s)


def _program() -> str:
    import cbcbox

    return str(cbcbox.cbc_bin_path())


def _words(caps: Caps, fixed: Mapping[str, str]) -> list[str]:
    """Return the words of the command behind the file."""
    words = {
        "threads": caps.threads if caps.threads > 1 else 0,
        "randomSeed": caps.seed + 1,
        "randomCbcSeed": caps.seed + 1,
        "ratioGap": caps.gap,
        "seconds": caps.time_s,
        "maxNodes": caps.nodes,
        **fixed,
        **dict(caps.settings),
    }
    given = ((f"-{key}", str(value)) for key, value in words.items() if value is not None)
    return [*chain.from_iterable(given), *AT_THE_END]


def _answer(
    program: Matrix, caps: Caps, ended: ProgramEnd, lines: list[str], sided: Flags
) -> Solution:
    head = lines[0] if lines else ""
    unknown = SolutionStatus.INFEASIBLE if PROVED in ended.words else TerminationReason.NUMERICAL
    end = next((ENDS[begin] for begin in ENDS if head.startswith(begin)), unknown)
    note = head.split(" - ")[0].lower()
    if ended.cut is not None:
        end, note = ended.cut
    optimal = end is SolutionStatus.OPTIMAL
    has_point = optimal or (isinstance(end, TerminationReason) and lines)
    mixed, point, duals, bound = bool(program.integer.any()), None, None, None
    if has_point and end is not TerminationReason.NUMERICAL and "no integer" not in head:
        rows = [line.replace("**", " ").split() for line in lines[1:]]
        own = len(rows) - len(program.columns)
        point = np.array([float(row[2]) for row in rows[own:]])
        if optimal and not mixed and own == sided.sum():
            duals = np.zeros(len(program.rows))
            duals[sided] = [float(row[3]) for row in rows[:own]]
            bound = dual_bound(program, duals)
        elif shown := BOUND.search(ended.words):
            bound = float(shown[1]) - DIGITS * abs(float(shown[1]))
        elif optimal:
            bound = float(program.cost @ point) + program.offset
    return claim(end, note, point=point, bound=bound, duals=duals, memory_mb=ended.memory_mb)


def _known() -> list[str]:
    """Return the names in its list, except actions."""
    with TemporaryDirectory() as name:
        words = call([_program(), "-?"], Path(name), Caps()).words
    sections = SECTIONS.split(words)[1:]
    pairs = zip(sections[::2], sections[1::2], strict=True)
    listed = "".join(text for kind, text in pairs if kind != "Action")
    return [found.replace("(", "").replace(")", "") for found in NAMES.findall(listed)]


def _takes(name: str, value: str) -> bool:
    with TemporaryDirectory() as folder:
        words = call([_program(), f"-{name}", value, "-quit"], Path(folder), Caps()).words
    return not any(refusal in words for refusal in ("Illegal", "Unrecognized", "was provided"))


SOLVER = Solver(
    name="cbc",
    module="cbcbox",
    install="'ringyard[cbc]'",
    can=("lp", "milp", "duals", "options"),
    run=run,
    options=SolverOptions(_known, _takes, {"seconds": BY_LIMIT, "printingOptions": OURS}),
    stated={
        "relative gap": ours("ratioGap", 0),
        "absolute gap or increment": ours("increment", 1e-9),
        "row tolerance": own("primalTolerance"),
        "integer tolerance": own("integerTolerance"),
        "infeasibility tolerance": own("dualTolerance"),
        "presolve": own("presolve"),
        "seed": ours("randomSeed", 1),
        "threads": ours("threads", 0),
        "algorithm": own("solve"),
    },
)
