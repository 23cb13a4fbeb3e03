"""A run of an engine on a program, which is a run of a campaign."""

import json
from dataclasses import dataclass
from functools import cache, cached_property
from hashlib import sha256
from typing import Any

from ..analysis.rows import VERSION
from ..campaigns.code_digest import Code, code_of_modules
from ..campaigns.runs import Run, Task
from ..formulations.corpus.index import CorpusEntry
from ..formulations.program import Settings
from ..formulations.solver_interface.solve import find_solver
from ..instances.catalogue import load
from ..version import __version__
from .engine import Engine


def case_digest(entry: CorpusEntry) -> str:
    """Return a digest of a program's name and content: two instances may state the same program."""
    return sha256(f"{entry.name} {entry.digest}".encode()).hexdigest()


@dataclass(frozen=True, kw_only=True)
class ProgramRun(Run):
    """An engine on a program. `instance` is the program's source, None for a file.

    The engine's seed also permutes rows and columns, except for seed 0.
    """

    instance: Any
    entry: CorpusEntry
    """The program."""
    file: str = ""
    """The file that holds it, empty for a program of the corpus."""
    solver: str
    settings: Settings = ()

    @property
    def about(self) -> str:
        """The name of the program, for people."""
        return self.entry.name

    @property
    def code(self) -> Code:
        """The Ringyard code that performs it."""
        return code_of_modules(".campaigns.perform_program")

    @cached_property
    def key(self) -> str:
        """Digest shared with a row that represents this run.

        Ringyard's version is left out because the digest identifies the program and no Ringyard
        code solves it. Rows therefore stay valid, and only an upgraded engine is rerun.
        """
        content = {"v": VERSION, **self._question()}
        return sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:32]

    def _question(self) -> dict[str, Any]:
        return {
            "instance": self.entry.name,
            "digest": case_digest(self.entry),
            "method": self.method,
            "options": ":".join(map("=".join, self.settings)),
            "solver": self.solver,
            "solver_version": find_solver(self.asked or self.solver).version,
            **({"source": self.source} if self.source else {}),
            **self._limits(),
        }

    def stated(self) -> dict[str, Any]:
        """Return the columns that are known before the run."""
        known = {"family": self.entry.family, "sense": "min", "random": True}
        known_as = find_solver(self.asked or self.solver).code or None
        done = {"code": self.code.digest, "solver_code": known_as}
        return {"v": VERSION, "key": self.key, **known, **done, **self._question()}

    def task(self) -> Task:
        """Return the data needed by another process, possibly on another machine."""
        return {
            "key": self.key,
            "version": __version__,
            "program": self.entry.name,
            "digest": case_digest(self.entry),
            "file": self.file,
            "content": self.entry.digest,
            "best": self.entry.value,
            "solver": self.asked or self.solver,
            "solver_version": find_solver(self.asked or self.solver).version,
            "source": self.source,
            "settings": self.settings,
            **self._limits(),
            # The cap holds for the engine's process, not for the worker.
            "memory_limit": None,
            "engine_memory": self.memory_limit,
        }


def run_of(
    engine: Engine, entry: CorpusEntry, seed: int, limit_s: float, **others: Any
) -> ProgramRun:
    """Return a run. `others` may have the file of the program and a limit of memory."""
    return ProgramRun(
        instance=None if others.get("file") else _named(entry.recipe.instance),
        entry=entry,
        method=engine.name,
        solver=engine.solver,
        asked=engine.asked,
        source=engine.source,
        settings=engine.settings(entry, seed),
        seed=seed,
        threads=engine.threads,
        time_limit=limit_s,
        **others,
    )


@cache
def _named(name: str) -> Any:
    """Return an instance of the catalogue, read or made once."""
    return load(name)
