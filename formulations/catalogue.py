"""The table of contents: every program by name, with code that is imported on use."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from ..extensions.entry_points import Brought, named
from ..families import FAMILIES, ConstraintProgram, Program, family_of
from ..instances import RefusedError
from ..instances.errors import InputError, Words, unknown
from .program import Matrix

GROUP = "ringyard.formulations"
"""Entry points of this group are programs of other packages: a `Program` each."""

MOST_PLACES = 3_000_000
"""Triples of job, server or machine, and slot. Models of more would not fit into memory."""


class Formulation(Program):
    """A mathematical program that states instances of a family."""

    @property
    def mathematics(self) -> str:
        """The docstring of its file: data, variables, objective and constraints by name."""
        text: str = self._load().__doc__
        return text

    def build(self, instance: Any, horizon: Any = None) -> Any:
        """Return the Pyomo model of an instance, whose jobs must end by `horizon`.

        An instance with a fixed horizon accepts no other.

        Raises:
            RefusedError: If the program cannot state the instance, or would be too large.
        """
        self.check(instance, horizon)
        given = () if horizon is None else (horizon,)
        return self._load().build(instance, *given)

    def check(self, instance: Any, horizon: Any = None) -> None:
        """Raise an error if the program cannot be built."""
        if horizon is not None and not (isinstance(horizon, int | Fraction) and horizon > 0):
            expected, advice = "a number of slots above 0", "give a later slot"
            raise InputError.of(self.name, "horizon", horizon, expected, advice)
        if instance.kind == self.family:
            _check_size(instance, horizon)
        reason = self.refuses(instance)
        if reason is not None:
            raise RefusedError(f"{instance.name}: {reason}")

    @property
    def write(self) -> Callable[[Any, Any], None]:
        """The function ``write(model, schedule)`` that puts a schedule into the variables."""
        found: Callable[[Any, Any], None] = self._load().write
        return found

    @property
    def read(self) -> Callable[[Any], Any]:
        """The function ``read(model)`` that extracts a schedule from the variables."""
        found: Callable[[Any], Any] = self._load().read
        return found

    @property
    def twin(self) -> Callable[..., Matrix] | None:
        """The function ``twin(instance, horizon=None)`` that gives arrays at once, or None."""
        found: Callable[..., Matrix] | None = getattr(self._load(), "twin", None)
        return found

    def refuses(self, instance: Any) -> str | None:
        """Return why the program cannot state `instance`, or None if it can."""
        if instance.kind != self.family:
            return f"{self.name} states {self.family!r} instances, not {instance.kind!r} ones"
        reason: str | None = self._load().refuses(instance)
        return reason


def _check_size(instance: Any, horizon: Any) -> None:
    """Raise an error if programs would be too large, or if there is a second horizon."""
    family = family_of(instance)
    if family.endless and horizon is not None:
        raise InputError.of(
            instance.name, "horizon", horizon, f"none: {family.endless}", "leave it out"
        )
    size = family.program_size(instance, horizon)
    if size is None:
        return
    held, holders, slots = size
    places = len(instance.jobs) * holders * slots
    if places > MOST_PLACES:
        raise RefusedError(
            f"{len(instance.jobs)} jobs, {holders} {held} and {slots} slots are "
            f"{places:,} places, more than {MOST_PLACES:,}, "
            "so give a shorter horizon or split the instance"
        )


def all_formulations() -> tuple[Formulation, ...]:
    """Return the programs of all families."""
    return tuple(
        Formulation(**vars(program)) for family in FAMILIES.values() for program in family.programs
    )


def extension_formulation(one: Brought) -> Formulation:
    """Return a program of another package, called as its entry point is."""
    found: Program = one.load(Program)
    FAMILIES[found.family]  # A family that there is not is an error.
    module = one.guard(one.guard(found._load)())
    given = {"name": one.name, "source": f"{one.source}, {found.source}", "module": module}
    return Formulation(**{**vars(found), **given})


def constraint_models() -> dict[str, ConstraintProgram]:
    """Return the constraint models of all families, by name."""
    return {one.name: one for family in FAMILIES.values() for one in family.constraint_models}


def find_formulation(name: str) -> Formulation:
    """Return a formulation by name."""
    known = {formulation.name: formulation for formulation in all_formulations()}
    if name not in known and name in named(GROUP):
        return extension_formulation(named(GROUP)[name])
    if name in constraint_models():
        found = Words("a constraint model")
        advice = f"`ringyard export --formulation {name} --format mzn` and `import sol` take it"
        raise InputError.of("--formulation", name, found, "a program with rows", advice)
    if name not in known:
        hint = "see `ringyard list formulations`"
        raise InputError("--formulation", [unknown("formulation", name, known, hint)])
    return known[name]
