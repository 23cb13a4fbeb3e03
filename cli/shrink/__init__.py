"""`ringyard shrink`: a minimal instance or program that reproduces an error."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Annotated, NamedTuple

from cyclopts import Parameter

from ...instances import (
    InputError,
    Limits,
    MakespanInstance,
    MissingError,
    RefusedError,
    SolutionStatus,
    TerminationReason,
)
from ...instances.arguments import seed_problems, time_limit_problems
from ...instances.catalogue import load_as
from ...instances.errors import ABSENT, Problem, raise_any
from ...instances.reading.encode import fraction_text
from ...interrupts import keeping
from ...run import Answer, solve
from ...search.makespan.shrink import Fails, shrink
from ..shared.options import AsJson, out_problems, place_problems, write_entity
from ..shared.output import emit, note, say

NAMES = "The methods that disagree, from `ringyard list methods`, separated by commas."


def shrink_command(
    instance: str | None = None,
    /,
    *,
    methods: Annotated[str | None, Parameter(help=NAMES)] = None,
    program: Path | None = None,
    solver: str = "highs",
    against: str | None = None,
    out: Path,
    time_limit: float | None = None,
    run_limit: float = 10.0,
    seed: int = 0,
    json: AsJson = False,
) -> int:
    """Reduce an instance while methods contradict each other on it.

    With --program, reduce a program while a solver's answer is wrong. The exit code is 3 if there
    is no contradiction or error. Ctrl-C keeps the smallest so far.

    Parameters
    ----------
    instance
        A catalogue name, or a file.
    program
        Instead of an instance: a program, as .mps or .lp, optionally packed as .gz.
    solver
        The solver whose answer to the program may be wrong, with options as in
        highs:presolve=on.
    against
        A solver that finds solutions to refute the answer (default: SCIP, or HiGHS without presolve
        if --solver is SCIP).
    out
        Write the result to this file: an instance as .json or .json.gz, a program as .mps. For a
        program, a .json file with the error and an .md file with a bug report are written next to
        it.
    time_limit
        Seconds in total (default: no limit). Afterwards, the smallest example so far is written.
    run_limit
        Seconds for each run of a method or solver.
    seed
        Seed of the random steps of methods.
    """
    problems = [*_choice(instance, methods, program), *seed_problems(seed)]
    problems += [*_limits(time_limit, run_limit), *_out(instance, program, out)]
    raise_any("ringyard shrink", problems)
    if program is not None:
        from .program import shrink_program

        return shrink_program(program, solver, against, out, time_limit, run_limit, json)
    return _shrink_instance(
        str(instance), str(methods), out, time_limit, run_limit, seed, json=json
    )


def _shrink_instance(
    instance: str,
    methods: str,
    out: Path,
    time_limit: float | None,
    run_limit: float,
    seed: int,
    *,
    json: bool,
) -> int:
    names = [name.strip() for name in methods.split(",")]
    problem = load_as(MakespanInstance, instance)
    first = disagreement(problem, names, run_limit, seed)
    if first is None:
        if json:
            emit({"instance": problem.name, "disagreement": None})
        else:
            say(f"{problem.name}: {', '.join(names)} do not contradict each other")
        return 3
    note(f"{problem.name}: {first.text}")
    seen = {problem: first}

    def fails(smaller: MakespanInstance) -> bool:
        again = repeated(smaller, first, names, run_limit, seed)
        if again is not None:
            seen[smaller] = again
        return again is not None

    smallest, stop = _shrink(problem, fails, time_limit)
    found = seen[smallest]
    source = f"shrunk from {problem.name}"
    write_entity(replace(smallest, title="", notes=found.text, source=source), out)
    if json:
        size = {"jobs": len(smallest.jobs), "servers": len(smallest.cluster.servers)}
        emit({"instance": problem.name, "disagreement": found.text, **size, "termination": stop})
    else:
        say(f"{_size(problem)} shrunk to {_size(smallest)}{'' if stop == 'done' else f' ({stop})'}")
        say(f"  {found.text}")
    return 130 if stop == "interrupted" else 0


def _choice(instance: str | None, methods: str | None, program: Path | None) -> list[Problem]:
    """Return invalid inputs: the command needs an instance with methods, or a program."""
    given = {"INSTANCE": instance, "--methods": methods}
    if program is None:
        advice = "name an instance and methods, or a --program and its --solver"
        missing = (name for name, value in given.items() if value is None)
        return [Problem(name, ABSENT, "a name", advice) for name in missing]
    return [
        Problem(name, value, "no value with --program", "leave it out")
        for name, value in given.items()
        if value is not None
    ]


def _out(instance: str | None, program: Path | None, out: Path) -> list[Problem]:
    if program is None:
        return out_problems(str(instance), out)
    if out.suffix != ".mps":
        return [Problem("--out", str(out), "a name that ends in .mps", "name the file small.mps")]
    return place_problems("--out", str(program), out)


def _limits(time_limit: float | None, run_limit: float) -> list[Problem]:
    run = [replace(problem, path="--run-limit") for problem in time_limit_problems(run_limit)]
    return [*time_limit_problems(time_limit), *run]


def _shrink(
    instance: MakespanInstance, fails: Fails, time_limit: float | None
) -> tuple[MakespanInstance, str]:
    """Return the smallest failing instance found, and the reason why the search stopped."""
    kept = instance

    def tell(smaller: MakespanInstance) -> None:
        nonlocal kept
        if _size(smaller) != _size(kept):
            note(f"  {_size(smaller)}")
        kept = smaller

    limits = Limits(time_s=time_limit)
    try:
        with keeping():
            shrink(instance, fails, limits, tell)
    except KeyboardInterrupt:
        return kept, "interrupted"
    return kept, "time limit" if limits.over() else "done"


def _size(instance: MakespanInstance) -> str:
    jobs, servers = len(instance.jobs), len(instance.cluster.servers)
    gpus = sum(server.gpus for server in instance.cluster.servers)
    counts = ((jobs, "job"), (servers, "server"), (gpus, "GPU"))
    return ", ".join(f"{count} {word}{'s' * (count != 1)}" for count, word in counts)


LONGEST = 1000
"""Most characters kept of the message of a crash."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """The claim of one answer: a makespan confirmed by the judge, a bound, or an error."""

    method: str
    value: Fraction | None = None
    """Makespan of its schedule, if that is valid."""
    bound: Fraction = Fraction(0)
    impossible: bool = False
    """True if it claims that no schedule exists."""
    error: str = ""
    """An error of this answer alone."""
    seconds: float = 0.0

    @property
    def optimum(self) -> Fraction | None:
        """The makespan that it proved optimal."""
        return self.value if self.value == self.bound else None


class Contradiction(NamedTuple):
    """A contradiction: its kind, which shrinking preserves, and its description."""

    kind: str
    text: str


def claim(
    instance: MakespanInstance, method: str, time_limit: float | None = None, seed: int = 0
) -> Claim:
    """Run a method and return its claim. A crash is an error. Raises `RefusedError`."""
    try:
        answer = solve(instance, method, time_limit=time_limit, seed=seed)
    except (InputError, RefusedError, MissingError):
        raise
    except Exception as error:  # the search is for any crash, whatever its kind
        text = f"{method} stopped with {type(error).__name__}: {str(error)[:LONGEST]}"
        return Claim(method=method, error=text)
    if answer.outcome.termination is TerminationReason.INTERRUPTED:
        raise KeyboardInterrupt
    return Claim(
        method=method,
        value=answer.objective if answer.valid else None,
        bound=max(answer.bound.value, answer.claimed_bound or Fraction(0)),
        impossible=(answer.claim or answer.outcome).status is SolutionStatus.INFEASIBLE,
        error=_error_of(answer),
        seconds=answer.seconds,
    )


def disagreement(
    instance: MakespanInstance, methods: Iterable[str], time_limit: float | None, seed: int = 0
) -> Contradiction | None:
    """Run methods and return the contradiction of their claims, if any."""
    return contradiction([claim(instance, name, time_limit, seed) for name in methods])


def repeated(
    instance: MakespanInstance,
    first: Contradiction,
    methods: Iterable[str],
    time_limit: float | None,
    seed: int = 0,
) -> Contradiction | None:
    """Return a contradiction like `first` on another instance. Ignore refusals."""
    try:
        found = disagreement(instance, methods, time_limit, seed)
    except RefusedError:
        return None
    return found if found is not None and found.kind == first.kind else None


def _error_of(answer: Answer) -> str:
    """Return the error of an answer alone, or an empty string."""
    name, outcome = answer.method.name, answer.outcome
    if answer.rejection:
        return f"{name}: {answer.rejection}"
    if answer.verdict is not None and not answer.valid:
        rules = ", ".join(dict.fromkeys(v.rule for v in answer.verdict.violations))
        return f"{name} gave an invalid schedule ({rules})"
    if outcome.termination is TerminationReason.CRASHED:
        return f"{name} crashed: {outcome.note}"
    exact = answer.method.guarantee == "optimal" and outcome.termination is TerminationReason.DONE
    exact |= (answer.claim or outcome).status is SolutionStatus.OPTIMAL
    meets = answer.objective == answer.claimed_bound
    if exact and answer.status == "feasible" and not meets:
        value, bound = map(fraction_text, (answer.objective or Fraction(0), answer.bound.value))
        return f"{name} ended with value {value} and bound {bound}, which should be equal"
    return ""


def contradiction(claims: Iterable[Claim]) -> Contradiction | None:
    """Return the contradiction of the claims, if any.

    A contradiction is a valid schedule that ends before a bound, such as two proved optima that
    differ.
    """
    known = list(claims)
    for one in known:
        if one.error:
            return Contradiction(f"error of {one.method}", one.error)
    found = [(other.value, other.method) for other in known if other.value is not None]
    if not found:
        return None
    least, finder = min(found)
    for one in known:
        if one.impossible or least < one.bound:
            claim = "no schedule" if one.impossible else f"none below {fraction_text(one.bound)}"
            has = f"{finder} has a valid schedule of {fraction_text(least)} slots"
            return Contradiction("values", f"{one.method} claims that there is {claim}, but {has}")
    return None
