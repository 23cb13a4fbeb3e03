"""`ringyard explain`: why no schedule meets a deadline."""

from math import inf
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any

from ..instances import MakespanInstance, RefusedError, digest
from ..instances.arguments import at_least_one, time_limit_problems
from ..instances.catalogue import load_as
from ..instances.errors import raise_any
from ..instances.reading.encode import as_number
from ..methods import all_methods, find_method
from .shared.options import AsJson, Whole, out_problems, write_entity
from .shared.output import cell, emit, say
from .shared.progress import progress

if TYPE_CHECKING:
    from ..formulations.iis import Core
    from ..formulations.program import Caps
    from ..run import Answer
    from ..search.makespan.explain import Conflict


PREFERRED = ("branch-and-bound", "cp-sat", "enumeration")
"""Exact methods by priority. The default is the first that supports the instance."""

MOST_SHOWN = 20
"""Most reasons listed as text."""


def explain_command(
    instance: str,
    /,
    *,
    horizon: Whole,
    method: str | None = None,
    formulation: str | None = None,
    time_limit: float | None = None,
    out: Path | None = None,
    json: AsJson = False,
) -> int:
    """Explain why no schedule meets a deadline, or find a schedule that does.

    Arguments that you can check by hand come first. If none applies, an exact method searches for a
    schedule. If no schedule exists, the command removes jobs as long as the remaining jobs still
    cannot end in time. The exit code is 0 for an answer and 3 if the answer is unknown.

    Parameters
    ----------
    instance
        A catalogue name, or a file.
    horizon
        The slot by which all jobs must end.
    method
        Name of an exact method (default: `branch-and-bound`, or the first of `cp-sat` and
        `enumeration` that supports the instance). Used only if no simple argument applies.
    formulation
        Also print rows (constraints) of this program that contradict each other. A name from
        `ringyard list formulations`.
    time_limit
        Seconds in total (default: no limit).
    out
        If a schedule meets the deadline, write it to this file (.json or .json.gz).
    """
    problems = [*time_limit_problems(time_limit), *out_problems(instance, out)]
    problems += at_least_one("--horizon", horizon)
    raise_any("ringyard explain", problems)
    from ..search.makespan.explain import reasons

    until = inf if time_limit is None else monotonic() + time_limit
    problem = load_as(MakespanInstance, instance)
    find_method(method, problem.kind)
    found = reasons(problem, horizon)
    row: dict[str, Any] = {"instance": problem.name, "digest": digest(problem), "horizon": horizon}
    if found:
        row |= {"possible": False}
        row["reasons"] = [
            {"name": one.name, "earliest": as_number(one.earliest), "text": one.text}
            for one in found
        ]
        lines = [f"{one.name}: {one.text}" for one in found[:MOST_SHOWN]]
        if len(found) > MOST_SHOWN:
            lines.append(f"... and {len(found) - MOST_SHOWN} more (--json lists all)")
    else:
        with progress(f"explaining {problem.name}"):
            more, lines = _search(problem, horizon, method, until, out)
        row |= more
    if formulation is not None and row["possible"] is False:
        row["rows"], more_lines = conflict_of_rows(problem, formulation, horizon, until)
        lines += more_lines
    if json:
        emit(row)
    else:
        _print(row, lines)
    return 3 if row["possible"] is None else 0


def _search(
    problem: MakespanInstance, horizon: int, method: str | None, until: float, out: Path | None
) -> tuple[dict[str, Any], list[str]]:
    """Return the decision of an exact method, as values and as lines."""
    from ..run import solve
    from ..search.makespan.explain import irreducible

    name = method or _exact(problem)

    def ask(smaller: MakespanInstance, share: float = 1.0) -> "Answer":
        left = None if until == inf else max(0.0, share * (until - monotonic()))
        answer = solve(smaller, name, horizon=horizon, time_limit=left)
        if answer.outcome.termination == "interrupted":
            raise KeyboardInterrupt
        return answer

    answer = ask(problem)
    row: dict[str, Any] = {"method": answer.method.name, "possible": _possible(answer)}
    if answer.valid:
        return row | {"objective": int(answer.objective or 0)}, _found(answer, out)
    if row["possible"] is None:
        return row, [_open(answer)]
    # Use half of the remaining time for each question, because a hard one could use all.
    conflict = irreducible(problem, lambda smaller: _possible(ask(smaller, 0.5)))
    row["conflict"] = {"jobs": list(conflict.jobs), "minimal": conflict.minimal}
    return row, _conflict(problem, conflict, horizon)


def _exact(problem: MakespanInstance) -> str | None:
    exact = {method.name: method for method in all_methods() if method.name in PREFERRED}
    takes = (name for name in PREFERRED if name in exact and not exact[name].refuses(problem))
    return next(takes, None)


def _possible(answer: "Answer") -> bool | None:
    """Return True if a schedule ends in time, False if none does, None if unknown."""
    if answer.valid:
        return True
    return False if answer.status == "infeasible" else None


def _found(answer: "Answer", out: Path | None) -> list[str]:
    if out is not None:
        write_entity(answer.schedule, out)
    return [f"found by {answer.method.name}, checked valid: makespan {cell(answer.objective)}"]


def _open(answer: "Answer") -> str:
    stop, bound = answer.outcome.termination.words, answer.bound
    least = f"No schedule ends before slot {cell(bound.value)} ({bound.kind}: {bound.argument})"
    return f"{answer.method.name} found no answer{f' ({stop})' if stop else ''}. {least}"


def _conflict(problem: MakespanInstance, conflict: "Conflict", horizon: int) -> list[str]:
    count, of = len(conflict.jobs), len(problem.jobs)
    if count == 1:
        return [f"job {conflict.jobs[0]!r} cannot, even alone"]
    names = ", ".join(repr(name) for name in conflict.jobs)
    who = f"these {count} of {of} jobs" if count < of else f"the {of} jobs"
    rest = (
        ("but each of them alone can" if count == 2 else f"but any {count - 1} of them can")
        if conflict.minimal
        else "not shown minimal: the time limit was reached"
    )
    return [f"{who} cannot all end by slot {horizon}, {rest}: {names}"]


def _print(row: dict[str, Any], lines: list[str]) -> None:
    ending = f"ends by slot {row['horizon']}"
    answers = {True: f"a schedule {ending}", False: f"no schedule {ending}"}
    answer = answers.get(row["possible"], f"not known whether a schedule {ending}")
    say(f"{row['instance']}: {answer}")
    for line in lines:
        say(f"  {line}")


def conflict_of_rows(
    instance: MakespanInstance, name: str, horizon: int, until: float
) -> tuple[dict[str, Any], list[str]]:
    """Return an irreducible infeasible set of rows of a program, as values and as lines.

    The linear relaxation is tried first, row by row. If it is feasible, the program itself is used,
    and rows that differ only in slots are grouped.
    """
    from ..formulations.catalogue import find_formulation
    from ..formulations.iis import irreducible, letters, without_slots
    from ..formulations.matrix import matrix_of, relaxed

    formulation = find_formulation(name)
    reason = formulation.refuses(instance)
    if formulation.form != "linear":
        reason = f"{name} has no linear rows. Choose another formulation."
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
    doubt = "" if core.minimal else " (not shown minimal: the time limit was reached)"
    return row, [f"{what}, rows that contradict each other{doubt}:", *_lines(core, known)]


def _caps(until: float) -> "Caps":
    from ..formulations.program import Caps

    return Caps(time_s=None if until == inf else max(0.0, until - monotonic()))


def _lines(core: "Core", known: dict[str, tuple[str, ...]]) -> list[str]:
    from ..formulations.iis import in_words, parts

    names = dict.fromkeys(parts(column)[0] for column in (*core.lower, *core.upper))
    found = [f"  {line}" for line in in_words(core.rows, known)]
    return [*found, *([f"  with the bounds of {', '.join(names)}"] if names else [])]
