"""Solvers of users' files, by ``FILE.py:NAME``, in this process and in the ones they run in."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from operator import attrgetter
from pathlib import Path
from typing import Any

from ...extensions.calling import guarded
from ...extensions.loading import digest_of, load_thing
from ...instances.errors import InputError
from ..adapters.solver import Solver


@dataclass(frozen=True, slots=True)
class _Part:
    """A function of a solver in a file, which other processes cannot import by its name."""

    spelled: str
    place: str

    def __call__(self, *given: Any) -> Any:
        """Load the file, and call the function."""
        file, _, own = self.spelled.rpartition(":")
        with guarded(f"{Path(file).name}:{own}"):
            return attrgetter(self.place)(load_thing(file, own))(*given)


def is_filed(name: str) -> bool:
    """Return True if a name means a solver in a file."""
    return name.rpartition(":")[0].endswith(".py")


def filed_solver(name: str) -> Solver:
    """Return the solver of a file, named FILE.py:NAME without its folder.

    Raises:
        InputError: If the file has no solver of this name.
    """
    file, _, own = name.rpartition(":")
    found = load_thing(file, own)
    if not isinstance(found, Solver):
        expected = "a Solver, as in `from ringyard.formulations.adapters.solver import Solver`"
        kind = "class" if isinstance(found, type) else type(found).__name__
        raise InputError.of(file, own, kind, expected, "correct it, or name another")
    spelled, options = f"{Path(file).absolute()}:{own}", found.options

    def part(place: str) -> Callable[..., Any]:
        return _Part(spelled, place)

    return replace(
        found,
        name=f"{Path(file).name}:{own}",
        run=part("run"),
        plain=found.plain and part("plain"),
        refuses=part("refuses"),
        lacks=part("lacks"),
        load=part("load"),
        options=options
        and replace(options, known=part("options.known"), takes=part("options.takes")),
    )


def solver_digest(name: str) -> str:
    """Return a digest of the code of a solver in a file, empty for another solver."""
    file, _, own = name.rpartition(":")
    return digest_of(Path(file).absolute(), own) if is_filed(name) else ""
