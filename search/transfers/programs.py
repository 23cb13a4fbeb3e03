"""The programs as methods: their points are plans, without sends that break a rule.

The programs are relaxations, so their plans are simulated. The bound rests on floating point. A
program whose objective differs from the instance's gives no bound.
"""

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from functools import partial

from ...formulations.catalogue import Formulation, find_formulation
from ...formulations.program import too_many
from ...formulations.transfers.order import inexact
from ...instances import Outcome, Send, TransferPlan, TransfersInstance
from ...policies.request import ProgramOptions, Request
from ...policies.transfers.orders import as_ready, drafted, plan_of, singly
from ...simulation.transfers import Network
from ..built import Best, solve_built
from .bounds import combinatorial_bounds

MOST = 20_000
"""Programs with more choices are not worth waiting for."""

NONE = Decimal(0)

GOALS = {"order": "mean", "groups": "last"}
"""The goal that a program's objective bounds. A user's program is about the instance's goal."""


def refuses(instance: TransfersInstance, options: ProgramOptions) -> str | None:
    """Return why the program cannot state `instance`, or None if it can."""
    reason = find_formulation(options.formulation).refuses(instance)
    if reason is not None:
        return reason
    n = len(instance.updates)
    size = n * n if options.formulation == "order" else n * (1 + len(instance.aggregators))
    return too_many(size, MOST, "choices", "take a policy")


def run(instance: TransfersInstance, request: Request[ProgramOptions]) -> Outcome:
    """Return the best plan that the solver finds in the program, with its bound if it has one."""
    formulation = request.options.formulation
    program, best = find_formulation(formulation), Best[TransferPlan](request.limits)
    network, copies = Network.of(instance), formulation == "copies"

    def offer(plan: TransferPlan) -> None:
        """Keep a plan of the fewest copies, if the program is about these, and the least value."""
        sends = with_copies(instance, plan.sends)
        draft = drafted(network, sends)
        cost = _copied_gb(network, sends) if copies else NONE, draft.value
        own = plan_of(instance, draft.sends, program.name)
        # With fewer copies a better plan can have a worse value.
        best.offer(own, draft.value, cost, report=not copies)

    offer(plan_of(instance, singly(network, as_ready(network)).sends, program.name))
    solved = solve_built(program, partial(program.build, instance), request, None, offer)
    bound = None
    if program.exact or GOALS.get(formulation) == instance.goal:
        known, worth = combinatorial_bounds(instance)[0], partial(_worth, instance)
        bound = solved.bound(program, request.options.name, lambda low: worth(Fraction(low)))
        bound = max(known, bound or known, key=lambda bound: bound.value)
    return solved.outcome(best, bound, note=_note(instance, formulation))


def _worth(instance: TransfersInstance, value: Fraction) -> Fraction:
    return min(value, Fraction(instance.drop_s)) if instance.goal == "last" else value


def root_worth(
    instance: TransfersInstance, program: Formulation, value: Fraction, _: object
) -> Fraction | None:
    """Return the bound on the instance's goal, None if the program is about another goal."""
    if program.ours and GOALS.get(program.name) != instance.goal:
        return None
    return _worth(instance, value)


def _copied_gb(network: Network, sends: Sequence[Send]) -> Decimal:
    copied = (send for send in sends if send.to == "both")
    return sum((max(network.updates[n].size_gb for n in one.updates) for one in copied), NONE)


def with_copies(instance: TransfersInstance, sends: Sequence[Send]) -> list[Send]:
    """Return sends with enough copies, by descending weight per size."""
    updates = {one.name: one for one in instance.updates}
    norms = [sum((updates[name].norm for name in send.updates), NONE) for send in sends]
    sizes = [max(updates[name].size_gb for name in send.updates) for send in sends]
    found = list(sends)
    alone = sum((n for n, s in zip(norms, sends, strict=True) if s.to != "both"), NONE)
    for i in sorted(range(len(sends)), key=lambda i: norms[i] / sizes[i], reverse=True):
        if instance.divergence is None or alone <= instance.divergence:
            break
        if found[i].to != "both":
            found[i] = replace(found[i], to="both")
            alone -= norms[i]
    return found


def _note(instance: TransfersInstance, formulation: str) -> str:
    reason = inexact(instance) if formulation == "order" else None
    return f"a relaxation: {reason}" if reason else ""
