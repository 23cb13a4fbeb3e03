"""A checked answer to an instance: its contents, its display, and its selection.

The selection is between several methods, between an answer and its start, and within a horizon.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import Any

from ..analysis.check import AnyVerdict
from ..analysis.display import answer_html, answer_lines
from ..families.family import Family
from ..families.method import Method
from ..families.registry import family_of
from ..instances import (
    Bound,
    Instance,
    Limits,
    Outcome,
    RingyardError,
    SolutionStatus,
    TerminationReason,
    digest,
)
from ..instances.frames import Backend, frame
from ..instances.reading.encode import as_number
from ..methods import all_names, find_method
from ..search.tiny_instances import answers_of
from ..version import __version__
from .method_run import JudgedStart, StoppingCriterion, rejection_reason

Step = tuple[float, float, float]
"""A better schedule during the search: seconds since the start, its value, the current bound."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Answer:
    """A checked answer: the schedule with its exact claims, the verdict, the bound."""

    instance: Instance
    method: Method
    seed: int
    outcome: Outcome
    """The outcome that the method returned, without claims: termination reason and status."""
    schedule: Any
    """The best valid schedule that it reported, of the family's type, or None."""
    verdict: AnyVerdict | None
    """The judge's verdict on the schedule: every violation, and its value."""
    bound: Bound
    """The best proved bound: a lower bound, or an upper bound for maximization."""
    seconds: float
    """Time of the method."""
    trajectory: tuple[Step, ...] = ()
    """The better schedules during the search: seconds, value, and current bound."""
    phases: tuple[tuple[str, float], ...] = ()
    """Seconds for the first bound and the judge."""
    rejection: str = ""
    """The error of the method's own schedule, if another schedule is returned instead."""
    claim: Outcome | None = None
    """The outcome that a user-defined method returned, if it claims more than is proved."""

    @property
    def family(self) -> Family:
        """The problem family of the instance."""
        return family_of(self.instance)

    @property
    def objective(self) -> Fraction | None:
        """The makespan, utility or other objective, computed by the judge."""
        return self.verdict.objective if self.verdict else None

    @property
    def valid(self) -> bool:
        """True if there is a schedule and the judge found no error."""
        return self.verdict is not None and self.verdict.valid

    @property
    def claimed_bound(self) -> Fraction | None:
        """The bound that a user-defined method claims, if it is tighter than the proved one."""
        return self.claim.bound.value if self.claim and self.claim.bound else None

    @property
    def gap(self) -> Fraction | None:
        """The gap between objective and bound, relative to the larger of both."""
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
        """Its status, and why the method stopped if not by itself.

        An optimum also has the evidence of its bound.
        """
        status, stop = self.status, self.outcome.termination.words
        about = {"optimal": self.bound.evidence.value, "error": "invalid schedule"}
        if not stop:
            about["unknown"] = "no schedule"
        brief = ", ".join(filter(None, (about.get(status), stop)))
        return f"{status} ({brief})" if brief else status

    def __repr__(self) -> str:
        """Return three lines: the schedule, its quality, and its check."""
        return "\n".join(answer_lines(self))

    def _repr_html_(self) -> str:
        """Return the same for a notebook, above the schedule over time."""
        return answer_html(self)

    def row(self) -> dict[str, Any]:
        """Return the flat record that `ringyard solve --json` prints, without `metrics`."""
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

    def metrics(self) -> Mapping[str, Any]:
        """Return the other numbers of a valid schedule, by the columns of rows, such as waits."""
        if self.verdict is None or not self.verdict.valid:
            return {}
        return self.family.metrics(self.instance, self.verdict)

    def to_frame(self, backend: Backend | None = None) -> Any:
        """Return the record as a data frame of one row. Frames can be concatenated.

        `backend` is "pandas" or "polars", by default the first one that is installed.
        """
        row = self.row()
        return frame([{**row, "violations": len(row["violations"])}], list(row), backend)


def violation_rows(verdict: AnyVerdict) -> list[dict[str, Any]]:
    """Return the violations of a verdict as plain rows."""
    return [
        {"rule": v.rule, "where": v.where, "amount": as_number(v.amount)}
        for v in verdict.violations
    ]


ENDS = {
    TerminationReason.INTERRUPTED,
    TerminationReason.STOPPED,
    TerminationReason.GAP,
    TerminationReason.TARGET,
}
"""Statuses after which no other method is run."""


class ContradictionError(RingyardError):
    """A valid schedule is better than a proved bound allows: one of the two is wrong."""


def methods_to_ask(instance: Instance) -> list[str]:
    """Return the default methods, if there are others than the family's default."""
    family = family_of(instance)
    if family.small(instance):
        return all_names(family.kind)
    brief = family.brief
    if brief and find_method(brief, family.kind).refuses(instance) is None:
        return [brief, family.default]
    return []


def best_answer(
    ask: Callable[[str, float | None], Answer], names: list[str], time_limit: float | None
) -> Answer:
    """Return the best answer of these methods with the best bound. The default is the last.

    `ask` runs a method within the remaining seconds. The first answer that is proved optimal, or
    meets the criterion, ends the sequence. Raise `RefusedError` if the default is refused and no
    other method has a schedule.
    """
    clock, spent, cut = Limits(time_s=time_limit), 0.0, False

    def in_turn(name: str) -> Answer:
        return ask(name, clock.left_s())

    def enough(answer: Answer) -> bool:
        nonlocal spent
        spent += answer.seconds
        stopped = answer.outcome.termination in ENDS
        return stopped or clock.over() or answer.status == "optimal"

    best = None
    try:
        for answer in answers_of((partial(in_turn, name) for name in names), enough):
            best = answer if best is None else better_of(best, answer)
            cut = answer.outcome.termination is TerminationReason.INTERRUPTED
    except KeyboardInterrupt:
        cut = True
    if best is None:
        raise KeyboardInterrupt
    if cut:
        best = replace(
            best, outcome=replace(best.outcome, termination=TerminationReason.INTERRUPTED)
        )
    return uncrossed(replace(best, seconds=spent))


def better_of(one: Answer, other: Answer) -> Answer:
    """Return the answer with the better valid schedule, and the better bound of the two.

    Ties go to the answer that proves more.
    """
    proves = other if one.family.better(one.bound.value, other.bound.value) else one
    return replace(_with_better(one, other, proves), bound=proves.bound)


def _with_better(one: Answer, other: Answer, proves: Answer) -> Answer:
    if not (one.valid and other.valid) or one.objective is None or other.objective is None:
        return other if other.valid else one
    if one.objective != other.objective:
        return other if one.family.better(other.objective, one.objective) else one
    return proves


def or_start(answer: Answer, begun: JudgedStart) -> Answer:
    """Return the answer with the start in it, unless its schedule is strictly better."""
    value, least = answer.objective, begun.value
    if least is None:
        return answer
    if answer.valid and value is not None and answer.family.better(value, least):
        return answer
    note = "; ".join(
        filter(None, (answer.outcome.note, "the start itself, no better schedule was found"))
    )
    broken = answer.verdict is not None and not answer.valid
    rejection = rejection_reason(answer.verdict, begun.verdict) if broken else ""
    left = (
        SolutionStatus.OPTIMAL
        if answer.outcome.status is SolutionStatus.OPTIMAL
        else SolutionStatus.FEASIBLE
    )
    outcome = replace(answer.outcome, schedule=begun.schedule, value=None, status=left, note=note)
    schedule = answer.family.claimed(begun.schedule, begun.verdict)
    return replace(
        answer, outcome=outcome, schedule=schedule, verdict=begun.verdict, rejection=rejection
    )


def within_horizon(answer: Answer, horizon: int) -> Answer:
    """Drop a schedule that ends after the horizon. Report if no schedule ends within it."""
    if answer.objective is not None and answer.objective <= horizon:
        return answer
    none = answer.bound.value > horizon
    outcome = replace(
        answer.outcome,
        schedule=None,
        status=SolutionStatus.INFEASIBLE if none else SolutionStatus.NOTHING,
        note=f"{'no schedule ends' if none else 'found no schedule that ends'} by slot {horizon}",
    )
    return replace(answer, outcome=outcome, schedule=None, verdict=None)


def stopped_early(answer: Answer, enough: StoppingCriterion) -> Answer:
    """Set the termination reason of a sufficient answer if its method did not end by itself."""
    ended = answer.outcome.termination is TerminationReason.DONE and not answer.method.formulation
    if ended or answer.status != "feasible" or answer.objective is None:
        return answer
    stop = enough.reached(answer.objective, answer.bound.value) or answer.outcome.termination
    return replace(answer, outcome=replace(answer.outcome, termination=stop))


def uncrossed(answer: Answer) -> Answer:
    """Return an answer with consistent value and bound. Raise an error otherwise."""
    value, family = answer.objective, answer.family
    if not answer.valid or value is None:
        return answer
    side = "above" if family.maximize else "below"
    made = f"{answer.instance.name}: {answer.method.name} gave a valid {family.objective} of "
    made += f"{as_number(value)}, {side} the"
    if family.better(value, answer.bound.value):
        raise ContradictionError(f"{made} {_bound_text(answer.bound)}. Please report it.")
    claimed = answer.claim and answer.claim.bound
    if claimed and family.better(value, claimed.value):
        raise ContradictionError(f"{made} {_bound_text(claimed)}, which it claims")
    return answer


def _bound_text(bound: Bound) -> str:
    return f"{bound.kind} bound {as_number(bound.value)} ({bound.argument})"
