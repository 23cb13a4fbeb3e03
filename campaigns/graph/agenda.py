"""Which nodes of a graph can go on now, and what came of the others."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from ...analysis.rows import FAILED, Row, is_rejected
from ...instances import digest
from ...instances.errors import plural
from ..runs import Run
from ..store import Store
from .stages import Stage
from .step import NodeStep, Record

Work = Run | NodeStep


class Status(StrEnum):
    """How far a node is."""

    WAITING = "waiting"
    """Something that it needs is not done."""
    RUNNING = "running"
    """All that it needs is there; something of its own is missing."""
    DONE = "done"
    FAILED = "failed"
    NOT_RUN = "not run"
    """Something that it needs failed."""


OVER = (Status.DONE, Status.FAILED, Status.NOT_RUN)


@dataclass(slots=True, kw_only=True)
class Going:
    """A node under way."""

    stage: Stage
    missing: set[str] = field(default_factory=set)
    """Keys of its own runs without a row."""
    failed: int = 0
    """Its runs that failed, or whose schedule the judge rejects."""
    status: Status = Status.WAITING
    cause: str = ""
    """The failed node because of which it does not run."""
    note: str = ""
    """Why it failed, or what it found."""
    step: NodeStep | None = None


class Agenda:
    """The nodes of a graph as the folder of their campaign has them, and what is next."""

    def __init__(self, stages: Sequence[Stage], store: Store) -> None:
        """Look at what is there; `stages` stand behind those that they need."""
        self.store, self.news = store, list[str]()
        self.nodes = {stage.name: Going(stage=stage) for stage in stages}
        self._given = set[str]()
        self._of: dict[str, list[Going]] = {}
        for going in self.nodes.values():
            going.missing = {run.key for run in going.stage.runs}
            for key in going.missing:
                self._of.setdefault(key, []).append(going)
        self.saw(store.rows())

    @property
    def open(self) -> bool:
        """Whether any node can still go on."""
        return any(going.status not in OVER for going in self.nodes.values())

    @property
    def failed(self) -> bool:
        """Whether any node failed."""
        return any(going.status is Status.FAILED for going in self.nodes.values())

    def counts(self) -> Counter[str]:
        """Count the nodes by their status."""
        return Counter(going.status.value for going in self.nodes.values())

    def saw(self, rows: Iterable[Row]) -> None:
        """Take note of rows."""
        for row in rows:
            for going in self._of.get(row["key"], ()):
                going.missing.remove(row["key"])
                going.failed += row["status"] in FAILED or is_rejected(row)

    def keep_drawn(self) -> None:
        """Write down the instances that nodes draw."""
        for going in self.nodes.values():
            for instance in going.stage.instances:
                self.store.keep(instance)

    def advance(self) -> list[Work]:
        """See which nodes are over and which can begin; return what these have to do."""
        found = list[Work]()
        for going in self.nodes.values():
            if going.status is Status.WAITING:
                found += self._begin(going)
            if going.status is Status.RUNNING:
                self._end(going)
        return found

    def _begin(self, going: Going) -> Iterator[Work]:
        needs = [self.nodes[name] for name in going.stage.needs]
        for need in needs:
            if need.status in (Status.FAILED, Status.NOT_RUN):
                going.status, going.cause = Status.NOT_RUN, need.cause or need.stage.name
                self._tell(going, f"not run, because {going.cause} failed")
                return
        if any(need.status is not Status.DONE for need in needs):
            return
        going.status = Status.RUNNING
        if going.stage.takes:
            takes = set(going.stage.takes)
            rows = tuple(row for row in self.store.rows() if row["key"] in takes)
            going.step = NodeStep(stage=going.stage, rows=rows)
            if going.step.record(self.store) is None:
                yield going.step
        for run in going.stage.runs:
            if run.key in going.missing and run.key not in self._given:
                self._given.add(run.key)  # Another node may ask for the same run.
                yield run

    def _end(self, going: Going) -> None:
        """See whether all of a node is there, and whether it went well."""
        stage = going.stage
        record = going.step.record(self.store) if going.step else None
        drawn = stage.instances if stage.type == "generate" else ()
        kept = all(self.store.instance_file(digest(one)).exists() for one in drawn)
        if going.missing or (going.step and record is None) or not kept:
            return
        failed, going.note = _outcome(going, record)
        going.status = Status.FAILED if failed else Status.DONE
        if failed:
            self._tell(going, f"failed: {going.note}")

    def take_news(self) -> list[str]:
        """Return sentences that have not been reported yet."""
        news, self.news = self.news, []
        return news

    def _tell(self, going: Going, what: str) -> None:
        self.news.append(f"node {going.stage.name}: {what}")


def _outcome(going: Going, record: Record | None) -> tuple[bool, str]:
    """Say whether a node failed, and what is to be said of it."""
    if record is not None:
        return record["status"] != Status.DONE, record["note"]
    runs = len(going.stage.runs)
    note = f"{going.failed} of {plural(runs, 'run')} failed" if going.failed else ""
    return going.failed > going.stage.may_fail, note
