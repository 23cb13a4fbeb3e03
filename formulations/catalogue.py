"""The table of contents: every program by name, with code that is imported on use."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from ..extensions.entry_points import Brought, brought_as, named, shown_type
from ..families import FAMILIES, ConstraintProgram, Program, extension_program, family_of
from ..instances import RefusedError
from ..instances.errors import InputError, MethodError, Words, unknown
from .program import Matrix

GROUP = "ringyard.formulations"
"""Entry points of this group are programs of other packages: a `Program` each."""

FUNCTIONS = ("refuses", "build", "write", "read")
"""The functions in a program's module."""

MOST_PLACES = 3_000_000
"""Triples of job, server or machine, and slot. Pyomo models of more would not fit into memory."""

MOST_IN_ARRAYS = 10 * MOST_PLACES
"""Such triples of programs that are built from arrays, without a model."""


class Formulation(Program):
    """A mathematical program that states instances of a family."""

    @property
    def ours(self) -> bool:
        """True if it is Ringyard's."""
        return self.name in {one.name for one in FAMILIES[self.family].programs}

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
        _check_size(instance, horizon, MOST_PLACES)
        given = () if horizon is None else (horizon,)
        build = self._function("build")
        return build(instance, *given) if self.ours else self._checked(build, instance, *given)

    def _checked(self, build: Callable[..., Any], *given: Any) -> Any:
        """Return the model of a user's function, which needs one objective of its family's sense.

        An exception is an error even if the run has a schedule already.
        """
        import pyomo.environ as pyo

        wanted = "a ConcreteModel of Pyomo"
        try:
            model = build(*given)
        except MethodError as error:
            found = Words("; ".join(map(str.strip, str(error).splitlines())))
            raise InputError.of(self.name, "build", found, wanted, "correct it") from error
        if not isinstance(model, pyo.ConcreteModel):
            found = Words(shown_type(model))
            raise InputError.of(self.name, "build", found, wanted, "return it")
        objectives = list(model.component_data_objects(pyo.Objective, active=True))
        if len(objectives) != 1:
            names = ", ".join(one.name for one in objectives)
            found = Words(f"{len(objectives)} objectives{names and ': '}{names}")
            advice = "deactivate the others" if objectives else "add it"
            raise InputError.of(self.name, "build", found, "one active objective", advice)
        sense, right = objectives[0].sense.name[:3], FAMILIES[self.family].sense
        if sense != right:
            found = Words(f"a {sense}imised objective {objectives[0].name}")
            expected = f"a {right}imised one, as of {self.family!r} instances"
            raise InputError.of(self.name, "build", found, expected, "change its sense")
        return model

    def _function(self, name: str) -> Callable[..., Any]:
        found: Callable[..., Any] | None = getattr(self._load(), name, None)
        if found is None:
            expected = f"the functions {', '.join(FUNCTIONS)} in its module"
            raise InputError.of(self.name, "module", Words(f"no {name}"), expected, "write it")
        return found

    def check(self, instance: Any, horizon: Any = None) -> None:
        """Raise an error if the program cannot be built from arrays."""
        if horizon is not None and not (isinstance(horizon, int | Fraction) and horizon > 0):
            expected, advice = "a number of slots above 0", "give a later slot"
            raise InputError.of(self.name, "horizon", horizon, expected, advice)
        if instance.kind == self.family:
            _check_size(instance, horizon, MOST_IN_ARRAYS)
        for name in () if self.ours else FUNCTIONS:
            self._function(name)
        reason = self.refuses(instance)
        if reason is not None:
            raise RefusedError(f"{instance.name}: {reason}")

    @property
    def write(self) -> Callable[[Any, Any], None]:
        """The function ``write(model, schedule)`` that puts a schedule into the variables."""
        return self._function("write")

    @property
    def read(self) -> Callable[[Any], Any]:
        """The function ``read(model)`` that extracts a schedule from the variables."""
        return self._function("read")

    @property
    def twin(self) -> Callable[..., Matrix] | None:
        """The function ``twin(instance, horizon=None)`` that gives arrays at once, or None."""
        found: Callable[..., Matrix] | None = getattr(self._load(), "twin", None)
        return found

    def refuses(self, instance: Any) -> str | None:
        """Return why the program cannot state `instance`, or None if it can."""
        if instance.kind != self.family:
            return f"{self.name} states {self.family!r} instances, not {instance.kind!r} ones"
        reason: str | None = self._function("refuses")(instance)
        return reason


def _check_size(instance: Any, horizon: Any, most: int) -> None:
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
    if places > most:
        raise RefusedError(
            f"{len(instance.jobs)} jobs, {holders} {held} and {slots} slots are "
            f"{places:,} places, more than {most:,}, "
            "so give a shorter horizon or split the instance"
        )


def all_formulations() -> tuple[Formulation, ...]:
    """Return the programs of all families."""
    return tuple(
        Formulation(**vars(program)) for family in FAMILIES.values() for program in family.programs
    )


def extension_formulation(one: Brought) -> Formulation:
    """Return a program of another package or of a file, called as it is named there."""
    found = extension_program(one)
    module = one.guard(one.guard(found._load)())
    given = {"source": f"{one.source}, {found.source}", "module": module}
    return Formulation(**{**vars(found), **given})


def constraint_models() -> dict[str, ConstraintProgram]:
    """Return the constraint models of all families, by name."""
    return {one.name: one for family in FAMILIES.values() for one in family.constraint_models}


def find_formulation(name: str) -> Formulation:
    """Return a formulation by name, or by ``FILE.py:NAME``."""
    known = {formulation.name: formulation for formulation in all_formulations()}
    if name in known:
        return known[name]
    if found := brought_as(GROUP, name):
        return extension_formulation(found)
    if name in constraint_models():
        model = Words("a constraint model")
        advice = f"`ringyard export --formulation {name} --format mzn` and `import sol` take it"
        raise InputError.of("--formulation", name, model, "a program with rows", advice)
    names, hint = [*known, *named(GROUP)], "see `ringyard list formulations`"
    raise InputError("--formulation", [unknown("formulation", name, names, hint)])
