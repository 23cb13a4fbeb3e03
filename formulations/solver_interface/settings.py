"""Options that stand behind a solver's name, as in ``highs:threads=2``: read, and tried at once."""

from collections.abc import Iterator, Sequence

from ...instances.errors import Problem, raise_any, unknown
from ..adapters.solver import Solver
from ..program import Settings
from .solve import find_solver


def read_settings(solver: Solver, words: Sequence[str]) -> Settings:
    """Return options by name, in order; raise `InputError` for what the solver does not take.

    A solver that is not installed is not asked.
    """
    where = f"options of {solver.name}"
    pairs = [word.partition("=") for word in words if "=" in word]
    given = tuple(sorted((name.strip(), value.strip()) for name, _, value in pairs))
    raise_any(where, _faults(solver, words, given))
    return given


def _faults(solver: Solver, words: Sequence[str], given: Settings) -> Iterator[Problem]:
    if solver.options is None:
        advice = "leave them out, or take another solver"
        yield Problem("options", ":".join(words), f"none: {solver.name} is handed none", advice)
        return
    for word in words:
        if "=" not in word:
            yield Problem("option", word, "name=value", "as in threads=2")
    names = [name for name, _ in given]
    for name in dict.fromkeys(name for name in names if names.count(name) > 1):
        yield Problem(name, "twice", "each option once", "leave one out")
    known = None if solver.missing else solver.options.known()
    for name, value in given:
        if name in solver.options.ours:
            expected = f"no option that we set for {solver.name}"
            yield Problem(name, value, expected, solver.options.ours[name])
        elif known is not None and name not in known:
            expected = f"a name of an option of {solver.name}"
            yield unknown("option", name, known, f"see the manual of {solver.name}", expected)
        elif known is not None and not solver.options.takes(name, value):
            advice = f"see the manual of {solver.name}"
            yield Problem(name, value, f"a value that {solver.name} takes there", advice)


def named_solver(text: str) -> tuple[Solver, Settings]:
    """Return a solver and its options, as in ``highs:presolve=off``."""
    name, *words = text.split(":")
    solver = find_solver(name)
    return solver, read_settings(solver, words) if words else ()
