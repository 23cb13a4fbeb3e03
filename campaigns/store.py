"""The folder of a campaign as a reader sees it: rows, and the instances and schedules behind them.

| place | holds |
|---|---|
| `campaign.toml` | the campaign file as it was when the folder was last worked on |
| `runs.json` | the keys of the runs that it makes |
| `journal/<writer>.jsonl` | a row a line, see `journal.py` |
| `instances/<digest>.json.gz` | every instance |
| `schedules/<key>.json.gz` | the schedule of a run |
| `nodes/<name>.json` | what came of a node that judges or shows rows, see `graph/step.py` |
| `status/<writer>.json` | what a process is doing now, for `ringyard run --watch` |
| `claims` | locks, see `claims.py`; always empty |
"""

import json
from collections.abc import Iterable
from pathlib import Path

from ..analysis.rows import Row
from ..instances import AnySchedule, Instance, load_instance, load_schedule
from ..instances.errors import InputError, Problem, Words, reason
from ..instances.writing import reserve, write_whole
from .journal import Reader
from .runs import Run

PLAN, KEYS = "campaign.toml", "runs.json"
FOLDERS = ("journal", "instances", "schedules", "status")


class Store:
    """The rows of a folder by the key of their run."""

    def __init__(self, folder: Path) -> None:
        """Read what is there; a folder that does not exist has no rows."""
        self.folder = folder
        self._rows: dict[str, Row] = {}
        self._reader = Reader(folder / "journal")
        self.refresh()

    def refresh(self) -> list[Row]:
        """Read what was added since, and return it."""
        new = {row["key"]: row for row in self._reader.new() if row["key"] not in self._rows}
        self._rows |= new
        return list(new.values())

    def __len__(self) -> int:
        """Count the rows."""
        return len(self._rows)

    def rows(self) -> list[Row]:
        """Return all rows, in an order that does not depend on who wrote them when."""
        order = ("instance", "method", "seed", "repetition", "key")
        return sorted(self._rows.values(), key=lambda row: [row[name] for name in order])

    def wanted(self) -> list[Row]:
        """Return the rows of the runs that the campaign asks for as it is now.

        Rows of a former limit, method or version are left out. Where nobody wrote down what is
        asked for, these are all rows.
        """
        path = self.folder / KEYS
        if not path.exists():
            return self.rows()
        keys = set(json.loads(path.read_text(encoding="utf-8")))
        return [row for row in self.rows() if row["key"] in keys]

    def has(self, run: Run) -> bool:
        """Say whether the row of a run is there."""
        return run.key in self._rows

    def row(self, run: Run) -> Row:
        """Return the row of a run."""
        return self._rows[run.key]

    def instance(self, digest: str) -> Instance:
        """Return an instance by its content."""
        return load_instance(self.instance_file(digest))

    def schedule(self, row: Row) -> AnySchedule | None:
        """Return the schedule of a row, if it has one."""
        return load_schedule(self.folder / row["schedule"]) if row["schedule"] else None

    def instance_file(self, digest: str) -> Path:
        """Return where an instance lies."""
        return self.folder / "instances" / f"{digest}.json.gz"


def existing(folder: Path) -> Store:
    """Return the store of a folder that has rows; say what to do where it has none."""
    store = Store(folder)
    if not store:
        found = "no rows" if folder.is_dir() else "nothing"
        advice = "make some: ringyard run CAMPAIGN.toml --out " + str(folder)
        problem = Problem("folder", Words(found), "the folder of a campaign", advice)
        raise InputError(str(folder), [problem])
    return store


def keep_plan(store: Store, text: str, runs: Iterable[Run]) -> None:
    """Keep the campaign file beside its rows, and which runs it makes."""
    write_whole(store.folder / PLAN, text.encode())
    write_whole(store.folder / KEYS, json.dumps([run.key for run in runs]).encode())


def prepared(folder: Path) -> Store:
    """Make the folder of a campaign if need be, and return its store."""
    try:
        for name in FOLDERS:
            (folder / name).mkdir(parents=True, exist_ok=True)
        reserve(folder)
    except (OSError, ValueError) as error:
        problem = Problem("--out", reason(error), "a writable folder", "choose another place")
        raise InputError(str(folder), [problem]) from None
    return Store(folder)
