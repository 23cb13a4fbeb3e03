"""Do the missing runs of a campaign: claim, run, write down, also beside other processes."""

import gzip
import time
from collections import deque
from collections.abc import Callable, Iterable
from contextlib import ExitStack

from ..analysis.rows import Row, whole_row
from ..instances.writing import write_whole
from .claims import Claims
from .executors import Executor, Finished
from .graph.agenda import Agenda, Work
from .graph.starts import task_of
from .graph.step import NodeStep
from .journal import Writer, cut_torn_ends
from .line import seal
from .runs import METHOD_CHANGED, Run, now
from .state import Beacon, CampaignState, clear, title
from .store import Store

TURN_S = 0.5
"""How long to wait for a result before looking at what others have done."""

Tell = Callable[[CampaignState], None]


def drive(
    store: Store,
    runs: Iterable[Run],
    executor: Executor,
    tell: Tell,
    agenda: Agenda | None = None,
) -> CampaignState:
    """Do what is missing and return how it went; `tell` is called about twice a second.

    Several processes can drive one folder: a run is done by the first to claim it. An
    interrupt leaves all rows that were written; what was under way is done again next time. With
    an agenda, each run waits until all that its node needs is done.
    """
    wanted = {run.key: run for run in runs}
    state = CampaignState(keys=frozenset(wanted))
    cut_torn_ends(store.folder / "journal")
    clear(store.folder / "status")
    new = store.refresh()
    state.saw([store.row(run) for run in wanted.values() if store.has(run)], news=False)
    with ExitStack() as stack:
        driver = _Driver(store, executor, state, stack, agenda)
        if agenda is None:
            driver.pending.extend(run for run in wanted.values() if not store.has(run))
        else:
            agenda.keep_drawn()
            driver.follow(new)
        while driver.busy:
            driver.turn()
            tell(state)
    return state


class _Driver:
    """What a process that drives a campaign holds in its hands."""

    def __init__(
        self,
        store: Store,
        executor: Executor,
        state: CampaignState,
        stack: ExitStack,
        agenda: Agenda | None,
    ) -> None:
        self.store, self.executor, self.state, self.agenda = store, executor, state, agenda
        self.pending: deque[Work] = deque()
        self.taken: deque[Work] = deque()
        """Work that another process has claimed."""
        self.mine: dict[str, Work] = {}
        self.claims = Claims(store.folder / "claims")
        self.writer = Writer(store.folder / "journal")
        self.beacon = Beacon(store.folder / "status" / f"{self.writer.name}.json")
        stack.callback(self.claims.close)
        stack.callback(self.writer.close)
        stack.callback(self.beacon.out)

    @property
    def busy(self) -> bool:
        """Whether anything is missing still."""
        more = self.agenda is not None and self.agenda.open
        return bool(self.pending or self.taken or self.mine or more)

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
        if not self.pending:  # The process that claimed these may be gone, and its claims with it.
            self.pending, self.taken = self.taken, deque()

    def _hand_out(self) -> None:
        while self.pending:
            if self._has(self.pending[0]):
                self.pending.popleft()
            elif len(self.mine) < self.executor.slots:
                self._begin(self.pending.popleft())
            else:
                return

    def _has(self, work: Work) -> bool:
        """Say whether it is done."""
        if isinstance(work, NodeStep):
            return work.record(self.store) is not None
        return self.store.has(work)

    def _begin(self, work: Work) -> None:
        if not self.claims.take(work.key):
            self.taken.append(work)
            return
        self._look()
        if self._has(work):  # Written between our last look and our claim.
            self.claims.drop(work.key)
            return
        if isinstance(work, NodeStep):
            self.executor.submit(work.task(self.store))
        else:
            self.store.keep(work.instance)
            self.store.keep_code(work.code)
            self.executor.submit(task_of(work, self.store))
        self.mine[work.key] = work
        self.state.running[work.key] = (title(work), time.monotonic())

    def _look(self) -> None:
        """Read what was written, by whomever."""
        new = self.store.refresh()
        self.state.saw(new)
        self.follow(new)

    def follow(self, rows: list[Row]) -> None:
        """See which nodes of a graph can begin now that these rows are there."""
        if self.agenda is not None:
            self.agenda.saw(rows)
            self.pending.extend(self.agenda.advance())
            self.state.nodes = self.agenda.counts()
            self.state.news += self.agenda.take_news()

    def _write(self, finished: Finished) -> None:
        work, place, written = self.mine.pop(finished.key), None, None
        del self.state.running[finished.key]
        if isinstance(work, NodeStep):
            work.keep(self.store, finished)
            self.claims.drop(finished.key)
            return
        if finished.columns["status"] == METHOD_CHANGED:
            self.state.news.append(f"{title(work)}: {finished.columns['note']}")
            self.claims.drop(finished.key)
            return
        if finished.schedule is not None:
            place = f"schedules/{finished.key}.json.gz"
            text = finished.schedule.encode()
            written = seal(text)
            write_whole(self.store.folder / place, gzip.compress(text, mtime=0), own=True)
        if finished.certificate is not None:
            data = gzip.compress(finished.certificate.encode(), mtime=0)
            write_whole(self.store.certificate_file(finished.key), data, own=True)
        row = {
            **work.stated(),
            **finished.columns,
            "schedule": place,
            "schedule_digest": written,
            "workers": self.executor.slots,
            "writer": self.writer.name,
            "finished": now(),
        }
        self.writer.add(whole_row(row))
        self.claims.drop(finished.key)
