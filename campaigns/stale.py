"""Rows that answered a run's question before something changed, and what changed since."""

import json
from collections.abc import Mapping
from typing import Any

from ..analysis.rows import Row
from ..instances.errors import plural
from ..version import __version__
from .left_out import contents
from .runs import Run
from .store import Store

SHOWN = 3
"""How many changed modules are named."""

_QUESTION = (
    *("instance", "digest", "method", "options", "seed", "repetition", "threads", "horizon"),
    *("time_limit", "cpu_limit", "memory_limit", "gap_limit", "target"),
)
"""Columns in which a row and a run agree if the same was asked, perhaps of other code."""


class StaleRows:
    """The rows of a folder by their question, the latest of each."""

    def __init__(self, store: Store) -> None:
        """Read no more than the rows that the store has."""
        self._store = store
        rows = sorted(store.rows(), key=lambda row: row["finished"] or "")
        self._rows = {_question(row): row for row in rows}

    def why(self, run: Run) -> str | None:
        """Return why a row no longer stands for a run that is missing; None if there is none."""
        now = run.stated()
        row = self._rows.get(_question(now))
        if row is None or row["key"] == run.key:
            return None
        if row["source"] != now["source"]:
            return f"the code of {run.method} changed"
        if row["solver_version"] != now["solver_version"]:
            was = f"{now['solver']} {row['solver_version']}"
            return f"{was} was used, and {now['solver_version']} is installed"
        if row["code"] == now["code"]:
            return None  # It differs in what it writes, or begins with.
        return self._of_code(row, run)

    def _of_code(self, row: Row, run: Run) -> str:
        """Say which modules changed, if that can be known."""
        before, now = self._modules(row["code"]), run.code.modules
        if not (before and now):
            made = f"it was made by ringyard {row['version']}"
            same = row["version"] == __version__
            return f"{made}, which did not note its code" if same else made
        changed = sorted({*before.items()} ^ {*now.items()})
        names = list(dict.fromkeys(name for name, _ in changed))
        if not names:
            return f"the record of {run.method} changed"
        more = len(names) - SHOWN
        named = ", ".join(names[:SHOWN]) + (f" and {plural(more, 'module')}" if more > 0 else "")
        return f"changed since: {named}"

    def _modules(self, code: str | None) -> Mapping[str, str]:
        """Return the modules that a digest stands for, as they were kept beside the rows."""
        try:
            found = json.loads(contents(self._store.code_file(code or "none")))
            return {str(name): str(digest) for name, digest in found.items()}
        except (OSError, ValueError, AttributeError, RecursionError):
            return {}


def _question(row: Mapping[str, Any]) -> tuple[Any, ...]:
    return tuple(row.get(name) for name in _QUESTION)
