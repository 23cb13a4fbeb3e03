"""Do the runs of a campaign that are missing: claim, run, write down, whoever else is at it."""

import gzip
import time
from collections import deque
from collections.abc import Callable, Iterable
from contextlib import ExitStack

from ..analysis.rows import whole_row
from ..instances import digest, save
from ..instances.files import write_whole
from .claims import Claims
from .environment import now
from .executors import Executor, Finished
from .journal import Writer, cut_torn_ends
from .runs import Run
from .state import Beacon, State, title
from .store import Store

TURN_S = 0.5
"""How long to wait for a result before looking at what others have done."""

Tell = Callable[[State], None]


def drive(store: Store, runs: Iterable[Run], executor: Executor, tell: Tell) -> State:
    """Do what is missing and return how it went; `tell` is called about twice a second.

    Several processes can drive one folder: a run is done by whoever claims it first. An
    interrupt leaves all rows that were written; what was under way is done again next time.
    """
    wanted = {run.key: run for run in runs}
    state = State(keys=frozenset(wanted))
    cut_torn_ends(store.folder / "journal")
    store.refresh()
    state.saw([store.row(run) for run in wanted.values() if store.has(run)], news=False)
    with ExitStack() as stack:
        driver = _Driver(store, executor, state, stack)
        driver.pending.extend(run for run in wanted.values() if not store.has(run))
        while driver.busy:
            driver.turn()
            tell(state)
    return state


class _Driver:
    """What a process that drives a campaign holds in its hands."""

    def __init__(self, store: Store, executor: Executor, state: State, stack: ExitStack) -> None:
        self.store, self.executor, self.state = store, executor, state
        self.pending: deque[Run] = deque()
        self.taken: deque[Run] = deque()
        """Runs that another process has claimed."""
        self.mine: dict[str, Run] = {}
        self.claims = Claims(store.folder / "claims")
        self.writer = Writer(store.folder / "journal")
        self.beacon = Beacon(store.folder / "status" / f"{self.writer.name}.json")
        stack.callback(self.claims.close)
        stack.callback(self.writer.close)
        stack.callback(self.beacon.out)

    @property
    def busy(self) -> bool:
        """Whether anything is missing still."""
        return bool(self.pending or self.taken or self.mine)

    def turn(self) -> None:
        """Hand out what fits, write down what comes back, look at what others did."""
        self._hand_out()
        self.beacon.show(self.state)
        if self.mine:
            for finished in self.executor.finished(TURN_S):
                self._write(finished)
        else:
            time.sleep(TURN_S if self.busy else 0)
        self.state.news += self.executor.notices()
        self._look()
        if not self.pending:  # Whoever claimed these may be gone, and its claims with it.
            self.pending, self.taken = self.taken, deque()

    def _hand_out(self) -> None:
        while self.pending:
            if self.store.has(self.pending[0]):
                self.pending.popleft()
            elif len(self.mine) < self.executor.slots:
                self._begin(self.pending.popleft())
            else:
                return

    def _begin(self, run: Run) -> None:
        if not self.claims.take(run.key):
            self.taken.append(run)
            return
        self._look()
        if self.store.has(run):  # Somebody wrote it between our last look and our claim.
            self.claims.drop(run.key)
            return
        self._keep_instance(run)
        self.executor.submit(run.task())
        self.mine[run.key] = run
        self.state.running[run.key] = (title(run), time.monotonic())

    def _look(self) -> None:
        """Read what was written, by whomever."""
        self.state.saw(self.store.refresh())

    def _keep_instance(self, run: Run) -> None:
        path = self.store.instance_file(digest(run.instance))
        if not path.exists():
            save(run.instance, path, sync=True)

    def _write(self, finished: Finished) -> None:
        run, place = self.mine.pop(finished.key), None
        del self.state.running[finished.key]
        if finished.schedule is not None:
            place = f"schedules/{finished.key}.json.gz"
            data = gzip.compress(finished.schedule.encode(), mtime=0)
            write_whole(self.store.folder / place, data, sync=True)
        row = {
            **run.stated(),
            **finished.columns,
            "schedule": place,
            "workers": self.executor.slots,
            "writer": self.writer.name,
            "finished": now(),
        }
        self.writer.add(whole_row(row))
        self.claims.drop(finished.key)
