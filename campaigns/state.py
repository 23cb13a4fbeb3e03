"""Progress of a campaign: running, finished and stale runs, in this or another terminal."""

import json
import os
import platform
import time
from collections import Counter
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..analysis.rows import BOUND, FAILED, REFUSED, Row, is_rejected
from ..analysis.stats.references import contradictions, extremes
from ..instances.errors import plural
from ..instances.writing import write_whole
from ..version import __version__
from .journal import contents
from .runs import Run
from .store import Store

FRESH_S = 10.0
"""A process whose status is older than this is taken for dead."""


@dataclass(slots=True, kw_only=True)
class CampaignState:
    """Numbers of runs, the running ones, and news."""

    keys: frozenset[str]
    """All runs of the campaign."""
    done: int = 0
    before: int = 0
    """Runs that were done when this state began."""
    begun: float = field(default_factory=time.monotonic)
    by_status: Counter[str] = field(default_factory=Counter)
    running: dict[str, tuple[str, float]] = field(default_factory=dict)
    """The runs that are running, by key: method and instance, and when it began."""
    contradictions: list[str] = field(default_factory=list)
    news: list[str] = field(default_factory=list)
    """Sentences that have not been reported yet."""
    rejected: int = 0
    """Runs whose last schedule is no answer: it breaks rules, or a better was reported."""
    _extremes: dict[str, list[Row]] = field(default_factory=dict)
    """The rows with the best value and the tightest bound, by instance."""

    @property
    def total(self) -> int:
        """Number of runs."""
        return len(self.keys)

    @property
    def failed(self) -> int:
        """Runs that came to no regular end, or to a schedule that the judge rejects."""
        return sum(self.by_status[status] for status in FAILED)

    @property
    def rate(self) -> float:
        """Runs a second since this state began."""
        return (self.done - self.before) / max(1e-9, time.monotonic() - self.begun)

    @property
    def left_s(self) -> float | None:
        """Estimated seconds for the remaining runs, once there is a rate."""
        return (self.total - self.done) / self.rate if self.rate else None

    def saw(self, rows: Iterable[Row], *, news: bool = True) -> None:
        """Add rows, and record failures and contradictions."""
        for row in rows:
            if row["key"] not in self.keys:
                continue
            self.done += 1
            failed = row["status"] in FAILED
            self.by_status[BOUND if row["method"] == BOUND and not failed else row["status"]] += 1
            if news and failed:
                self.news.append(failure_line(row))
            self.rejected += is_rejected(row)
            same = [*self._extremes.get(row["digest"], []), row]
            self._extremes[row["digest"]] = extremes(same)
            crossed = str(row["note"] or "").startswith("ContradictionError")
            sentences = [*contradictions(same), *([row["note"]] if crossed else [])]
            if str(row["checked"] or "").startswith(REFUSED):
                what = f"{row['method']} on {row['instance']}"
                sentences.append(f"{what}: the checker of certificates: {row['checked']}")
            for sentence in sentences:
                if sentence not in self.contradictions:
                    self.contradictions.append(sentence)
                    self.news.append(f"contradiction: {sentence}")
        if not news:
            self.before = self.done

    def take_news(self) -> list[str]:
        """Return the news that have not been reported yet."""
        news, self.news = self.news, []
        return news


def failure_line(row: Row) -> str:
    """Return in a line which run failed, and why."""
    seed = f", seed {row['seed']}" if row["seed"] else ""
    why = (row["note"] or row["violation"] or "").removeprefix(f"{row['instance']}: ")
    return f"{row['method']} on {row['instance']}{seed}: {row['status']}: {why}"


def title(run: Run) -> str:
    """Return a readable name of a run."""
    parts = [f"{run.method} on {run.about}"]
    parts += [f"seed {run.seed}"] if run.seed else []
    parts += [f"repetition {run.repetition}"] if run.repetition else []
    return ", ".join(parts)


class Beacon:
    """Reports this process's activity to other terminals, at most once per second."""

    def __init__(self, path: Path) -> None:
        """Remember the file, which is created with the first report."""
        self.path = path
        self._last = -1.0

    def show(self, state: CampaignState) -> None:
        """Record the current runs."""
        now = time.monotonic()
        if now - self._last < 1:
            return
        self._last = now
        running = {
            key: [what, time.time() - (now - since)] for key, (what, since) in state.running.items()
        }
        who = {"pid": os.getpid(), "host": platform.node(), "at": time.time()}
        write_whole(self.path, json.dumps({**who, "running": running}).encode())

    def out(self) -> None:
        """Remove the file."""
        self.path.unlink(missing_ok=True)


def elsewhere(folder: Path) -> dict[str, tuple[str, float]]:
    """Return the runs of other processes, as in `CampaignState.running`."""
    now, found = time.time(), dict[str, tuple[str, float]]()
    for path in sorted(folder.glob("*.json")):
        status = _status_of(path)
        if status is not None and not _stale(status):
            for key, (what, since) in status["running"].items():
                found[key] = (what, time.monotonic() - (now - since))
    return found


def clear(folder: Path) -> None:
    """Remove unreadable files, and files of ended processes."""
    for path in folder.glob("*.json"):
        status = _status_of(path)
        if status is None or _stale(status) or _gone(status):
            with suppress(OSError):  # A folder is left where it is.
                path.unlink()
    for path in folder.glob(".*.draft"):
        with suppress(OSError):
            if time.time() - path.lstat().st_mtime > FRESH_S:
                path.unlink()


def _status_of(path: Path) -> dict[str, Any] | None:
    """Return the status that a process wrote of itself, if it can be read."""
    try:
        status = json.loads(contents(path))
        running = {
            str(key): (str(what), float(since))
            for key, (what, since) in dict(status["running"]).items()
        }
        known = {"pid": status.get("pid"), "host": status.get("host")}
        return {"at": float(status["at"]), "running": running, **known}
    except (OSError, ValueError, TypeError, LookupError, AttributeError, ArithmeticError):
        return None  # It ended meanwhile, or was damaged.
    except RecursionError:
        return None


def _stale(status: dict[str, Any]) -> bool:
    return not abs(time.time() - status["at"]) < FRESH_S


def _gone(status: dict[str, Any]) -> bool:
    """Return True if a process of this machine has ended, False for other machines."""
    if status["host"] != platform.node() or type(status["pid"]) is not int:
        return False
    try:
        os.kill(status["pid"], 0)  # Sends nothing.
    except (ProcessLookupError, OverflowError):
        return True
    except PermissionError:
        pass
    return False


SHOWN = 3
"""Maximum number of changed modules named."""

_QUESTION = (
    *("instance", "digest", "method", "options", "seed", "repetition", "threads", "horizon"),
    *("time_limit", "cpu_limit", "memory_limit", "gap_limit", "target"),
)
"""Columns that identify the question of a run, independent of its code."""


class StaleRows:
    """The rows of a folder by their question, the latest of each."""

    def __init__(self, store: Store) -> None:
        """Read no more than the rows that the store has."""
        self._store = store
        rows = sorted(store.rows(), key=lambda row: row["finished"] or "")
        self._rows = {_question(row): row for row in rows}

    def why(self, run: Run) -> str | None:
        """Return the reason why a missing run's earlier row is stale, None without such a row."""
        now = run.stated()
        row = self._rows.get(_question(now))
        if row is None or row["key"] == run.key:
            return None
        if row["source"] != now["source"]:
            return f"the code of {run.method} changed"
        if row["solver_version"] != now["solver_version"]:
            was = f"{now['solver']} {row['solver_version']}"
            return f"{was} was used, but {now['solver_version']} is installed"
        if row["code"] == now["code"]:
            return None  # It differs in what it writes, or begins with.
        return self._of_code(row, run)

    def _of_code(self, row: Row, run: Run) -> str:
        """Return the changed modules, if known."""
        before, now = self._modules(row["code"]), run.code.modules
        if not (before and now):
            made = f"it was made by ringyard {row['version']}"
            same = row["version"] == __version__
            return f"{made}, which did not record its code" if same else made
        changed = sorted({*before.items()} ^ {*now.items()})
        names = list(dict.fromkeys(name for name, _ in changed))
        if not names:
            return f"the record of {run.method} changed"
        more = len(names) - SHOWN
        named = ", ".join(names[:SHOWN]) + (f" and {plural(more, 'module')}" if more > 0 else "")
        return f"changed since: {named}"

    def _modules(self, code: str | None) -> Mapping[str, str]:
        """Return the modules of a code digest, as stored with the rows."""
        try:
            found = json.loads(contents(self._store.code_file(code or "none")))
            return {str(name): str(digest) for name, digest in found.items()}
        except (OSError, ValueError, AttributeError, RecursionError):
            return {}


def _question(row: Mapping[str, Any]) -> tuple[Any, ...]:
    return tuple(row.get(name) for name in _QUESTION)
