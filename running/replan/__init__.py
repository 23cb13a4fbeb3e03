"""A plan is repaired: something has changed, and the rest of the plan may no longer be possible.

The instance is cut at a moment by the judge's own timeline, so that every method and bound of its
family works on the rest. Of all plans for the rest, the best valid one is the new plan. A family
supports this by a module with the functions of `Replanner`, which its record names.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from typing import Any, Protocol

from ...analysis.check.judge import AnyVerdict, check
from ...families.registry import family_of
from ...instances import Bound, Instance, RefusedError
from ...instances.errors import InputError, Problem, Words, raise_any, unknown
from ..answer import Answer


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What has happened by the moment `now`. Times are in the family's unit: seconds or slots."""

    now: Decimal
    lost: Mapping[str, Decimal | None] = field(default_factory=dict)
    """Servers that are out of service from now on, and when they are back, None for never."""
    late: Mapping[str, Decimal] = field(default_factory=dict)
    """Jobs that are late. A job that has arrived has this much more work than planned, at full
    speed. Any other job arrives this much later."""
    redo: Decimal | None = None
    """Iterations that a job on a lost server does again at most, those since its last checkpoint,
    or None for all. Traces have `checkpoint_s` instead."""


@dataclass(frozen=True, kw_only=True)
class Rest:
    """What is left of an instance and its plan. Time 0 is now."""

    instance: Any
    """The rest as an instance of the same family. Lost servers are out of it."""
    plan: Any
    """The remaining plan: the same runs, earlier by the time that has passed. A change may make it
    invalid."""
    wait: Callable[[], Any] | None
    """Makes the plan that waits for the lost servers. It is None if some of them are never back."""

    @cached_property
    def kept(self) -> Any | None:
        """The remaining plan, if it is still valid."""
        return self.plan if check(self.instance, self.plan).valid else None

    @cached_property
    def waiting(self) -> Any | None:
        """The plan that waits for the lost servers, if there is one."""
        return self.wait() if self.wait else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """A job that a new plan treats in another way than the old one, in the family's unit."""

    job: str
    before: str
    """GPUs of its next run by the old plan, such as ``s0:4``."""
    after: str
    ended: Fraction | None
    """When the old plan would have ended it."""
    ends: Fraction | None
    cost: Fraction = Fraction(0)
    """Time in which it holds GPUs again without progress, because it restarts."""


class Replanner(Protocol):
    """The functions of a family for repairing plans."""

    def standing(self, instance: Any) -> Any:
        """Return the plan that has only the runs of jobs that hold GPUs at time 0."""

    def completed(self, instance: Any, schedule: Any) -> Any | None:
        """Return a schedule in which the jobs that a valid one lacks wait behind it.

        Returns None if some of them then never start.
        """

    def cut(self, instance: Any, schedule: Any, change: Change) -> Rest:
        """Return what is left of a valid schedule.

        Raises:
            InputError: If the change is not possible, such as a moment between two ticks.
            RefusedError: If nothing is left, or some job has no place on the servers that are left.
        """

    def repaired(self, rest: Rest) -> Any:
        """Return a schedule that keeps the order and the places of the plan where it can."""

    def moved(self, before: AnyVerdict, after: AnyVerdict, rest: Rest) -> Sequence[Move]:
        """Return the jobs that a new plan moves, from the verdicts on the old and the new plan.

        The old plan is judged as if nothing had changed, from the same moment on.
        """


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A plan for the rest, and the judge's verdict on it."""

    name: str
    schedule: Any
    verdict: AnyVerdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Replanned:
    """The new plan and all that it was chosen from."""

    rest: Rest
    before: Rest
    """The rest and its plan if nothing had changed."""
    old: AnyVerdict
    """The verdict on that plan."""
    candidates: tuple[Candidate, ...]
    """The valid plans, the best first."""
    moves: tuple[Move, ...]
    bound: Bound
    refused: str
    """Why the method has no plan, or nothing."""
    added: int
    """Jobs that the old plan lacked. They wait behind it."""

    @property
    def best(self) -> Candidate:
        """The new plan."""
        return self.candidates[0]


def replan(
    instance: Instance, schedule: Any | None, change: Change, ask: Callable[[Instance], Answer]
) -> Replanned:
    """Return the best plan for what is left: kept, waiting, repaired, or that of a method.

    Args:
        instance: The instance.
        schedule: A valid schedule of it, perhaps of some of its jobs, or None: jobs that hold GPUs
            at time 0 stay there. Jobs without runs wait behind the others.
        change: What has happened.
        ask: Solves an instance, usually by `ringyard.solve` with some method.

    Raises:
        InputError: If the schedule is invalid, or the change does not fit the instance.
        RefusedError: If the family has no plans that can be repaired, or no plan is possible.
    """
    family = family_of(instance)
    if family.replanner is None or family.places is None:
        raise RefusedError(
            f"plans of {instance.kind!r} cannot be repaired. Solve the instance again."
        )
    replanner: Replanner = family.replanner
    servers = [server.name for server in family.places.read(instance)]
    _refuse(instance, change, servers)
    schedule, added = _whole(instance, schedule, replanner)
    before = replanner.cut(instance, schedule, Change(now=change.now))
    rest = replanner.cut(instance, schedule, change)
    found = {"kept": rest.kept, "waiting": rest.waiting}
    if rest.kept is None:
        found["repaired"] = replanner.repaired(rest)
    refused, bound = "", None
    try:
        answer = ask(rest.instance)
        found[answer.method.name], bound = answer.schedule, answer.bound
    except RefusedError as error:
        refused = str(error)
    if bound is None:
        bound = family.bounds(rest.instance)[0]
    made = [(name, one) for name, one in found.items() if one is not None]
    judged = [
        Candidate(name=name, schedule=one, verdict=check(rest.instance, one)) for name, one in made
    ]
    valid = [one for one in judged if one.verdict.valid]
    if not valid:
        raise RefusedError(f"no valid plan is known for the rest. {refused}".strip())
    sign = -1 if family.maximize else 1
    # The sort is stable: of equally good plans, the one that changes least is first.
    valid.sort(key=lambda one: sign * (one.verdict.objective or 0))
    old = check(before.instance, before.plan)
    return Replanned(
        rest=rest,
        before=before,
        old=old,
        candidates=tuple(valid),
        moves=tuple(replanner.moved(old, valid[0].verdict, rest)),
        bound=bound,
        refused=refused,
        added=added,
    )


def _refuse(instance: Any, change: Change, servers: Sequence[str]) -> None:
    """Raise an error if names are unknown or times are negative."""
    jobs = [job.name for job in instance.jobs]
    problems = [
        unknown(option, name, known, "correct it")
        for option, given, known in (
            ("--lost", change.lost, servers),
            ("--late", change.late, jobs),
        )
        for name in given
        if name not in known
    ]
    for server, back in change.lost.items():
        if back is not None and back <= change.now:
            expected = f"a moment after {change.now}, in the plan's own time"
            problems.append(Problem(f"--lost {server}", back, expected, "leave the server out"))
    for job, more in change.late.items():
        if more <= 0:
            problems.append(Problem(f"--late {job}", more, "a time above 0", "leave the job out"))
    if change.now < 0:
        problems.append(Problem("--now", change.now, "a moment from 0 on", "correct it"))
    raise_any("ringyard replan", problems)


LACKING = ("planned_once", "every_job_once")
"""Rules of the judge that name the jobs without runs."""


def _whole(instance: Any, schedule: Any | None, replanner: Replanner) -> tuple[Any, int]:
    """Return the schedule with all jobs, and the number of jobs that it lacked.

    Raises:
        InputError: If the schedule breaks another rule, or if it is None and no job holds GPUs.
        RefusedError: If a job that it lacks never starts behind it.
    """
    if schedule is None:
        schedule = replanner.standing(instance)
        if all(job.held is None for job in instance.jobs):
            expected = "a schedule, because no job holds GPUs at time 0"
            advice = "name its file after the instance"
            raise InputError.of("ringyard replan", "PLAN", Words("none"), expected, advice)
    verdict, names = check(instance, schedule), {f"job {job.name}" for job in instance.jobs}
    lacked = {one.where for one in verdict.violations if one.rule in LACKING} & names
    if len(lacked) < len(verdict.violations):
        found = Words(verdict.brief())
        advice = "see `ringyard check`"
        raise InputError.of(schedule.instance, "schedule", found, "a valid schedule", advice)
    whole = replanner.completed(instance, schedule) if lacked else schedule
    if whole is None:
        raise RefusedError(
            f"a job that the plan lacks, such as {min(lacked)}, never starts behind it. "
            "Solve the instance first."
        )
    return whole, len(lacked)


def places_text(gpus: Mapping[str, int]) -> str:
    """Write GPUs on servers, such as ``s0:4, s1:4``."""
    return ", ".join(f"{name}:{count}" for name, count in sorted(gpus.items()))
