"""What methods claim about one instance, and whether it can all be true."""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

from ...instances import (
    InputError,
    MakespanInstance,
    MissingError,
    RefusedError,
    SolutionStatus,
    TerminationReason,
)
from ...instances.reading.encode import fraction_text
from ...run import Answer, solve

LONGEST = 1000
"""Characters kept of the message of a crash."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """What follows from one answer: a makespan the judge confirmed, a bound, or a fault."""

    method: str
    value: Fraction | None = None
    """Makespan of its schedule, if that is valid."""
    bound: Fraction = Fraction(0)
    impossible: bool = False
    """It says that there is no schedule."""
    fault: str = ""
    """What went wrong by itself, whatever others say."""
    seconds: float = 0.0

    @property
    def optimum(self) -> Fraction | None:
        """The makespan that it proved to be the least."""
        return self.value if self.value == self.bound else None


class Contradiction(NamedTuple):
    """Why claims cannot all be true: the kind, which shrinking keeps, and the words."""

    kind: str
    text: str


def claim(
    instance: MakespanInstance, method: str, time_limit: float | None = None, seed: int = 0
) -> Claim:
    """Run a method and return its claim; a crash is a fault. Raises `RefusedError`."""
    try:
        answer = solve(instance, method, time_limit=time_limit, seed=seed)
    except (InputError, RefusedError, MissingError):
        raise
    except Exception as error:  # a crash, whatever its kind, is what is looked for
        text = f"{method} stopped with {type(error).__name__}: {str(error)[:LONGEST]}"
        return Claim(method=method, fault=text)
    if answer.outcome.termination is TerminationReason.INTERRUPTED:
        raise KeyboardInterrupt
    return Claim(
        method=method,
        value=answer.objective if answer.valid else None,
        bound=max(answer.bound.value, answer.claimed_bound or Fraction(0)),
        impossible=(answer.claim or answer.outcome).status is SolutionStatus.INFEASIBLE,
        fault=_fault(answer),
        seconds=answer.seconds,
    )


def disagreement(
    instance: MakespanInstance, methods: Iterable[str], time_limit: float | None, seed: int = 0
) -> Contradiction | None:
    """Run methods and return why their claims cannot all be true, if they cannot."""
    return contradiction([claim(instance, name, time_limit, seed) for name in methods])


def repeated(
    instance: MakespanInstance,
    first: Contradiction,
    methods: Iterable[str],
    time_limit: float | None,
    seed: int = 0,
) -> Contradiction | None:
    """Return a contradiction like `first` on another instance; a refusal is none."""
    try:
        found = disagreement(instance, methods, time_limit, seed)
    except RefusedError:
        return None
    return found if found is not None and found.kind == first.kind else None


def _fault(answer: Answer) -> str:
    """Say what is wrong with an answer seen alone, or nothing."""
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
        return f"{name} ended with value {value} and bound {bound}, which should meet"
    return ""


def contradiction(claims: Iterable[Claim]) -> Contradiction | None:
    """Return why the claims cannot all be true, if they cannot.

    They cannot if a valid schedule ends before a bound; two proved optima that differ are
    such a case.
    """
    known = list(claims)
    for one in known:
        if one.fault:
            return Contradiction(f"fault of {one.method}", one.fault)
    found = [(other.value, other.method) for other in known if other.value is not None]
    if not found:
        return None
    least, finder = min(found)
    for one in known:
        if one.impossible or least < one.bound:
            said = "no schedule" if one.impossible else f"none below {fraction_text(one.bound)}"
            has = f"{finder} has a valid one of {fraction_text(least)} slots"
            return Contradiction("values", f"{one.method} says there is {said}, but {has}")
    return None
