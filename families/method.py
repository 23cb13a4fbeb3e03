"""The record of a method, and of a program in algebra."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, Self

from ..instances.reading.vocabulary import find

if TYPE_CHECKING:
    from numpy.random import Generator

    from ..instances.outcome import Limits, Outcome

Form = Literal["nonlinear", "disjunctive", "linear"]


@dataclass(frozen=True, kw_only=True)
class Coded:
    """What has a name, and a module that is imported when it is used."""

    name: str
    about: str
    source: str
    module: Any = ""
    """The module, or its name; one that begins with a dot is of this package. Where none is given,
    it is called like this, in the family's folder of the room; methods by programs share one. A
    file with several methods has a `Scheduler` for each: ``module:NAME``."""
    family: str = ""
    """The problem family whose instances it treats; its record fills it in."""

    def _room(self) -> str:
        return "formulations"

    def of(self, family: str) -> Self:
        """Return the same with what the family fills in."""
        usual = f".{self._room()}.{family}.{self._file()}"
        return replace(self, family=family, module=self.module or usual)

    def _file(self) -> str:
        return self.name.replace("-", "_")

    def _load(self) -> Any:
        return find(self.module) if isinstance(self.module, str) else self.module


@dataclass(frozen=True, kw_only=True)
class Method(Coded):
    """One way to answer instances of a family."""

    kind: str = "policy"
    guarantee: str = "none"
    random: bool = False
    formulation: str = ""
    """The program, of kind `program`; a transformation may stand behind a dash."""
    solver: str = ""
    """The solver of the program."""
    options: Any = None
    """The entity with its options, where these were given behind the name."""
    spelled: str = ""
    """How another process finds one that is not of this package; else by its name."""
    digest: str = ""
    """Of the source of one that is not of this package."""
    settings: tuple[tuple[str, str], ...] = ()
    """Those of the solver, by its own names."""
    starts: bool = False
    """True if it can begin with a schedule."""
    keeps: bool = False
    """True if it can plan around what a schedule has begun."""

    def run(self, instance: Any, limits: "Limits", rng: "Generator", **begun: Any) -> "Outcome":
        """Call its `run(instance, request)`, with the given options or the usual."""
        request = find(".policies.request:Request")(
            limits=limits, rng=rng, options=self._chosen, **begun
        )
        found: Outcome = self._load().run(instance, request)
        return found

    @property
    def asked(self) -> str:
        """How it is named to another process."""
        return self.spelled or self.name

    @property
    def usual(self) -> Any:
        """The options that the method has where none are given."""
        return find(".policies.request:usual")(self._load())

    @property
    def _chosen(self) -> Any:
        if self.formulation:
            return find(".policies.request:ProgramOptions")(
                self.formulation, self.solver, self.settings
            )
        return self.usual if self.options is None else self.options

    def refuses(self, instance: Any) -> str | None:
        """Explain why the method cannot treat `instance`, or None if it can."""
        if instance.kind != self.family:
            return f"{self.name} treats {self.family!r} instances, not {instance.kind!r} ones"
        reason: str | None
        if self.formulation:
            reason = find(".formulations.named:no_solver")(self.formulation, self.solver)
            if reason:
                return reason
        check = getattr(self._load(), "refuses", None)
        if check is None and self.formulation:
            program = find(".formulations.catalogue:find_formulation")(self.formulation)
            reason = program.refuses(instance)
            return reason
        reason = check(instance, self._chosen) if check else None
        return reason

    def _room(self) -> str:
        return "policies" if self.kind == "policy" else "search"

    def _file(self) -> str:
        return "programs" if self.formulation else super()._file()


def by_program(name: str, **about: Any) -> Method:
    """Return a method that solves a program: the one of its name by HiGHS, unless others are given.

    Those of a family stand together in `programs.py` of its folder of `search/`.
    """
    return Method(name=name, kind="program", **{"formulation": name, "solver": "highs"} | about)


@dataclass(frozen=True, kw_only=True)
class Program(Coded):
    """One way to state instances of a family in algebra."""

    form: Form = "linear"
    exact: bool = False
    """True if its optimum is that of the instance, given a horizon that is long enough."""


@dataclass(frozen=True, kw_only=True)
class CorpusProgram:
    """A program of the corpus that is no formulation: what a bound solves, or a policy in a slot.

    Its numbers come from the instance by sums and products only, so that they are the same
    everywhere, unless its columns depend on the duals that a solver gives.
    """

    name: str
    build: str
    """The function that builds it, as ``module:name``, of the instance and perhaps a number."""
    letter: str = ""
    """What stands before that number in the name of a recipe; empty if there is none."""
    conic: bool = False
    """True if it is a `ConicProgram` rather than a `Matrix`."""

    def built(self, instance: Any, number: int | None) -> Any:
        """Return the program."""
        build = find(self.build)
        return build(instance, number or 0) if self.letter else build(instance)
