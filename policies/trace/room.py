"""GPUs that are left to give away, where some jobs may use some servers only."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ...simulation.trace import TraceSetting


@dataclass(frozen=True, slots=True)
class ClusterRoom:
    """What is left of all GPUs, and of every other set of servers that jobs may use.

    Jobs are distinguished by the number of their set. One that fits by these counts may still find
    its servers taken, where sets overlap.
    """

    left: list[int]
    around: Sequence[Sequence[int]] = ((0,),)
    """The sets that a set is a part of, itself among them."""

    def of(self, reach: int) -> int:
        """Return the GPUs that a job may still have."""
        return min([self.left[k] for k in self.around[reach]])

    def take(self, reach: int, gpus: int) -> None:
        """Give GPUs to a job, or with a number below 0 take them back."""
        for k in self.around[reach]:
            self.left[k] -= gpus

    def copy(self) -> "ClusterRoom":
        """Return another one with as much left."""
        return replace(self, left=list(self.left))


def room_of(setting: TraceSetting) -> ClusterRoom:
    """Return the room of the whole cluster."""
    return ClusterRoom(
        [sum(setting.servers[s].gpus for s in own) for own in setting.sets],
        [[k for k, other in enumerate(setting.sets) if own <= other] for own in setting.sets],
    )
