"""Carry out what a policy decides: stop jobs whose GPUs change, and start the new ones."""

from collections.abc import Iterable, Mapping

import numpy as np

from .advance import CHOOSE, carry_out
from .build import NEVER
from .policy_run import PolicyRun
from .records import DONE, HALF, RUNNING, RUNS_ON, WHOLE
from .views import GrantedGpus


class Decisions:
    """Asks a policy for its decisions, and remembers which GPUs it granted.

    Apart from what the policy does, a decision takes time for running jobs and changes only.
    """

    def __init__(self, run: PolicyRun) -> None:
        """Start before the first decision, without running jobs."""
        self._run, self._few = run, len(run.setting.sets) > 1
        self._held: dict[int, tuple[GrantedGpus, dict[int, int] | None]] = {}
        """The grant of each running job, and a copy of its pieces."""

    def carry_out(self) -> None:
        """Ask the policy, and do what it says.

        Jobs that may use fewer servers come first, and may displace other jobs.
        """
        run, held = self._run, self._held
        status = run.lives["status"]
        if run.counts["now"][0] == 0 and run.data.held.size:
            self._take_over(status)
        jobs = run.live.update([number for number in held if status[number] == DONE])
        for number in jobs.ended:
            del held[number]
        if run.instance.outages:
            for number in [number for number in held if status[number] != RUNNING]:
                del held[number]
        run.turn_views()
        holds: Mapping[int, GrantedGpus] = run.policy.decide(jobs, run.cluster)
        stops = [
            number
            for number, (old, pieces) in held.items()
            if not ((new := holds.get(number)) is old and pieces is None)
            and not self._keeps(number, new)
        ]
        starts = [number for number in holds if number not in held and number in run.live]
        if stops or starts:
            kept = held.keys() - stops if self._few else ()
            starts += [number for number in (*stops, *kept) if number in holds]
            self._order(stops, starts, holds)
        run.counts["again"][0] = int(min(NEVER, run.policy.again))
        run.counts["phase"][0] = 0

    def _take_over(self, status: memoryview) -> None:
        """Note the runs that go on at time 0."""
        for number, held in enumerate(self._run.data.held):
            if held == RUNS_ON and status[number] == RUNNING:
                pieces = self._run.cluster.pieces(number)
                half = self._run.cluster.half(number)
                grant = GrantedGpus(sum(pieces.values()), pieces, half)
                self._held.setdefault(number, (grant, dict(pieces)))

    def _keeps(self, number: int, new: GrantedGpus | None) -> bool:
        """Return True if a running job holds the intended GPUs."""
        old, pieces = self._held[number]
        if new is old and old.pieces == pieces:
            return True
        if new is None or new.half != old.half or new.width != self._run.lives["width"][number]:
            return False
        if new.kind is not None and new.kind != self._run.cluster.kind(number):
            return False
        if new.pieces is None:
            return True
        return dict(new.pieces) == (pieces or self._run.cluster.pieces(number))

    def _order(
        self, stops: Iterable[int], starts: Iterable[int], holds: Mapping[int, GrantedGpus]
    ) -> None:
        """Stop and start jobs in their order, and note which of them run."""
        place, held = self._run.live.rank.__getitem__, self._held
        stops, starts = sorted(stops, key=place), sorted(starts, key=place)
        orders = [len(stops), *stops]
        for number in starts:
            hold = holds[number]
            orders += (number, hold.width, HALF if hold.half else WHOLE)
            if hold.pieces is None:
                orders.append(CHOOSE if hold.kind is None else CHOOSE - 1 - hold.kind)
            else:
                orders.append(len(hold.pieces))
                orders += [part for piece in sorted(hold.pieces.items()) for part in piece]
        carry_out(self._run.engine, np.array(orders, np.int64))
        status = self._run.lives["status"]
        for number in stops:
            del held[number]
        for number in starts:
            if status[number] == RUNNING:
                hold = holds[number]
                held[number] = hold, None if hold.pieces is None else dict(hold.pieces)
            else:
                held.pop(number, None)
