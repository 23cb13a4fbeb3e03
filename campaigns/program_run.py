"""One run of the solver comparison: an engine on a program of the corpus, in some order."""

import json
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from typing import Any

from ..analysis.rows import VERSION
from ..formulations.corpus.index import find_entry
from ..formulations.program import Settings
from ..formulations.solver_interface.solve import find_solver
from ..version import __version__
from .code_digest import Code, code_of_modules
from .runs import Run, Task


def case_digest(program: str) -> str:
    """Return a digest of a program's name and content: two instances may state the same program."""
    return sha256(f"{program} {find_entry(program).digest}".encode()).hexdigest()


@dataclass(frozen=True, kw_only=True)
class ProgramRun(Run):
    """An engine on a program; `instance` is what the program was made from.

    The seed is the engine's, and draws the order of rows and columns; with 0 they stay.
    """

    program: str
    solver: str
    settings: Settings = ()

    @property
    def about(self) -> str:
        """What it is about, to people."""
        return self.program

    @property
    def code(self) -> Code:
        """The code of ours that does it."""
        return code_of_modules(".campaigns.perform_program")

    @cached_property
    def key(self) -> str:
        """What a row must have in common with this run to stand for it.

        Our version does not count, as the digest says what was solved, and nothing of ours solves
        it: so rows stay, and one engine's can be made again after an upgrade.
        """
        content = {"v": VERSION, **self._said()}
        return sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:32]

    def _said(self) -> dict[str, Any]:
        return {
            "instance": self.program,
            "digest": case_digest(self.program),
            "method": self.method,
            "options": ":".join(map("=".join, self.settings)),
            "solver": self.solver,
            "solver_version": find_solver(self.solver).version,
            **self._limits(),
        }

    def stated(self) -> dict[str, Any]:
        """Return the columns that are known before the run."""
        kind = find_entry(self.program).family
        known = {"family": kind, "sense": "min", "random": True}
        done = {"code": self.code.digest}
        return {"v": VERSION, "key": self.key, **known, **done, **self._said()}

    def task(self) -> Task:
        """Return what another process, perhaps on another machine, needs to know."""
        return {
            "key": self.key,
            "version": __version__,
            "program": self.program,
            "digest": case_digest(self.program),
            "solver": self.solver,
            "settings": self.settings,
            **self._limits(),
        }
