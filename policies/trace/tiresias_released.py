"""Schedules of Tiresias' public simulator, so that every job ends when it does there.

After ``run_sim.py`` of https://github.com/SymbioticLab/Tiresias. Its rules for Tiresias-L differ
from those of the paper, and from `tiresias-l`; they are said in `released_queues.py`, those of
`groups=width` in `released_widths.py`, and those without queues in `released_lists.py`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from math import ceil
from typing import Annotated, Literal

from ...instances import Outcome, TraceInstance
from ...instances.reading.vocabulary import Amount, Positive
from ...simulation.trace import (
    DISTRIBUTION,
    NONE,
    ClusterView,
    GrantedGpus,
    JobView,
    TraceDecider,
    TraceSetting,
)
from ...simulation.trace.views import FOREVER
from ..request import Request
from .indices import ReleasedTable
from .released_lists import ExpectedList, PendingList
from .released_queues import QueueRules, ReleasedQueues
from .released_widths import WidthGroups
from .room import room_of
from .serve import ServiceOptions, serve

AHEAD_S = 3250
"""GPU-seconds that the index looks ahead."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options(ServiceOptions):
    """The queues, and what is counted."""

    interval_s: Annotated[Positive, "how often events are checked; a second, as there"] = Decimal(1)
    thresholds: Annotated[
        tuple[Positive, ...], "service in seconds at which a job leaves each queue but the last"
    ] = (Decimal(3250), Decimal(7200))
    order: Annotated[
        Literal["running", "gittins", "pending", "expected"],
        "who goes first in a queue: `gittins` as in `dlas-gpu-gittins`; or in one list instead of "
        "queues: `pending` as in `lpjf`, `expected` as in `shortest-expected`",
    ] = "running"
    service: Annotated[Literal["gpu-time", "time"], "`dlas-gpu` or `dlas` there"] = "gpu-time"
    promote: Annotated[Amount, "waiting over working that leads back; 0: none does"] = Decimal(0)
    groups: Annotated[
        Literal["none", "width"],
        "whether each width has GPUs and queues of its own: `multi-dlas-gpu`",
    ] = "none"


class TiresiasReleased(TraceDecider):
    """Keeps the queues, and looks at them when something happens."""

    def __init__(self, options: Options) -> None:
        """Choose the queues."""
        self._options = options
        self.information = DISTRIBUTION if options.order == "gittins" else NONE

    def begin(self, setting: TraceSetting) -> None:
        """Count the thresholds in ticks."""
        self._setting, self._room = setting, room_of(setting)
        indexed, options = self._options.order == "gittins", self._options
        rules = QueueRules(
            thresholds=[float(t) / setting.tick_s for t in sorted(options.thresholds)],
            by_gpus=options.service == "gpu-time",
            promote=float(options.promote),
            index=ReleasedTable(setting.law, AHEAD_S / setting.tick_s) if indexed else None,
        )
        self._queues: WidthGroups | ReleasedQueues = (
            WidthGroups(rules, setting) if options.groups == "width" else ReleasedQueues(rules)
        )

    def decide(self, jobs: Sequence[JobView], _: ClusterView) -> Mapping[int, GrantedGpus]:
        """Return who runs."""
        now = self._setting.now
        if now >= self.again or {job.number for job in jobs} != self._queues.places.keys():
            come = sorted(jobs, key=lambda job: (job.arrival, job.number))
            jump = self._queues.look(come, now, self._room.copy())
            self.again = max(ceil(jump), now + 1) if jump < FOREVER else FOREVER
        places = self._queues.places
        return {job.number: GrantedGpus(job.gpus) for job in jobs if places[job.number].runs}


def run(instance: TraceInstance, request: Request[Options]) -> Outcome:
    """Return the schedule; nothing is random."""
    lists = {"pending": PendingList, "expected": ExpectedList}
    order = request.options.order
    policy = lists[order]() if order in lists else TiresiasReleased(request.options)
    return serve(instance, request.limits, "tiresias-released", policy, request.options)
