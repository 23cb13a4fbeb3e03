"""One run of a campaign: a method on an instance, within limits, with its key and its task."""

import json
import platform
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache, cached_property, lru_cache
from hashlib import sha256
from typing import Any

from ..analysis.rows import BOUND as BOUND
from ..analysis.rows import VERSION
from ..families.method import Method
from ..families.registry import family_of
from ..instances import (
    Instance,
    MissingError,
    RefusedError,
    SolutionStatus,
    TerminationReason,
    digest,
)
from ..instances.errors import MethodError
from ..instances.reading.encode import to_text
from ..instances.reading.vocabulary import short
from ..methods import find_method
from ..version import __version__
from .code_digest import Code, code_of

METHOD_CHANGED = "changed"
"""The status of a run whose method has changed since: no row of it is written."""

AGAIN = "its code changed since this command started. Rerun the command."


@cache
def environment() -> dict[str, Any]:
    """Return the columns of a row that are the same for all runs of a process."""
    return {"host": platform.node(), "python": platform.python_version(), "version": __version__}


_text = lru_cache(maxsize=8)(to_text)


def now() -> str:
    """Return the time in UTC, to the millisecond."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


Task = dict[str, Any]
"""A run as self-contained plain values for another process."""


@dataclass(frozen=True, kw_only=True)
class Run:
    """One method on one instance, with a time limit only for methods that could run forever.

    The method must stop at the time limit. A run that exceeds its processor time or memory limit,
    or far exceeds its time limit, is terminated with a note in its row.
    """

    instance: Instance
    method: str
    asked: str = ""
    """Reference by which another process finds a user's method, empty for named methods."""
    source: str = ""
    """A digest of its source."""
    seed: int = 0
    repetition: int = 0
    threads: int = 1
    horizon: int | None = None
    time_limit: float | None = None
    cpu_limit: float | None = None
    memory_limit: float | None = None
    gap_limit: float | None = None
    target: float | None = None
    certificates: bool = False
    """True if a certificate of its bound is written and checked."""
    begins: tuple[str, ...] = ()
    """Keys of the runs whose best schedule is its start."""

    @property
    def about(self) -> str:
        """The name of the instance, for people."""
        return self.instance.name

    @property
    def code(self) -> Code:
        """The Ringyard code on which its row depends."""
        name, kind = self.asked or self.method, self.instance.kind
        return code_of(name, kind, certificates=self.certificates)

    @cached_property
    def key(self) -> str:
        """The digest that a row shares with the run that it represents."""
        content = {
            "v": VERSION,
            "code": self.code.digest,
            "digest": digest(self.instance),
            "method": self.method,
            "solver_version": self._method_columns()["solver_version"],
            **({"source": self.source} if self.source else {}),
            **({"certificates": True} if self.certificates else {}),
            **({"begins": self.begins} if self.begins else {}),
            **self._limits(),
        }
        return sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:32]

    def stated(self) -> dict[str, Any]:
        """Return the columns that are known before the run."""
        family = family_of(self.instance)
        return {
            "v": VERSION,
            "key": self.key,
            "instance": self.instance.name,
            "digest": digest(self.instance),
            "family": family.kind,
            "sense": family.sense,
            "method": self.method,
            **self._method_columns(),
            "code": self.code.digest,
            **self._limits(),
        }

    def task(self) -> Task:
        """Return the run as plain values, for another process, perhaps on another machine."""
        return {
            "key": self.key,
            "version": __version__,
            "digest": digest(self.instance),
            "text": _text(self.instance),
            "name": self.instance.name,
            "method": self.asked or self.method,
            "source": self.source,
            "code": self.code.digest,
            "certificates": self.certificates,
            **self._limits(),
        }

    def _method_columns(self) -> dict[str, Any]:
        return _method_columns(self.asked or self.method, self.instance.kind, self.source)

    def _limits(self) -> dict[str, Any]:
        """Return its seed and limits, and its targets only if set, as in earlier keys."""
        aims = {"gap_limit": self.gap_limit, "target": self.target}
        return {
            "seed": self.seed,
            "repetition": self.repetition,
            "threads": self.threads,
            "horizon": self.horizon,
            "time_limit": self.time_limit,
            "cpu_limit": self.cpu_limit,
            "memory_limit": self.memory_limit,
            **{name: aim for name, aim in aims.items() if aim is not None},
        }


def called(name: str, family: str) -> dict[str, Any]:
    """Return the displayed name of a run's method, and its parts."""
    method = None if name == BOUND else find_method(name, family)
    if method is None or not (method.spelled or method.digest):
        return {"method": name}
    return {"method": method.name, "asked": method.asked, "source": method.digest}


@cache
def _method_columns(name: str, family: str, source: str) -> dict[str, Any]:
    """Return options, solver, its version, randomness and the digest of the source as columns."""
    if name == BOUND:
        parts = {"options": "", "solver": None, "solver_version": None, "random": None}
    else:
        parts = parts_of_method(find_method(name, family), name)
    return {**parts, "source": source or None}


def parts_of_method(method: Method, name: str) -> dict[str, Any]:
    """Return the parts of a method's displayed name."""
    words = name.partition(":")[2]
    if method.spelled:
        words = method.name.partition(":")[2].partition(":")[2]
    return {
        "options": ":".join(map("=".join, method.settings)) if method.formulation else words,
        "solver": short(method.solver) or None,
        "solver_version": _version(method),
        "random": method.random,
    }


def _version(method: Method) -> str | None:
    if not method.solver:
        return None
    from ..formulations.solver_interface.solve import find_solver

    return find_solver(method.solver).version


Columns = dict[str, Any]


def failure_of(error: Exception) -> Columns:
    """Return the columns of a run that ended in an error."""
    match error:
        case RefusedError() | MissingError():
            return failure("refused", TerminationReason.FAILED, str(error))
        case MethodError():
            return failure("error", TerminationReason.FAILED, str(error))
        case MemoryError():
            return failure(
                "out of memory", TerminationReason.MEMORY_LIMIT, f"MemoryError {error}".strip()
            )
    return failure("error", TerminationReason.FAILED, f"{type(error).__name__}: {error}")


def failure(status: str, termination: TerminationReason, note: str) -> Columns:
    """Return the columns of a run that gave no answer."""
    return {
        "status": status,
        "termination": termination.value,
        "solution_status": SolutionStatus.NOTHING.value,
        "note": note,
        "valid": False,
        "violations": 0,
    }
