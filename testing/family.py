"""`check_family`: the check that judge, bounds, methods and texts of a family are consistent."""

from collections.abc import Iterable, Iterator
from contextlib import redirect_stdout
from dataclasses import dataclass, field, replace
from fractions import Fraction
from io import StringIO
from typing import Any

from ..analysis.check.judge import check
from ..families.family import Family
from ..families.registry import FAMILIES
from ..instances import (
    NO_LIMITS,
    InputError,
    MissingError,
    RefusedError,
    SolutionStatus,
    TerminationReason,
    digest,
    validate,
)
from ..instances.reading.encode import to_text
from ..instances.reading.files import INSTANCES, SCHEDULES, parse
from ..methods import all_names
from ..run import Answer, solve
from .cases import cases
from .report import CheckReport


def check_family(
    family: Family | str,
    *,
    instances: Iterable[Any] | None = None,
    draws: int = 10,
    seed: int = 0,
    time_limit: float | None = None,
) -> CheckReport:
    """Check a family on instances, by default random ones. Raise `AssertionError` if it fails.

    Instances and schedules must survive writing and reading. Judges must detect other instances and
    false claims. Bounds must hold for all schedules found, all methods must agree with each other,
    and all names in the record must exist. `time_limit` is in seconds for each run.
    """
    home = FAMILIES[family] if isinstance(family, str) else family
    report = CheckReport(f"family {home.kind}")
    report.problems += [f"the record: {problem}" for problem in _record(home)]
    chosen = cases(home, draws=draws, seed=seed) if instances is None else instances
    for instance in [] if report.problems else chosen:
        report.tried += 1
        report.problems += [f"{instance.name}: {one}" for one in _wrong(home, instance, time_limit)]
    if not report.problems and not report.tried:
        report.problems.append("there are no instances: define presets, or drawn")
    return report.settled()


def _record(home: Family) -> Iterator[str]:
    for name in vars(home):
        try:
            getattr(home, name.removeprefix("_"))
        except Exception as error:
            yield f"{name.removeprefix('_')} does not exist: {error}"
    if home.default not in {method.name for method in home.methods}:
        yield f"the default {home.default!r} is not among the methods"


def _wrong(home: Family, instance: Any, time_limit: float | None) -> Iterator[str]:
    """Yield errors of an instance, its bounds and the answers of all methods."""
    try:
        validate(instance)
        if parse(to_text(instance), INSTANCES, "file") != instance:
            yield "it changes when it is written and read"
    except InputError as error:
        yield f"it is not valid: {error}"
        return
    if home.refusal(instance):
        return
    bounds = home.bounds(instance, NO_LIMITS)
    if [one.value for one in bounds] != [one.value for one in home.bounds(instance, NO_LIMITS)]:
        yield "two calls give different bounds"
    answers = asked(instance, time_limit)
    # With little time, or on a large instance, the default need not be the best.
    even = time_limit is None and bool(home.small(instance))
    yield from problems(instance, answers, None, even=even)
    for answer in answers.answers.values():
        if answer.schedule is not None and answer.valid:
            yield from _judged(home, instance, answer)
            break


def _judged(home: Family, instance: Any, answer: Any) -> Iterator[str]:
    """Yield errors of judge and texts for a valid schedule."""
    schedule, verdict = answer.schedule, answer.verdict
    if parse(to_text(schedule), SCHEDULES, "file") != schedule:
        yield "its schedule changes when it is written and read"
    if check(instance, schedule).objective != verdict.objective:
        yield "the judge gives different verdicts for the same schedule"
    other = check(instance, replace(schedule, digest="0" * len(digest(instance))))
    if other.valid:
        yield "the judge accepts a schedule of another instance"
    unknown = {one.rule for one in other.violations} - set(home.rules)
    if unknown:
        yield f"the judge names rules that are not in the record: {', '.join(sorted(unknown))}"
    for name in home.claims.values():
        if not hasattr(verdict, name):
            yield f"the verdict has no {name}, but claims name it"
    with redirect_stdout(StringIO()):
        home.shown(instance, 3)
    home.verdict_texts.beside(verdict)
    list(home.times(instance, verdict))
    dict(home.metrics(instance, verdict))
    home.extent(instance)


@dataclass(frozen=True, slots=True)
class Asked:
    """Name of the default's answer among the answers of all methods."""

    answers: dict[str, Answer] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)
    crashed: dict[str, str] = field(default_factory=dict)


DEFAULT = "default"
"""A name that no method has."""


def asked(instance: Any, time_limit: float | None = None) -> Asked:
    """Run all methods, with this number of seconds for each."""
    found = Asked()
    for name in (DEFAULT, *all_names(instance.kind)):
        method = None if name == DEFAULT else name
        try:
            found.answers[name] = solve(instance, method, time_limit=time_limit)
        except (RefusedError, InputError, MissingError) as reason:
            found.refused[name] = str(reason)
        except Exception as error:  # the search is for any crash, whatever its kind
            found.crashed[name] = f"{type(error).__name__}: {str(error)[:300]}"
    return found


def problems(
    instance: Any, found: Asked, optimum: Fraction | None, *, even: bool = True
) -> list[str]:
    """Return contradictions as text. With `even`, no method may beat the default."""
    return [
        *(f"{name} crashed: {text}" for name, text in found.crashed.items()),
        *(text for answer in found.answers.items() for text in _alone(*answer, optimum)),
        *(_defaults(instance, found) if even else ()),
        *_crossed(found),
    ]


def _alone(name: str, answer: Answer, optimum: Fraction | None) -> Iterator[str]:
    """Yield errors of a single answer."""
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
        yield f"{name} claims that no schedule is better than {bound}, but {optimum} is possible"
    if answer.outcome.status is SolutionStatus.INFEASIBLE:
        yield f"{name} claims that no schedule exists, but {optimum} is possible"
    if value is not None and better(value, optimum):
        yield f"{name} has {value}, but {optimum} is optimal"
    exact = (
        answer.method.guarantee == "optimal"
        and answer.outcome.termination is TerminationReason.DONE
    )
    claims = exact or answer.status == "optimal" or answer.outcome.status is SolutionStatus.OPTIMAL
    if claims and value != optimum:
        yield f"{name} claims that {value} is optimal, but {optimum} is"


def _defaults(instance: Any, found: Asked) -> Iterator[str]:
    """Yield methods that beat the default, or find a schedule when it finds none."""
    own = found.answers.get(DEFAULT)
    mine = own.objective if own is not None and own.valid else None
    for name, answer in found.answers.items():
        value = answer.objective if answer.valid else None
        if value is None:
            continue
        if mine is None:
            reason = found.refused.get(DEFAULT, "no valid schedule")
            yield f"{DEFAULT} has no schedule ({reason}), but {name} has {value}"
        elif FAMILIES[instance.kind].better(value, mine):
            yield f"{DEFAULT} has {mine}, but {name} has {value}"


def _crossed(found: Asked) -> Iterator[str]:
    """Yield bounds that a valid schedule of another method contradicts."""
    for name, one in found.answers.items():
        for other, answer in found.answers.items():
            value = answer.objective if answer.valid else None
            if value is not None and answer.family.better(value, one.bound.value):
                yield (
                    f"{name} claims that no schedule is better than {one.bound.value}, but "
                    f"{other} has {value}"
                )
