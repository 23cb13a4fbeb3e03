"""Which answer the runner hands on: of several methods, beside a start, within a horizon."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from ..analysis.runner_rules import JudgedStart, StoppingCriterion, rejection_reason
from ..families import family_of
from ..instances import Bound, Instance, Limits, RingyardError, SolutionStatus, TerminationReason
from ..instances.reading.encode import as_number
from ..methods import all_names, find_method
from ..search.tiny_instances import answers_of
from .answer import Answer

ENDS = {
    TerminationReason.INTERRUPTED,
    TerminationReason.STOPPED,
    TerminationReason.GAP,
    TerminationReason.TARGET,
}
"""After these no other method is asked."""


class ContradictionError(RingyardError):
    """A valid schedule is better than a proved bound allows: one of the two is wrong."""


def methods_to_ask(instance: Instance) -> list[str]:
    """Return the methods to ask where none is named, if there are others than the default."""
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
    """Return the best answer of these methods with the best bound; the default is the last.

    `ask` has a method answer within the seconds that are left. The first answer that is proved to
    be best, or enough, ends it. Raises `RefusedError` if the default is refused, and no other
    method has a schedule.
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


def or_start(answer: Answer, begun: JudgedStart) -> Answer:
    """Return the answer with the start in it, unless its schedule is strictly better."""
    value, least = answer.objective, begun.value
    if least is None:
        return answer
    if answer.valid and value is not None and answer.family.better(value, least):
        return answer
    note = "; ".join(filter(None, (answer.outcome.note, "the start itself; nothing better found")))
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


def stopped_early(answer: Answer, enough: StoppingCriterion) -> Answer:
    """Let an answer that is enough say so, if its method had not come to an end of its own."""
    ended = answer.outcome.termination is TerminationReason.DONE and not answer.method.formulation
    if ended or answer.status != "feasible" or answer.objective is None:
        return answer
    stop = enough.reached(answer.objective, answer.bound.value) or answer.outcome.termination
    return replace(answer, outcome=replace(answer.outcome, termination=stop))


def uncrossed(answer: Answer) -> Answer:
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
