"""What is wrong with the answers of all methods of a family to one instance."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from ..families import FAMILIES
from ..instances import InputError, MissingError, RefusedError, SolutionStatus, TerminationReason
from ..methods import all_names
from ..run import Answer, solve


@dataclass(frozen=True, slots=True)
class Asked:
    """The answers of all methods; the default's is called so."""

    answers: dict[str, Answer] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)
    crashed: dict[str, str] = field(default_factory=dict)


DEFAULT = "default"
"""What no method is named for."""


def asked(instance: Any, time_limit: float | None = None) -> Asked:
    """Ask all methods, with so many seconds for each."""
    found = Asked()
    for name in (DEFAULT, *all_names(instance.kind)):
        method = None if name == DEFAULT else name
        try:
            found.answers[name] = solve(instance, method, time_limit=time_limit)
        except (RefusedError, InputError, MissingError) as reason:
            found.refused[name] = str(reason)
        except Exception as error:  # a crash, whatever its kind, is what is looked for
            found.crashed[name] = f"{type(error).__name__}: {str(error)[:300]}"
    return found


def faults(
    instance: Any, found: Asked, optimum: Fraction | None, *, even: bool = True
) -> list[str]:
    """Return what cannot be right, in words; with `even` no method may beat the default."""
    return [
        *(f"{name} crashed: {text}" for name, text in found.crashed.items()),
        *(text for answer in found.answers.items() for text in _alone(*answer, optimum)),
        *(_defaults(instance, found) if even else ()),
        *_crossed(found),
    ]


def _alone(name: str, answer: Answer, optimum: Fraction | None) -> Iterator[str]:
    """Yield what is wrong with an answer by itself."""
    value, bound, better = answer.objective, answer.bound.value, answer.family.better
    if answer.verdict is not None and not answer.valid:
        rules = ", ".join(dict.fromkeys(v.rule for v in answer.verdict.violations))
        yield f"{name} is invalid ({rules})"
        return
    if answer.rejection:
        yield f"{name}: {answer.rejection}"
    if optimum is None:
        return
    if better(optimum, bound):
        yield f"{name} says none is better than {bound}, but {optimum} is possible"
    if answer.outcome.status is SolutionStatus.INFEASIBLE:
        yield f"{name} says there is none, but {optimum} is possible"
    if value is not None and better(value, optimum):
        yield f"{name} has {value}, but {optimum} is best"
    exact = (
        answer.method.guarantee == "optimal"
        and answer.outcome.termination is TerminationReason.DONE
    )
    claims = exact or answer.status == "optimal" or answer.outcome.status is SolutionStatus.OPTIMAL
    if claims and value != optimum:
        yield f"{name} calls {value} optimal, but {optimum} is best"


def _defaults(instance: Any, found: Asked) -> Iterator[str]:
    """Yield by what the default is beaten: if any method has a schedule, it has one as good."""
    own = found.answers.get(DEFAULT)
    mine = own.objective if own is not None and own.valid else None
    for name, answer in found.answers.items():
        value = answer.objective if answer.valid else None
        if value is None:
            continue
        if mine is None:
            said = found.refused.get(DEFAULT, "no valid schedule")
            yield f"{DEFAULT} has none ({said}), but {name} has {value}"
        elif FAMILIES[instance.kind].better(value, mine):
            yield f"{DEFAULT} has {mine}, but {name} has {value}"


def _crossed(found: Asked) -> Iterator[str]:
    """Yield bounds that a valid schedule of another method beats."""
    for name, one in found.answers.items():
        for other, answer in found.answers.items():
            value = answer.objective if answer.valid else None
            if value is not None and answer.family.better(value, one.bound.value):
                yield f"{name} says none is better than {one.bound.value}, but {other} has {value}"
