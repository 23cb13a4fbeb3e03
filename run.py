"""The one runner: a method answers, the judge checks, the bound says how far it is from best."""

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import Any

from .analysis.best_reported import best_reported, rejection_reason
from .analysis.check import AnyVerdict, check
from .analysis.claims import proved_part
from .analysis.display import answer_html, answer_lines
from .analysis.start import JudgedStart, judged_start
from .analysis.stopping import StoppingCriterion, Watch
from .families import Family, family_of
from .instances import (
    NO_LIMITS,
    Bound,
    Incumbent,
    Instance,
    Limits,
    Outcome,
    RefusedError,
    RingyardError,
    SolutionStatus,
    TerminationReason,
    digest,
    validate,
)
from .instances.arguments import aim_problems, at_least_one, seed_problems, time_limit_problems
from .instances.clock import now
from .instances.errors import ABSENT, InputError, MethodError, Problem, raise_any
from .instances.frames import Backend, frame
from .instances.given import instance_problems
from .instances.outcome import StopSearch
from .instances.reading.encode import as_number
from .interrupts import found, interrupted, raising
from .methods import Method, Named, all_methods, all_names, find_method, is_own
from .search.tiny_instances import answers_of
from .version import __version__

PART_FOR_BOUND = 0.5
"""Part of the time that the first bound may take."""

ENDS = {
    TerminationReason.INTERRUPTED,
    TerminationReason.STOPPED,
    TerminationReason.GAP,
    TerminationReason.TARGET,
}
"""After these no other method is asked."""

Step = tuple[float, float, float]
"""A better schedule on the way: seconds since the start, its value, and the bound by then."""


class ContradictionError(RingyardError):
    """A valid schedule is better than a proved bound allows: one of the two is wrong."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Answer:
    """A checked answer: the schedule with its exact claims, the verdict, the bound."""

    instance: Instance
    method: Method
    seed: int
    outcome: Outcome
    """What the method handed back, without claims: why it stopped, what it left."""
    schedule: Any
    """The best valid one that it told of, of the family's type; None if there is none."""
    verdict: AnyVerdict | None
    """What the judge says of it: every violation, and what it is worth."""
    bound: Bound
    """The best proved bound: lower, or upper where the objective is to be large."""
    seconds: float
    """Time of the method."""
    trajectory: tuple[Step, ...] = ()
    """Of every better schedule on the way: the seconds, its value, the bound by then."""
    phases: tuple[tuple[str, float], ...] = ()
    """Seconds of the first bound and of the judge."""
    rejection: str = ""
    """What was wrong with the method's own schedule, if another one is handed on instead."""
    claim: Outcome | None = None
    """What a method of yours handed back, if it claims more than is proved."""

    @property
    def family(self) -> Family:
        """The problem family of the instance."""
        return family_of(self.instance)

    @property
    def objective(self) -> Fraction | None:
        """The makespan, or the utility, as the judge computed it."""
        return self.verdict.objective if self.verdict else None

    @property
    def valid(self) -> bool:
        """Whether there is a schedule and the judge found nothing wrong with it."""
        return self.verdict is not None and self.verdict.valid

    @property
    def claimed_bound(self) -> Fraction | None:
        """The bound that a method of yours claims, if it is tighter than the proved one."""
        return self.claim.bound.value if self.claim and self.claim.bound else None

    @property
    def gap(self) -> Fraction | None:
        """How far the objective is from the bound, as a part of the larger of both."""
        if self.objective is None or not self.valid:
            return None
        return self.family.gap(self.objective, self.bound.value)

    @property
    def status(self) -> str:
        """One of optimal, feasible, infeasible, unknown, error."""
        if self.verdict is None:
            return "infeasible" if self.outcome.status is SolutionStatus.INFEASIBLE else "unknown"
        if not self.valid:
            return "error"
        if self.objective is None:
            return "feasible"
        behind = abs(self.objective - self.bound.value)
        return "optimal" if behind <= self.family.rounding(self.instance) else "feasible"

    @property
    def conclusion(self) -> str:
        """Its status with why the method stopped; of an optimum, who can check the bound."""
        stop = self.outcome.termination.value.replace("_", " ")
        if self.status != "optimal":
            return f"{self.status} ({stop})"
        ended = "" if self.outcome.termination is TerminationReason.DONE else f", {stop}"
        return f"optimal ({self.bound.evidence}{ended})"

    def __repr__(self) -> str:
        """Say in three lines what it is, how good, and whether it was checked."""
        return "\n".join(answer_lines(self))

    def _repr_html_(self) -> str:
        """Show the same in a notebook, above the schedule over time."""
        return answer_html(self)

    def row(self) -> dict[str, Any]:
        """Return the flat record that `ringyard solve --json` prints."""
        return {
            "instance": self.instance.name,
            "digest": digest(self.instance),
            "method": self.method.name,
            "seed": self.seed,
            "status": self.status,
            "termination": self.outcome.termination.value,
            "sense": self.family.sense,
            "objective": as_number(self.objective),
            "bound": as_number(self.bound.value),
            "bound_kind": self.bound.kind.value,
            "claimed_bound": as_number(self.claimed_bound),
            "gap": None if self.gap is None else float(self.gap),
            "seconds": round(self.seconds, 6),
            "nodes": self.outcome.nodes,
            "valid": self.valid,
            "violations": violation_rows(self.verdict) if self.verdict else [],
            "note": "; ".join(filter(None, (self.rejection, self.outcome.note))),
            "version": __version__,
        }

    def to_frame(self, backend: Backend | None = None) -> Any:
        """Return the record as a data frame of one row; frames of several are put together.

        `backend` is "pandas" or "polars"; without it the first of them that is installed.
        """
        row = self.row()
        return frame([{**row, "violations": len(row["violations"])}], list(row), backend)


def solve(
    instance: Instance,
    method: Named = None,
    *,
    seed: int = 0,
    time_limit: float | None = None,
    threads: int = 1,
    horizon: int | None = None,
    start: Any = None,
    keep_before: int | None = None,
    gap: float | None = None,
    target: float | Fraction | None = None,
    watch: Watch | None = None,
) -> Answer:
    """Answer an instance with a method, by default its family's, and check the answer.

    A small instance for which no method is named is given to all methods of its family, and a
    larger one to one that may prove something soon before the default, unless there is a `start`.
    Ctrl-C and time limits keep the best schedule found so far.

    Args:
        instance: Of any family.
        method: A name of `ringyard list methods`, with options behind colons; ``FILE.py:FUNCTION``;
            or a function.
        seed: Of the random steps; the same seed gives the same schedule.
        time_limit: Seconds.
        threads: How many a method may use.
        horizon: Only schedules that end by this slot count.
        start: A valid schedule, or its file, to begin with. The answer is the start itself where
            nothing strictly better is found.
        keep_before: What the start begins before this slot stays as it is, and nothing else begins
            earlier; it may then lack jobs.
        gap: The run ends as soon as schedule and proved bound are this close, as a part of the
            larger.
        target: It ends as soon as a schedule is as good as this.
        watch: Is told of every better schedule; it ends the run by raising `StopIteration`.

    Raises:
        RefusedError: If the method cannot treat the instance, or begin with a schedule.
        InputError: If an argument cannot be used.
        ContradictionError: If value and bound cross: one of the two is wrong.
    """
    aims = {"gap": gap, "target": target, "watch": watch}
    _refuse_arguments(instance, seed, time_limit, threads, horizon, aims)
    validate(instance)
    if method is None and horizon is start is None and (names := _asked(instance)):
        return _best_of_all(instance, names, time_limit, {**aims, "seed": seed, "threads": threads})
    family, chosen = family_of(instance), find_method(method, instance.kind)
    _refuse(family, chosen, instance, horizon, start, keep_before)
    kept, begun = keep_before is not None, None
    if start is not None:
        begun = judged_start(instance, start, partial=kept)
    limits = Limits(time_s=time_limit, threads=threads, horizon=horizon, gap=gap)
    with raising():
        first = bound(instance, replace(limits, time_s=time_limit and PART_FOR_BOUND * time_limit))
    bounding = now() - limits.started
    enough = StoppingCriterion(
        instance=instance, first=first, limits=limits, target=target, watch=watch
    )
    limits = replace(limits, watch=enough.look)
    outcome, seconds = (
        Outcome(schedule=None, termination=TerminationReason.DONE, status=SolutionStatus.NOTHING),
        0.0,
    )
    steps: list[tuple[float, Incumbent]] = []
    if horizon is None or horizon >= first.value:
        outcome, seconds = _run(chosen, instance, seed, limits, begun, keep_before, steps)
    judging = now()
    told = [found for _, found in steps if begun is None or found.schedule is not begun.schedule]
    answer = _judged(chosen, instance, seed, outcome, first, seconds, told)
    if begun is not None:
        answer = _or_start(answer, begun)
    phases = (("bound", bounding), ("check", now() - judging))
    answer = replace(
        answer,
        phases=phases,
        trajectory=tuple(
            (when, found.value, family.tighter(found.bound, float(first.value)))
            for when, found in steps
        ),
    )
    if horizon is not None:
        answer = _within(answer, horizon)
    return _uncrossed(_stopped_early(answer, enough))


def _refuse_arguments(
    instance: Any, seed: Any, time_limit: Any, threads: Any, horizon: Any, aims: dict[str, Any]
) -> None:
    """Raise an error that says what to write, where a text stands for an instance, say."""
    problems = list(instance_problems(instance))
    problems += seed_problems(seed, "seed") + at_least_one("threads", threads, given=True)
    problems += at_least_one("horizon", horizon)
    problems += [*time_limit_problems(time_limit, "time_limit", none=True), *aim_problems(**aims)]
    raise_any("ringyard.solve", problems)


def _refuse(
    family: Family,
    chosen: Method,
    instance: Instance,
    horizon: int | None,
    start: Any,
    keep_before: int | None,
) -> None:
    """Raise an error if a method cannot do what is asked for."""
    if horizon is not None and not family.horizon:
        expected = f"none for {instance.kind!r} instances"
        problem = Problem("horizon", horizon, expected, "leave it out")
        raise InputError(instance.name, [problem])
    reason = family.refusal(instance) or chosen.refuses(instance)
    if keep_before is not None and start is None:
        advice = "give the plan as start as well"
        raise InputError("keep_before", [Problem("start", ABSENT, "a plan to keep", advice)])
    asked = "keeps" if keep_before is not None else "starts"
    if start is not None and not getattr(chosen, asked):
        able = ", ".join(one.name for one in all_methods(family.kind) if getattr(one, asked))
        told = f"of this family these can: {able}" if able else "no method of this family can"
        what = "plan around what has begun" if asked == "keeps" else "begin with a schedule"
        reason = f"{chosen.name} cannot {what}; {told}"
    if reason:
        raise RefusedError(f"{instance.name}: {reason}")


def _or_start(answer: Answer, begun: JudgedStart) -> Answer:
    """Return the answer with the start in it, unless its schedule is strictly better."""
    value, least = answer.objective, begun.value
    if least is None:
        return answer
    if answer.valid and value is not None and answer.family.better(value, least):
        return answer
    note = "; ".join(filter(None, (answer.outcome.note, "the start itself; nothing better found")))
    broken = answer.verdict is not None and not answer.valid
    fault = rejection_reason(answer.verdict, begun.verdict) if broken else ""
    status = (
        SolutionStatus.OPTIMAL
        if answer.outcome.status is SolutionStatus.OPTIMAL
        else SolutionStatus.FEASIBLE
    )
    outcome = replace(answer.outcome, schedule=begun.schedule, value=None, status=status, note=note)
    schedule = answer.family.claimed(begun.schedule, begun.verdict)
    return replace(
        answer, outcome=outcome, schedule=schedule, verdict=begun.verdict, rejection=fault
    )


def _stopped_early(answer: Answer, enough: StoppingCriterion) -> Answer:
    """Let an answer that is enough say so, if its method had not come to an end of its own."""
    ended = answer.outcome.termination is TerminationReason.DONE and not answer.method.formulation
    if ended or answer.status != "feasible" or answer.objective is None:
        return answer
    stop = enough.reached(answer.objective, answer.bound.value) or answer.outcome.termination
    return replace(answer, outcome=replace(answer.outcome, termination=stop))


def _asked(instance: Instance) -> list[str]:
    """Return the methods to ask where none is named, if there are others than the default."""
    family = family_of(instance)
    if family.small(instance):
        return all_names(family.kind)
    brief = family.brief
    if brief and find_method(brief, family.kind).refuses(instance) is None:
        return [brief, family.default]
    return []


def _best_of_all(
    instance: Instance, names: list[str], time_limit: float | None, aims: dict[str, Any]
) -> Answer:
    """Return the best answer of these methods with the best bound; the default is the last.

    The first that is proved to be best, or enough, ends it. Raises `RefusedError` if the default is
    refused, and no other method has a schedule.
    """
    clock, spent, cut = Limits(time_s=time_limit), 0.0, False

    def ask(name: str) -> Answer:
        return solve(instance, name, time_limit=clock.left_s(), **aims)

    def enough(answer: Answer) -> bool:
        nonlocal spent
        spent += answer.seconds
        stopped = answer.outcome.termination in ENDS
        return stopped or clock.over() or answer.status == "optimal"

    best = None
    try:
        for answer in answers_of((partial(ask, name) for name in names), enough):
            best = answer if best is None else _better_of(best, answer)
            cut = answer.outcome.termination is TerminationReason.INTERRUPTED
    except KeyboardInterrupt:
        cut = True
    if best is None:
        raise KeyboardInterrupt
    if cut:
        best = replace(
            best, outcome=replace(best.outcome, termination=TerminationReason.INTERRUPTED)
        )
    return _uncrossed(replace(best, seconds=spent))


def _better_of(one: Answer, other: Answer) -> Answer:
    """Return the answer with the better valid schedule, and the better bound of the two.

    Of equals it is the one that proves more.
    """
    proves = other if one.family.better(one.bound.value, other.bound.value) else one
    return replace(_with_better(one, other, proves), bound=proves.bound)


def _with_better(one: Answer, other: Answer, proves: Answer) -> Answer:
    if not (one.valid and other.valid) or one.objective is None or other.objective is None:
        return other if other.valid else one
    if one.objective != other.objective:
        return other if one.family.better(other.objective, one.objective) else one
    return proves


def _uncrossed(answer: Answer) -> Answer:
    """Return an answer whose value and bound agree."""
    value, family = answer.objective, answer.family
    if not answer.valid or value is None:
        return answer
    side = "above" if family.maximize else "below"
    made = f"{answer.instance.name}: {answer.method.name} gave a valid {family.objective} of "
    made += f"{as_number(value)}, {side} the"
    if family.better(value, answer.bound.value):
        raise ContradictionError(f"{made} {_told(answer.bound)}; please report it")
    claimed = answer.claim and answer.claim.bound
    if claimed and family.better(value, claimed.value):
        raise ContradictionError(f"{made} {_told(claimed)}, which it claims")
    return answer


def _told(bound: Bound) -> str:
    return f"{bound.kind} bound {as_number(bound.value)} ({bound.argument})"


def _run(
    method: Method,
    instance: Instance,
    seed: int,
    limits: Limits,
    begun: JudgedStart | None,
    keep_before: int | None,
    steps: list[tuple[float, Incumbent]],
) -> tuple[Outcome, float]:
    """Run a method against the clock, noting its steps; an interrupt keeps the best of them.

    So does a refusal on the way: what a method cannot do in the end costs nothing found before.
    """
    from numpy.random import default_rng

    best: list[Incumbent] = []
    given: dict[str, Any] = {}
    better, own = family_of(instance).better, is_own(method)

    def keep(incumbent: Incumbent) -> None:
        incumbent = incumbent if own else replace(incumbent, bound=None)
        least = None if begun is None else begun.value
        if steps and least is not None and not better(incumbent.value, least):
            return  # What a method looks at first may be worse than the start.
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
        # What breaks after an interrupt breaks because of it.
        termination, note = (
            (TerminationReason.INTERRUPTED, "")
            if broken
            else (TerminationReason.FAILED, str(error))
        )
        kept = best[0].schedule if best else None
        status = SolutionStatus.FEASIBLE if kept else SolutionStatus.NOTHING
        outcome = Outcome(schedule=kept, termination=termination, status=status, note=note)
    if interrupted() and outcome.termination is not TerminationReason.DONE:
        outcome = replace(outcome, termination=TerminationReason.INTERRUPTED)
    return outcome, now() - start


def _judged(
    method: Method,
    instance: Instance,
    seed: int,
    outcome: Outcome,
    first: Bound,
    seconds: float,
    told: list[Incumbent],
) -> Answer:
    """Let the judge say what the outcome is worth; hand on the best valid schedule known."""
    claim = None
    if not is_own(method):
        outcome, claim = proved_part(method.name, instance, outcome, first)
    verdict, schedule, family = None, outcome.schedule, family_of(instance)
    if schedule is not None:
        verdict = check(instance, schedule)
    better, fault = best_reported(instance, schedule, verdict, told, maximize=family.maximize), ""
    if better is not None:
        fault = rejection_reason(verdict, better[1])
        schedule, verdict = better
        outcome = replace(outcome, schedule=schedule, value=None, status=SolutionStatus.FEASIBLE)
    if schedule is not None:
        schedule = family.claimed(replace(schedule, seed=seed), verdict)
    own = outcome.bound
    return Answer(
        instance=instance,
        method=method,
        seed=seed,
        outcome=outcome,
        schedule=schedule,
        verdict=verdict,
        bound=own if own and family.better(first.value, own.value) else first,
        seconds=seconds,
        rejection=fault,
        claim=claim,
    )


def _within(answer: Answer, horizon: int) -> Answer:
    """Drop a schedule that ends after the horizon; say whether there is none that does not."""
    if answer.objective is not None and answer.objective <= horizon:
        return answer
    none = answer.bound.value > horizon
    outcome = replace(
        answer.outcome,
        schedule=None,
        status=SolutionStatus.INFEASIBLE if none else SolutionStatus.NOTHING,
        note=f"{'no schedule ends' if none else 'none was found that ends'} by slot {horizon}",
    )
    return replace(answer, outcome=outcome, schedule=None, verdict=None)


def bound(instance: Instance, limits: Limits = NO_LIMITS) -> Bound:
    """Return the best proved bound that takes little time: lower, or upper on a utility."""
    if problems := list(instance_problems(instance)):
        raise InputError("ringyard.bound", problems)
    validate(instance)
    found: Bound = family_of(instance).bounds(instance, limits)[0]
    return found


def violation_rows(verdict: AnyVerdict) -> list[dict[str, Any]]:
    """Return the violations of a verdict as plain rows."""
    return [
        {"rule": v.rule, "where": v.where, "amount": as_number(v.amount)}
        for v in verdict.violations
    ]
