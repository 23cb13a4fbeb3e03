"""The CP-SAT sandwich: a model that loses no schedule, and an engine that confirms its answers.

It decides whether all jobs can end by slot H, for H from below, where a no raises the bound, and
from above, where a yes gives a better schedule, with more effort from round to round.
"""

from collections.abc import Iterator
from dataclasses import replace
from importlib.util import find_spec
from math import inf, isfinite

from ....instances import (
    Limits,
    MakespanInstance,
    Outcome,
    RefusedError,
    Schedule,
    ServerUplink,
    TerminationReason,
)
from ....policies.request import NO_OPTIONS, NoOptions, Request
from ....simulation import build_model, evaluate, make_plan, to_schedule
from ....simulation.makespan.evaluate import unsupported
from ....simulation.model import Floats
from ..bounds.counting import best_bound
from .bracket import Bracket
from .cp_child import LostError, ask
from .cp_model import CpQuestion, Reply, RingCut, RingStay

METHOD = "cp-sat"

MOST_TRIPLES = 500_000
"""Jobs times servers times slots up to which the model is built."""

FIRST_EFFORT, GROWTH = 2.0, 6.0
"""Effort spent on a question in the first round, and how this grows from round to round."""


def refuses(instance: MakespanInstance, _: NoOptions = NO_OPTIONS) -> str | None:
    """Return why CP-SAT cannot treat `instance`, or None if it can."""
    if find_spec("ortools") is None:
        return "cp-sat needs OR-Tools, which is not installed; pip install 'ringyard[cpsat]'"
    if reason := unsupported(instance):
        return reason
    if instance.progress == "continuous":
        return "cp-sat needs slots: continuous starts cannot be enumerated"
    triples = len(instance.jobs) * len(instance.cluster.servers) * int(best_bound(instance).value)
    if triples > MOST_TRIPLES:
        return (
            f"cp-sat supports at most {MOST_TRIPLES:,} jobs x servers x slots; this instance has "
            f"{triples:,} or more; lengthen slot_s"
        )
    return None


def run(instance: MakespanInstance, request: Request[NoOptions]) -> Outcome:
    """Return a schedule of the least makespan, or the best found (deterministic)."""
    search = _CpSat(instance, request.limits, request.start)
    return search.close(FIRST_EFFORT, GROWTH, request.start)


def _together(stays: dict[str, RingStay], until: dict[str, int]) -> Iterator[RingCut]:
    """Yield a cut for each group of rings that run without a gap, each until its slot."""
    group: dict[str, RingStay] = {}
    last = 0
    for job in sorted(stays, key=lambda job: stays[job].start):
        if group and stays[job].start >= last:
            yield RingCut(group, last)
            group = {}
        group = {**group, job: stays[job]}
        last = max(last, until[job])
    if group:
        yield RingCut(group, last)


class _CpSat(Bracket):
    """The bracket closed by CP-SAT, with the cuts on rings found on the way."""

    method, prover, gives_up = METHOD, "CP-SAT, asked twice,", TerminationReason.CRASHED

    def __init__(self, instance: MakespanInstance, limits: Limits, hint: Schedule | None) -> None:
        reason = refuses(instance)
        if reason is not None:
            raise RefusedError(reason)
        super().__init__(instance, limits, best_bound(instance))
        self.cuts: list[RingCut] = []
        self.hint = hint

    def ask(self, horizon: int, effort: float) -> bool | None:
        """Ask whether all jobs can end by `horizon` until the engine agrees with a yes.

        The model includes contention once the engine has refuted a yes without it.
        """
        aware = False
        while True:
            try:
                reply = ask(self._question(horizon, aware, effort))
            except LostError as error:
                self.lost = str(error)
                return None
            self.nodes += reply.branches
            if not reply.found:
                return reply.found
            plan = make_plan(reply.starts, reply.pieces)
            result = evaluate(self.model, plan)
            if result.excess <= 0 and result.makespan <= horizon:
                self.keep(to_schedule(self.instance, plan, METHOD), result.makespan)
                return True
            if isinstance(self.instance.contention, ServerUplink) and not aware:
                aware = True
            else:
                self.cuts += self._cut(reply, result.end)
            if self.limits.over():
                return None

    def _question(self, horizon: int, aware: bool, effort: float) -> CpQuestion:
        left = self.limits.left_s()
        left = inf if left is None else left
        cuts, threads = tuple(self.cuts), self.limits.threads
        return CpQuestion(self.instance, horizon, aware, cuts, left, effort, threads, self.hint)

    def _cut(self, reply: Reply, ends: Floats) -> list[RingCut]:
        """Return cuts from the engine's times of rings that the model assumed faster.

        Cuts on rings that take longer even alone are stronger than cuts on groups of rings.
        """
        names = [server.name for server in self.instance.cluster.servers]
        stays: dict[str, RingStay] = {}
        alone = []
        until = {}
        for j, job in enumerate(self.instance.jobs):
            shape, start = reply.shapes[j], reply.starts[j]
            if shape is None:
                continue
            servers = frozenset(names[s] for s, _ in reply.pieces[j])
            stays[job.name] = RingStay(start, servers, shape, self._slots(ends[j] - start))
            until[job.name] = start + max(stays[job.name].slots, reply.slots[j])
            lone = build_model(replace(self.instance, jobs=(job,)))
            least = evaluate(lone, make_plan([0.0], [reply.pieces[j]])).makespan
            if least > reply.slots[j]:
                stay = stays[job.name]._replace(slots=self._slots(least))
                alone.append(RingCut({job.name: stay}, None))
        return alone or list(_together(stays, until))

    def _slots(self, slots: float) -> int:
        """Return a whole number of slots, beyond the horizon for a ring that never ends."""
        return int(slots) if isfinite(slots) else 2 * self.high
