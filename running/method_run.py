"""One run of a method: refusals, start, stopping criteria, reports, and the accepted result.

The judge checks a start before any other step. A run may end early at a gap or a target value.
A claim of a user-defined method is shown as a claim. The returned schedule is never worse than
a known valid one.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from math import isfinite
from os import PathLike
from typing import Any

from ..analysis.check.judge import AnyVerdict, check
from ..families.method import Method
from ..families.registry import family_of
from ..instances import (
    Bound,
    Incumbent,
    Instance,
    Limits,
    Outcome,
    RefusedError,
    SolutionStatus,
    TerminationReason,
    digest,
    load_schedule,
)
from ..instances.arguments import (
    aim_problems,
    at_least_one,
    instance_problems,
    seed_problems,
    time_limit_problems,
)
from ..instances.certificate import certificate_text
from ..instances.errors import ABSENT, InputError, MethodError, Problem, Words, raise_any, shorten
from ..instances.outcome import StopSearch, now
from ..instances.reading.encode import as_number
from ..instances.reading.vocabulary import cut
from ..interrupts import found, interrupted, raising
from ..methods import all_methods, is_own


def refuse_arguments(
    instance: Any, seed: Any, time_limit: Any, threads: Any, horizon: Any, aims: dict[str, Any]
) -> None:
    """Raise an error with the correct call, such as for a text in place of an instance."""
    problems = list(instance_problems(instance))
    problems += seed_problems(seed, "seed") + at_least_one("threads", threads, given=True)
    problems += at_least_one("horizon", horizon)
    problems += [*time_limit_problems(time_limit, "time_limit", none=True), *aim_problems(**aims)]
    raise_any("ringyard.solve", problems)


def refuse_request(
    chosen: Method,
    instance: Instance,
    horizon: int | None,
    start: Any,
    keep_before: int | None,
) -> None:
    """Raise an error if a method does not support the request."""
    family = family_of(instance)
    if horizon is not None and not family.horizon:
        expected = f"no value for {instance.kind!r} instances"
        raise InputError.of(instance.name, "horizon", horizon, expected, "leave it out")
    reason = family.refusal(instance) or chosen.refuses(instance)
    if keep_before is not None and start is None:
        advice = "give the plan as start as well"
        raise InputError("keep_before", [Problem("start", ABSENT, "a plan to keep", advice)])
    asked = "keeps" if keep_before is not None else "starts"
    if start is not None and not getattr(chosen, asked):
        able = ", ".join(one.name for one in all_methods(family.kind) if getattr(one, asked))
        others = f"these methods can: {able}" if able else "no method of this family can"
        what = "plan around a started schedule" if asked == "keeps" else "use a start"
        reason = f"{chosen.name} cannot {what}, but {others}"
    if reason:
        raise RefusedError(f"{instance.name}: {reason}")


MOST_SHOWN = 5
"""Most violations that are named. `ringyard check` shows all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedStart:
    """A valid schedule with the judge's verdict. A partial schedule has no value."""

    schedule: Any
    verdict: AnyVerdict
    value: Fraction | None


def judged_start(instance: Instance, given: Any, *, partial: bool = False) -> JudgedStart:
    """Return a schedule, or the one in a file as a start. Raise `InputError` if it is invalid.

    A `partial` schedule may lack jobs. Its other jobs must be valid.
    """
    is_file = isinstance(given, str | PathLike)
    source = str(given) if is_file else "start"
    schedule = load_schedule(str(given)) if is_file else given
    if not isinstance(schedule, family_of(instance).schedule):
        expected = f"a schedule of {instance.kind!r} instances, or its file"
        found = getattr(schedule, "kind", Words(type(schedule).__name__))
        raise InputError(source, [Problem("kind", found, expected, "give one of this instance")])
    if partial and not schedule.assignments:
        problem = Problem("assignments", Words("none"), "at least one job", "give the started plan")
        raise InputError(source, [problem])
    named, claimed = schedule.instance, schedule.digest
    if claimed and claimed != digest(instance):
        expected = f"the digest of {instance.name!r}, {digest(instance)}"
        advice = f"it is a schedule of another instance, {named!r}. Give a schedule of this one"
        raise InputError(source, [Problem("digest", claimed, expected, advice)])
    if partial and _lacks(instance, schedule):
        verdict = check(*_only(instance, schedule))
        value, proved = None, verdict.valid
    else:
        verdict = check(instance, schedule)
        value, proved = verdict.objective, verdict.valid and verdict.objective is not None
    problems = []
    if named != instance.name:
        advice = "it is a schedule of another instance"
        problems.append(Problem("instance", named, repr(instance.name), advice))
    problems += [
        Problem(v.where, Words(f"{v.rule} off by {as_number(v.amount)}"), "a valid start", ADVICE)
        for v in verdict.violations[:MOST_SHOWN]
    ]
    if not proved:
        more = max(0, len(verdict.violations) - MOST_SHOWN)
        raise InputError(source, problems, more)
    return JudgedStart(schedule=schedule, verdict=verdict, value=value)


def _lacks(instance: Any, schedule: Any) -> bool:
    return len(schedule.assignments) < len(instance.jobs)


def _only(instance: Any, schedule: Any) -> tuple[Any, Any]:
    """Return the sub-instance of a schedule's jobs, and the schedule without claims."""
    named = {one.job for one in schedule.assignments}
    jobs = tuple(job for job in instance.jobs if job.name in named)
    plain = tuple(replace(one, end_slot=None) for one in schedule.assignments)
    bare = replace(schedule, assignments=plain, digest=None, makespan=None)
    return replace(instance, jobs=jobs), bare


ADVICE = "`ringyard check INSTANCE SCHEDULE` shows all violations"


Watch = Callable[[Incumbent], None]
"""Called with every better schedule while a method runs. Raise `StopIteration` to end the run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoppingCriterion:
    """The gap or target that ends a run, with the bound that is known at its start."""

    instance: Instance
    first: Bound
    limits: Limits
    target: float | Fraction | None = None
    watch: Watch | None = None

    def look(self, incumbent: Incumbent) -> None:
        """Report a better schedule to the caller.

        Raise `StopSearch` if the caller stops the search, or if the criterion holds for this
        schedule and the judge agrees with its value.
        """
        if self.watch is not None:
            bound = family_of(self.instance).tighter(incumbent.bound, float(self.first.value))
            try:
                self.watch(replace(incumbent, bound=bound))
            except StopIteration:
                raise StopSearch(TerminationReason.STOPPED) from None
        if not isfinite(incumbent.value) or self.reached(Fraction(incumbent.value)) is None:
            return
        verdict = check(self.instance, incumbent.schedule)
        value = verdict.objective
        stop = self.reached(value) if verdict.valid and value is not None else None
        if stop is not None:
            raise StopSearch(stop)

    def reached(self, value: Fraction, bound: Fraction | None = None) -> TerminationReason | None:
        """Return the reason why a value ends the search, or None."""
        # Compare with the exact target, not its floating-point value.
        aim = None if self.target is None else Fraction(str(self.target))
        if aim is not None and not family_of(self.instance).better(aim, value):
            return TerminationReason.TARGET
        near = self.limits.near(value, self.first.value if bound is None else bound)
        return TerminationReason.GAP if near else None


def proved_part(
    method: str, instance: Instance, outcome: Outcome, first: Bound
) -> tuple[Outcome, Outcome | None]:
    """Return the proved outcome of a user-defined method, and its outcome if that claims more.

    A bound is proved if it is no tighter than the `first` one, or if the certificate checker
    accepts
    its steps. Infeasibility cannot be proved.
    """
    bound = None if outcome.bound is None else _understood(method, outcome.bound)
    if bound is not None and not family_of(instance).better(first.value, bound.value):
        bound = None
    whole = replace(outcome, bound=bound)
    claims = list(_claims(instance, whole))
    if not claims:
        return whole, None
    status = SolutionStatus.NOTHING if outcome.schedule is None else SolutionStatus.FEASIBLE
    note = f"it claims {' and '.join(claims)} without proof"
    note = "; ".join(filter(None, (note, outcome.note)))
    return replace(outcome, bound=None, status=status, note=note), whole


def _understood(method: str, bound: Bound) -> Bound:
    """Return a bound with an exact value."""
    value = getattr(bound, "value", None)
    if not isinstance(value, int | float | Decimal | Fraction) or not isfinite(value):
        found = shorten(bound if value is None else value)
        raise MethodError(f"{method} gave the bound {found}, expected a Bound with a finite value")
    return replace(bound, value=Fraction(value))


def _claims(instance: Instance, outcome: Outcome) -> Iterator[str]:
    bound = outcome.bound
    if bound is not None and not _followed(instance, bound):
        yield f"a bound of {as_number(bound.value)} ({cut(str(bound.argument))})"
    if outcome.status is SolutionStatus.INFEASIBLE and outcome.schedule is None:
        yield "that no schedule exists"


def _followed(instance: Instance, bound: Bound) -> bool:
    """Return True if the checker accepts the certificate of a bound."""
    if not bound.proof:
        return False
    from ..analysis.check.certificates.checking import check_certificate
    from ..analysis.check.certificates.reading import read_certificate

    try:
        text = certificate_text(instance, bound, family_of(instance).maximize)
        return check_certificate(instance, read_certificate(text, bound.name)).accepted
    except (InputError, TypeError, ValueError):  # Its steps are malformed.
        return False


def best_reported(
    instance: Instance,
    own: Any,
    verdict: AnyVerdict | None,
    reported: Iterable[Incumbent],
    *,
    maximize: bool,
) -> tuple[Any, AnyVerdict] | None:
    """Return the best valid schedule reported during the run, if it beats the method's own.

    The judge checks only schedules whose reported value beats the best valid one so far.
    """
    sign, found = -1 if maximize else 1, None
    best = verdict.objective if verdict is not None and verdict.valid else None
    finite = (one for one in reported if isfinite(one.value) and one.schedule != own)
    for one in sorted(finite, key=lambda one: sign * one.value):
        if best is not None and sign * Fraction(one.value) >= sign * best:
            break
        judged = check(instance, one.schedule)
        value = judged.objective
        if judged.valid and value is not None and (best is None or sign * value < sign * best):
            best, found = value, (one.schedule, judged)
    return found


def rejection_reason(own: AnyVerdict | None, other: AnyVerdict) -> str:
    """Return the reason why another schedule than the method's own is returned."""
    if own is None:
        why = "it ended without a schedule"
    elif own.valid:
        why = f"its own schedule has the value {as_number(own.objective)}"
    else:
        rules = ", ".join(dict.fromkeys(violation.rule for violation in own.violations))
        why = f"its own schedule is invalid ({rules})"
    return f"{why}. The returned one was reported earlier, with value {as_number(other.objective)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class MethodRun:
    """The outcome that a method returned, and its earlier reports."""

    outcome: Outcome
    seconds: float
    steps: Sequence[tuple[float, Incumbent]]
    """Every better schedule, with the seconds since the start."""


NOT_RUN = MethodRun(
    outcome=Outcome(
        schedule=None, termination=TerminationReason.DONE, status=SolutionStatus.NOTHING
    ),
    seconds=0.0,
    steps=(),
)


def run_method(
    method: Method,
    instance: Instance,
    seed: int,
    limits: Limits,
    begun: JudgedStart | None,
    keep_before: int | None,
) -> MethodRun:
    """Run a method with a clock, recording its reports. An interrupt keeps the best of them.

    A refusal during the run also keeps earlier reports.
    """
    from numpy.random import default_rng

    steps: list[tuple[float, Incumbent]] = []
    best: list[Incumbent] = []
    given: dict[str, Any] = {}
    better, own = family_of(instance).better, is_own(method)

    def keep(incumbent: Incumbent) -> None:
        incumbent = incumbent if own else replace(incumbent, bound=None)
        least = None if begun is None else begun.value
        if steps and least is not None and not better(incumbent.value, least):
            return  # The method's first schedule may be worse than the start.
        best[:] = [incumbent]
        found()
        steps.append((now() - start, incumbent))
        limits.report(incumbent)

    start = now()
    try:
        with raising():
            running = replace(limits, watch=keep)
            if begun is not None and begun.value is not None:
                keep(Incumbent(schedule=begun.schedule, value=float(begun.value)))
            if begun is not None:
                given = {"start": begun.schedule, "start_value": begun.value}
                given["keep_before"] = keep_before
            outcome = method.run(instance, running, default_rng(seed), **given)
            found()
    except StopSearch as enough:
        outcome = Outcome(
            schedule=best[0].schedule,
            termination=enough.termination,
            status=SolutionStatus.FEASIBLE,
        )
    except BaseException as error:
        broken = interrupted() or isinstance(error, KeyboardInterrupt)
        if not broken and not (best and isinstance(error, RefusedError | MethodError)):
            raise
        # Treat any later exception as part of the interrupt.
        stop, note = (
            (TerminationReason.INTERRUPTED, "")
            if broken
            else (TerminationReason.FAILED, str(error))
        )
        kept = best[0].schedule if best else None
        left = SolutionStatus.FEASIBLE if kept else SolutionStatus.NOTHING
        outcome = Outcome(schedule=kept, termination=stop, status=left, note=note)
    if interrupted() and outcome.termination is not TerminationReason.DONE:
        outcome = replace(outcome, termination=TerminationReason.INTERRUPTED)
    return MethodRun(outcome=outcome, seconds=now() - start, steps=steps)
