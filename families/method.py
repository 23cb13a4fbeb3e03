"""The records of methods and of algebraic programs."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, Self

from ..instances.errors import ABSENT, InputError, RefusedError
from ..instances.reading.vocabulary import find

if TYPE_CHECKING:
    from numpy.random import Generator

    from ..instances.outcome import Limits, Outcome

Form = Literal["nonlinear", "disjunctive", "linear"]


@dataclass(frozen=True, kw_only=True)
class Coded:
    """An object with a name, and a module that is imported at the first use."""

    name: str
    about: str
    source: str
    module: Any = ""
    """The module or its name, which is relative to this package if it begins with a dot. By default
    it has the object's name, in the family's folder of the room. Methods by programs share one. In
    a file with several methods, each is a `Scheduler`: ``module:NAME``."""
    family: str = ""
    """The problem family of its instances, which the family's record fills in."""

    def _room(self) -> str:
        return "formulations"

    def of(self, family: str) -> Self:
        """Return a copy with the family filled in."""
        usual = f".{self._room()}.{family}.{self._file()}"
        return replace(self, family=family, module=self.module or usual)

    def _file(self) -> str:
        return self.name.replace("-", "_")

    def _load(self) -> Any:
        return find(self.module) if isinstance(self.module, str) else self.module


@dataclass(frozen=True, kw_only=True)
class Method(Coded):
    """A method that solves instances of a family."""

    kind: str = "policy"
    guarantee: str = "none"
    random: bool = False
    formulation: str = ""
    """The program, for kind `program`. A transformation may follow a dash."""
    solver: str = ""
    """The solver of the program."""
    options: Any = None
    """The object with the options given after its name."""
    spelled: str = ""
    """Location of an external method for other processes. Empty for Ringyard's methods."""
    digest: str = ""
    """Digest of the source of an external method."""
    settings: tuple[tuple[str, str], ...] = ()
    """Options of the solver, by its own names."""
    starts: bool = False
    """True if it supports a start."""
    keeps: bool = False
    """True if it can plan around a started schedule."""

    def run(self, instance: Any, limits: "Limits", rng: "Generator", **begun: Any) -> "Outcome":
        """Call its `run(instance, request)`, with the given or default options."""
        request = find(".policies.request:Request")(
            limits=limits, rng=rng, options=self._chosen, **begun
        )
        found: Outcome = self._load().run(instance, request)
        return found

    @property
    def asked(self) -> str:
        """Its name for another process."""
        return self.spelled or self.name

    @property
    def usual(self) -> Any:
        """The default options of the method."""
        return find(".policies.request:usual")(self._load())

    @property
    def _chosen(self) -> Any:
        if self.formulation:
            return find(".policies.request:ProgramOptions")(
                self.formulation, self.solver, self.settings
            )
        return self.usual if self.options is None else self.options

    def refuses(self, instance: Any) -> str | None:
        """Return the reason why the method does not support `instance`, or None if it does."""
        if instance.kind != self.family:
            own = [] if self.spelled else find(".methods:families_of")(self.name)
            kinds = ", ".join(map(repr, own or [self.family]))
            return f"{self.name} solves {kinds} instances, not {instance.kind!r} ones"
        reason: str | None
        if self.formulation:
            reason = find(".formulations.named:no_solver")(self.formulation, self.solver)
            if reason:
                return reason
        check = getattr(self._load(), "refuses", None)
        if check is None and self.formulation:
            reason = find(".formulations.named:parts")(self.formulation)[0].refuses(instance)
            return reason
        reason = check(instance, self._chosen) if check else None
        return reason

    def _room(self) -> str:
        return "policies" if self.kind == "policy" else "search"

    def _file(self) -> str:
        return "programs" if self.formulation else super()._file()


def by_program(name: str, **about: Any) -> Method:
    """Return a method that solves a program, by default the program of its name with HiGHS.

    The programs of a family are in `programs.py` of its folder of `search/`.
    """
    return Method(name=name, kind="program", **{"formulation": name, "solver": "highs"} | about)


@dataclass(frozen=True, kw_only=True)
class Program(Coded):
    """An algebraic formulation of a family's instances."""

    form: Form = "linear"
    exact: bool = False
    """True if its optimum is the instance's, given a sufficient horizon."""


@dataclass(frozen=True, kw_only=True)
class ConstraintProgram(Coded):
    """A constraint model: can the jobs of an instance end by a slot?

    Its file has ``refuses(instance, horizon)``, ``question(instance, horizon)`` for the model, and
    ``read(instance, values)`` for the schedule in its variables, by name.
    """

    form: str = "constraint"
    exact: bool = False
    """True if the answer is the instance's."""

    def question(self, instance: Any, horizon: int | None) -> Any:
        """Return the model."""
        if instance.kind != self.family:
            reason = f"{self.name} states {self.family!r} instances, not {instance.kind!r} ones"
            raise RefusedError(f"{instance.name}: {reason}")
        if horizon is None:
            expected = "the slot by which all jobs are to end"
            raise InputError.of(self.name, "--horizon", ABSENT, expected, "give one, such as 20")
        reason = self._load().refuses(instance, horizon)
        if reason is not None:
            raise RefusedError(f"{instance.name}: {reason}")
        return self._load().question(instance, horizon)

    def read(self, instance: Any, values: Mapping[str, int]) -> Any:
        """Return the schedule in the values of the variables."""
        return self._load().read(instance, values)


@dataclass(frozen=True, kw_only=True)
class CorpusProgram:
    """A program of the corpus other than a formulation: for a bound, or for a policy in a slot.

    Its numbers follow from the instance by sums and products only. They are therefore the same
    everywhere, unless its columns depend on a solver's duals.
    """

    name: str
    build: str
    """The function that builds it from the instance and an optional number, as ``module:name``."""
    letter: str = ""
    """Prefix of this number in the name of a recipe. Empty without a number."""
    conic: bool = False
    """True if it is a `ConicProgram` rather than a `Matrix`."""

    def built(self, instance: Any, number: int | None) -> Any:
        """Return the program."""
        build = find(self.build)
        return build(instance, number or 0) if self.letter else build(instance)
