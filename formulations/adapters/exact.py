"""Exact, a pseudo-Boolean solver: programs in bounded whole numbers, as OPB text.

Its licence is the AGPL, so it is not part of Ringyard, not even as an extra. Users install it
themselves, and it is called only as a separate process that reads and writes text.
"""

import sys
import time
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from ...instances import SolutionStatus, TerminationReason
from ..files.opb import PseudoBoolean, pseudo_boolean
from ..program import Caps, Floats, Matrix, Program, Solution
from .executable import ProgramEnd, call
from .integral import EXACTLY, refuses
from .solver import End, Report, Solver, claim

SCRIPT = r"""
import sys, time
end = time.monotonic() + float(sys.argv[1])
import exact
solver, names, goal = exact.Exact(), [], []
for line in sys.stdin:
    words = line.rstrip("\n;").split()
    if words[:2] == ["*", "#variable="]:
        names = [f"x{i}" for i in range(1, int(words[2]) + 1)]
        for name in names:
            solver.addVariable(name, 0, 1)
    elif words and words[0] == "min:":
        goal = [(int(f), x) for f, x in zip(words[1::2], words[2::2])]
    elif words and words[0] != "*":
        terms, sense, side = words[:-2], words[-2], int(words[-1])
        pairs = [(int(f), x) for f, x in zip(terms[::2], terms[1::2])]
        solver.addConstraint(pairs, True, side, sense == "=", side)
solver.setObjective(goal, True, 0)
print("t", time.monotonic(), flush=True)
best, ended = None, "UNKNOWN"
try:
    while time.monotonic() < end:
        state = solver.runOnce(0.2)
        if state == "SAT":
            found = dict(zip(names, solver.getLastSolutionFor(names)))
            value = sum(f * found[x] for f, x in goal)
            if best is None or value < best[0]:
                best = (value, found)
            solver.boundObjByLastSol()
        elif state == "UNSAT":
            ended = "UNSATISFIABLE" if best is None else "OPTIMUM FOUND"
            break
except KeyboardInterrupt:
    pass
print("s", ended if best is None or ended != "UNKNOWN" else "SATISFIABLE")
if best is not None:
    print("o", best[0])
    print("v", *(x if best[1][x] else "-" + x for x in names))
if best is None or any(f for f, _ in goal):
    print("c bound", solver.getDualBound())
"""
"""Answers in the format of the competitions, with the bound as a comment.

`t` is the moment at which it had the program, by the clock that processes share.
"""

ENDS: dict[str, End] = {
    "OPTIMUM FOUND": SolutionStatus.OPTIMAL,
    "UNSATISFIABLE": SolutionStatus.INFEASIBLE,
    "SATISFIABLE": TerminationReason.TIME_LIMIT,
    "UNKNOWN": TerminationReason.TIME_LIMIT,
}


def run(program: Program, caps: Caps, start: Floats | None, report: Report) -> Solution:
    """Solve a program in bounded whole numbers."""
    assert isinstance(program, Matrix)
    began, bits = time.monotonic(), pseudo_boolean(program)
    text = "\n".join(bits.lines())
    left = caps.since(began)
    seconds = "inf" if left.time_s is None else repr(left.time_s)
    with TemporaryDirectory() as folder:
        ended = call([sys.executable, "-c", SCRIPT, seconds], Path(folder), left, text)
    return _answer(bits, ended, began)


def _answer(bits: PseudoBoolean, ended: ProgramEnd, began: float) -> Solution:
    lines = [line.partition(" ")[::2] for line in ended.words.splitlines()]
    answer = {kind: text for kind, text in lines if kind in ("s", "o", "v", "c", "t")}
    end = ENDS.get(answer.get("s", ""), TerminationReason.FAILED)
    failed = end is TerminationReason.FAILED
    note = ended.words.strip().rpartition("\n")[2][:200] if failed else "its time was over"
    point, bound = None, answer.get("c", "").removeprefix("bound ")
    if "v" in answer:
        point = bits.point(int(word[1:]) for word in answer["v"].split() if word[0] == "x")
    if end is SolutionStatus.OPTIMAL:
        bound = answer["o"]
    found = claim(
        end,
        note,
        point=point,
        bound=bits.value(int(bound)) if bound and end is not SolutionStatus.INFEASIBLE else None,
        setup_s=float(answer["t"]) - began if "t" in answer else None,
        memory_mb=ended.memory_mb,
    )
    if ended.cut is not None:
        found = replace(found, termination=ended.cut[0], note=ended.cut[1])
    return found


SOLVER = Solver(
    name="exact",
    module="",
    package="exact",
    install="exact",
    can=("ip",),
    run=run,
    refuses=refuses,
    remark="licensed under the AGPL, runs as a separate process",
    stated=EXACTLY,
)
