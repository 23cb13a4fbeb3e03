"""`multi-dlas-gpu` of Tiresias' public simulator: each width has GPUs of its own, and queues.

GPUs are shared out every 600 s, and there are none before. What runs keeps its GPUs. Widths get
them in proportion to what their jobs ask for, the smallest demand first and no more than that; what
is left goes round, a job at a time, narrow jobs first. A width has queues of its own on its GPUs.
"""

from collections.abc import Mapping, Sequence
from decimal import ROUND_HALF_UP, Decimal
from itertools import groupby
from math import floor

from ...simulation.trace import JobView, TraceSetting
from ...simulation.trace.views import FOREVER
from .released_queues import QueuePlace, QueueRules, ReleasedQueues
from .room import ClusterRoom

PERIOD_S = 600
"""How long GPUs stay shared out."""


class WidthGroups:
    """The queues of every width, and what GPUs it has."""

    def __init__(self, rules: QueueRules, setting: TraceSetting) -> None:
        """Begin without GPUs."""
        self._rules, self._gpus = rules, setting.gpus
        self._period = max(1, round(PERIOD_S / setting.tick_s))
        self._queues: dict[int, ReleasedQueues] = {}
        self._reserved: dict[int, int] = {}

    @property
    def places(self) -> dict[int, QueuePlace]:
        """Where all jobs stand."""
        return {number: p for own in self._queues.values() for number, p in own.places.items()}

    def look(self, jobs: Sequence[JobView], now: int, room: ClusterRoom) -> float:
        """Look at all queues, and share GPUs out if it is time; return when to look next."""
        by_width = sorted(jobs, key=lambda job: job.gpus)
        here = {width: list(some) for width, some in groupby(by_width, key=lambda job: job.gpus)}
        jump = self._looks(here, now, room.copy())
        if now > 0 and now % self._period == 0 and jobs:
            asked = {width: width * len(some) for width, some in here.items()}
            used = {width: self._used(width) for width in here}
            self._reserved = shared_out(self._gpus, asked, used)
            jump = self._looks(here, now, room.copy())
        return min(jump, now - now % self._period + self._period)

    def _looks(self, here: Mapping[int, Sequence[JobView]], now: int, room: ClusterRoom) -> float:
        for width in here.keys() - self._queues.keys():
            self._queues[width] = ReleasedQueues(self._rules)
        jumps = [
            own.look(here.get(width, ()), now, room, self._reserved.get(width, 0))
            for width, own in sorted(self._queues.items())
        ]
        return min(jumps, default=FOREVER)

    def _used(self, width: int) -> int:
        return width * sum(place.runs for place in self._queues[width].places.values())


def shared_out(gpus: int, asked: Mapping[int, int], used: Mapping[int, int]) -> dict[int, int]:
    """Return the GPUs of every width; shares are rounded to per cents."""
    left, total, reserved = gpus - sum(used.values()), sum(asked.values()), dict(used)
    for width in sorted(asked, key=lambda width: (asked[width], width)):
        exact = Decimal(asked[width] / total)
        share = float(exact.quantize(Decimal("0.01"), ROUND_HALF_UP))
        goal = min(asked[width], floor(share * gpus / width) * width)
        more = max(0, goal - used[width])
        more = more if more <= left else left // width * width
        reserved[width] += more
        left -= more
    widths = sorted(asked)
    while wanting := [w for w in widths if reserved[w] < asked[w] and w <= left]:
        for width in wanting:
            if width <= left:
                reserved[width] += width
                left -= width
    return reserved
