"""`check_method`: the check that a user-defined scheduler, search or function is correct."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from numpy.random import default_rng

from ..analysis.check import check
from ..extensions import declared
from ..families import FAMILIES, Method
from ..instances import Incumbent, Limits, MissingError, RefusedError, TerminationReason, digest
from ..instances.errors import plural
from ..methods import extension_families, families_of, find_method
from ..run import Answer, ContradictionError, solve
from .cases import cases
from .report import CheckReport

TWICE = 4
"""Instances on which it is rerun: with the same seed, without time, and interrupted."""


@dataclass(slots=True)
class MethodReport(CheckReport):
    """The checks of a method, and its errors."""

    empty: int = 0
    """Number of runs without a plan."""

    @property
    def runs(self) -> int:
        """Number of runs."""
        return self.tried

    def counts(self) -> str:
        """Return the amount of checks as text."""
        return f"{plural(self.runs, 'run')}, {self.empty} without a plan, {self.refused} refused"


def check_method(
    method: str | Callable[..., Any] | Method,
    family: str | None = None,
    *,
    instances: Iterable[Any] | None = None,
    draws: int = 20,
    seed: int = 0,
    time_limit: float | None = None,
) -> MethodReport:
    """Check a method on named, random and extreme instances. Raise `AssertionError` if it fails.

    It must give valid plans or none, and never beat a proved bound. The same seed must give the
    same plan. Each reported plan must be valid and better than earlier ones. After its time limit
    or an interrupt, it must end with the reported plan. It may refuse only in advance, and must
    leave instances unchanged.

    By default there are up to `draws` named instances, as many random ones, and as many with
    extreme numbers. `time_limit` is in seconds for each run.
    """
    kind = family or _family(method)
    found = find_method(method, kind)
    report = MethodReport(f"{found.name} for {kind}")
    chosen = cases(FAMILIES[kind], draws=draws, seed=seed) if instances is None else instances
    again = 0
    for instance in chosen:
        answer = _tried(report, found, instance, seed, time_limit)
        if answer is not None and answer.schedule is not None and again < TWICE:
            again += 1
            _again(report, found, instance, answer, seed, time_limit)
    if not report.tried:
        report.problems.append("it refused every instance")
    return report.settled()


def _family(method: Any) -> str:
    """Return the family of a method, if it declares one."""
    declaration = declared(method)
    if declaration is not None:
        return declaration.family
    if isinstance(method, Method) and method.family:
        return method.family
    if isinstance(method, str):
        known = families_of(method)
        if known and (len(known) == 1 or extension_families(method) is None):
            return known[0]
    raise TypeError("name its family: check_method(.., family='makespan')")


@contextmanager
def _noted(report: MethodReport, where: str) -> Iterator[None]:
    """Record an error."""
    try:
        yield
    except (ContradictionError, MissingError) as error:
        report.problems.append(f"{where}: {error}")
    except Exception as error:
        report.problems.append(f"{where}: {type(error).__name__}: {error}")


def _tried(
    report: MethodReport, method: Method, instance: Any, seed: int, time_limit: float | None
) -> Answer | None:
    """Run it once and return the answer, or None."""
    before, reported = digest(instance), list[Incumbent]()
    if FAMILIES[instance.kind].refusal(instance) or method.refuses(instance):
        report.refused += 1
        return None
    answer = None
    with _noted(report, instance.name):
        try:
            answer = solve(
                instance, method, seed=seed, time_limit=time_limit, watch=reported.append
            )
        except RefusedError as error:
            report.problems.append(f"{instance.name}: it refuses only during the run: {error}")
    report.tried += 1
    if digest(instance) != before:
        report.problems.append(f"{instance.name}: it changes the instance")
    if answer is None:
        return None
    report.empty += answer.schedule is None
    report.problems += [
        f"{instance.name}: {problem}" for problem in _wrong(instance, answer, reported)
    ]
    return answer


def _wrong(instance: Any, answer: Answer, reported: list[Incumbent]) -> Iterator[str]:
    """Yield errors of an answer, and of the earlier reports."""
    verdict, family = answer.verdict, answer.family
    if answer.rejection:
        yield answer.rejection
    elif verdict is not None and not answer.valid:
        first = verdict.violations[0]
        yield f"its plan is not valid: {first.rule} at {first.where}"
    for earlier, later in pairwise(reported):
        if not (later.value > earlier.value if family.maximize else later.value < earlier.value):
            yield f"it reports {later.value:g} after {earlier.value:g}, which is no better"
            break
    for incumbent in reported[-1:]:
        judged = check(instance, incumbent.schedule)
        if not judged.valid:
            yield f"a reported plan is not valid: {judged.violations[0].rule}"
        elif abs(float(judged.objective or 0) - incumbent.value) > 1e-6 * max(
            1, abs(incumbent.value)
        ):
            yield (
                f"it reports {incumbent.value:g} for a plan of value "
                f"{float(judged.objective or 0):g}"
            )


def _again(
    report: MethodReport,
    method: Method,
    instance: Any,
    answer: Answer,
    seed: int,
    time_limit: float | None,
) -> None:
    """Run it with the same seed, without time, and with an interrupt."""
    name = instance.name
    if time_limit is None:
        with _noted(report, f"{name}, again"):
            if solve(instance, method, seed=seed).schedule != answer.schedule:
                report.problems.append(f"{name}: the same seed gives another plan")
    with _noted(report, f"{name}, without time"):
        outcome = method.run(instance, Limits(time_s=0.0), default_rng(seed))
        if outcome.schedule is not None and not check(instance, outcome.schedule).valid:
            report.problems.append(f"{name}: after its time limit its plan is not valid")
    with _noted(report, f"{name}, interrupted"):
        _interrupted(report, method, instance, seed)


def _interrupted(report: MethodReport, method: Method, instance: Any, seed: int) -> None:
    reported = []

    def interrupt(incumbent: Incumbent) -> None:
        reported.append(incumbent)
        raise KeyboardInterrupt

    try:
        answer = solve(instance, method, seed=seed, watch=interrupt)
    except KeyboardInterrupt:
        report.problems.append(f"{instance.name}: an interrupt loses the reported plan")
        return
    if reported and not (
        answer.valid
        and answer.outcome.termination in (TerminationReason.INTERRUPTED, TerminationReason.DONE)
    ):
        report.problems.append(f"{instance.name}: an interrupt loses the reported plan")
