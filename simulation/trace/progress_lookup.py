"""The work that is left of jobs: the engine's own account, for those who may know it."""

from ..model import Model, Records
from ..state import State
from .build import UNITS
from .records import RUNNING


class ProgressLookup:
    """Looks up how far jobs have come."""

    def __init__(self, model: Model, state: State, lives: Records, counts: Records) -> None:
        """Look at the account."""
        self._all, self._runs = model.jobs["iterations"], state.runs
        self._lives, self._counts = lives, counts[0]

    def of(self, number: int) -> float:
        """Return the ticks at full speed that are left of a job."""
        run = self._runs[number]
        left = float(run["remaining"])
        if self._lives[number]["status"] == RUNNING:
            now = int(self._counts["now"])
            left -= float(run["rate"]) * max(0.0, now - float(run["since"]))
        return max(0.0, left) / UNITS

    def done(self, number: int) -> float:
        """Return the part of its work that a job has done."""
        return 1.0 - self.of(number) * UNITS / float(self._all[number])
