"""Judging and making tables as tasks, which are done where runs are done.

What came of a node stands in `nodes/<name>.json`, once the files that it names are there. It
counts as long as its key is that of what the node would do now.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from typing import Any

from ...analysis.rows import VERSION, Row
from ...families import FAMILIES
from ...families.late import held
from ...instances import InputError
from ...instances.reading.encode import to_text
from ...instances.writing import write_whole
from ...version import __version__
from ..code_digest import code_of_modules
from ..executors import Finished
from ..left_out import contents
from ..line import seal
from ..runs import Task, now
from ..store import Store
from .stages import Stage

Record = dict[str, Any]
"""What came of a node: its `status`, done or something else, a `note`, `files` with digests."""

FOLDER = "nodes"


@dataclass(frozen=True, kw_only=True)
class NodeStep:
    """A node that judges or shows rows."""

    stage: Stage
    rows: tuple[Row, ...]

    @cached_property
    def key(self) -> str:
        """What a record must have in common with this step to stand for it."""
        code = code_of_modules(".campaigns.graph.perform_step", *_judges(self.rows))
        about = [VERSION, code.digest, self.stage.name, self.stage.type, self.stage.kind]
        text = json.dumps([*about, *self.rows], sort_keys=True)
        return sha256(text.encode()).hexdigest()[:32]

    def task(self, store: Store) -> Task:
        """Return what another process needs to know, with the instances and schedules."""
        names = {row["digest"] for row in self.rows}
        return {
            "key": self.key,
            "version": __version__,
            "step": self.stage.type,
            "node": self.stage.name,
            "kind": self.stage.kind,
            "rows": list(self.rows),
            "instances": {name: text for name in names if (text := _text(store.instance, name))},
            "schedules": {
                row["key"]: text
                for row in (self.rows if self.stage.type == "verify" else ())
                if (text := _text(store.schedule, row))
            },
        }

    def record(self, store: Store) -> Record | None:
        """Return what came of it, if it has been done."""
        found = record_of(store, self.stage.name)
        return found if found is not None and found["key"] == self.key else None

    def keep(self, store: Store, finished: Finished) -> None:
        """Write down what came of it: files first, then the record that counts them."""
        columns, folder = dict(finished.columns), store.folder / FOLDER
        folder.mkdir(exist_ok=True)
        files = {self.stage.name + end: text for end, text in columns.pop("files", {}).items()}
        for name, text in files.items():
            write_whole(folder / name, text.encode(), own=True)
        digests = {name: seal(text.encode()) for name, text in files.items()}
        record = {"node": self.stage.name, "key": self.key, "files": digests, **columns}
        record["finished"] = now()
        record["digest"] = _seal(record)
        text = json.dumps(record, indent=2) + "\n"
        write_whole(folder / f"{self.stage.name}.json", text.encode(), own=True)


def _judges(rows: tuple[Row, ...]) -> list[Any]:
    return [held(FAMILIES[kind], "judge") for kind in sorted({row["family"] for row in rows})]


def record_of(store: Store, name: str) -> Record | None:
    """Return what stands in the record of a node, if all its files are there."""
    folder = store.folder / FOLDER
    try:
        found: Record = json.loads(contents(folder / f"{name}.json"))
        if found.pop("digest") != _seal(found):
            return None
        there = all(seal(contents(folder / n)) == digest for n, digest in found["files"].items())
        told = {"key", "status", "note"} <= found.keys()
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return None  # Whatever it was, the node is done again.
    return found if there and told else None


def _seal(record: Record) -> str:
    """Return the digest of a record as it is written."""
    return seal(json.dumps(record).encode())


def _text(read: Callable[[Any], Any], name: Any) -> str | None:
    """Write what a store has by a name; what cannot be read is not there."""
    try:
        noun = read(name)
    except InputError:
        return None
    return None if noun is None else to_text(noun)
