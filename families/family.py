"""The record of a problem family: its description, and the location of its parts.

A `Late` field accepts an object, or its name as ``module:name``, which is imported at the first
access. A module name that begins with a dot is relative to this package.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from fractions import Fraction
from math import inf
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from ..instances.reading.vocabulary import Late, find
from .method import ConstraintProgram, CorpusProgram, Method, Program

if TYPE_CHECKING:
    from ..instances.outcome import Bound, Limits


@dataclass(frozen=True, slots=True, kw_only=True)
class VerdictTexts:
    """Texts about the verdicts of a family, in addition to the objective."""

    parts: Callable[[Any], dict[str, Any]] = lambda _: {}
    """Keys of the JSON object."""
    beside: Callable[[Any], tuple[str, str] | None] = lambda _: None
    """Additional facts about a solution: a name and a value."""
    rest: Callable[[Any], str] = lambda _: ""
    """The end of the sentence on the objective."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Places:
    """Access to the servers of a family's instances, and the test if a job fits."""

    read: Callable[[Any], tuple[Any, ...]]
    put: Callable[[Any, tuple[Any, ...]], Any]
    fits: Callable[[Any, Any, tuple[Any, ...]], bool]
    """True if a job of an instance fits into some of its servers."""


class RunRow(NamedTuple):
    """A period in which a job holds GPUs of servers."""

    job: str
    start_s: Fraction
    end_s: Fraction | None
    gpus: tuple[tuple[str, int], ...]
    """GPUs on each server, or workers if they have half a GPU each."""
    half: bool = False
    """True if its workers have half a GPU each."""
    begun: bool = False
    """True if its job holds GPUs at time 0."""
    going: bool = False
    """True if this run goes on there."""


class Runs(NamedTuple):
    """Schedules of a family as runs on servers, in seconds, and back."""

    rows: Callable[[Any, Any, Mapping[str, Fraction]], Iterable[RunRow]]
    """The runs of a schedule, from the instance, the schedule, and the ends of its verdict."""
    schedule: Callable[[Any, Sequence[RunRow]], Any]
    """The schedule of an instance with these runs, which claims their ends."""
    grid_s: Callable[[Any], Decimal | None]
    """All times are multiples of this, or None if they may be any decimals."""
    unit_s: Callable[[Any], Decimal] = lambda _: Decimal(1)
    """The unit of times in schedule files, in seconds."""


class SlowBounds(Protocol):
    """Result of the slow bounds."""

    @property
    def best(self) -> "Bound":
        """The tightest bound."""
        ...

    @property
    def found(self) -> "Sequence[Bound]":
        """All bounds other than the first."""
        ...

    @property
    def missing(self) -> Sequence[str]:
        """Reasons why other bounds are missing."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """The parameters of a random instance, except its seed."""

    family: str
    """A name of `ringyard list families`."""
    options: Mapping[str, Any] = field(default_factory=dict)
    times: int = 2
    """Number of instances."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Suite:
    """Instances of one problem family, baseline methods, and limits of a run.

    A suite never changes. A new suite has another version or another name.
    """

    name: str
    version: int
    kind: str = ""
    """The problem family, which its record fills in."""
    about: str
    recipes: tuple[Recipe, ...]
    baselines: tuple[str, ...]
    strong: bool = False
    """True if the slow bounds are quick on these instances."""
    time_limit: float = 10.0
    memory_limit: float = 2000.0

    @property
    def drawn(self) -> list[Recipe]:
        """The recipe of each instance."""
        return [recipe for recipe in self.recipes for _ in range(recipe.times)]


class Portrait(NamedTuple):
    """A small picture of an instance with a dot for each of its `items`, a field of it.

    `across` and `up` name the numbers that `point` returns for an instance and an item.
    """

    items: str
    across: str
    up: str
    point: Callable[[Any, Any], tuple[Any, Any]]


def took(
    begins: str, *, ends: str = "ends", items: str = "jobs", unit: int = 1
) -> Callable[[Any, Any], list[float]]:
    """Return a function that computes each item's flow time from a verdict."""

    def times(one: Any, verdict: Any) -> list[float]:
        ended = getattr(verdict, ends)
        return [
            (float(ended.get(item.name, inf)) - float(getattr(item, begins))) / unit
            for item in getattr(one, items)
        ]

    return times


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class BoundedMetric:
    """A metric of schedules with lower bounds of its own."""

    unit: str
    bounds: Late[Callable[..., "list[Bound]"]] = Late()
    """Quick proved bounds for an instance, the best first."""
    proofs: Late[Mapping[str, Callable[[Any, Any], Fraction]]] = Late()
    """Rules of its certificates by name."""
    value: Late[Callable[[Any, Any], Fraction]] = Late()
    """Its exact value, from instance and verdict."""


Lines = Callable[[Any, int], object]
Extents = tuple[int, int | None, int]


def _nothing(*_: Any) -> Any:
    return None


def _said(value: Any) -> Any:
    return value if isinstance(value, int) else find(".instances.reading.encode:as_decimal")(value)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Family:
    """A problem family: facts, and where its entities, judge, bounds, methods and charts are."""

    kind: str
    """Kind in its files. The kind of schedules ends in ``-schedule``."""
    about: str
    """Description in one line."""
    objective: str
    """Name of the objective."""
    in_full: str = ""
    """Name of the objective without abbreviations, if it has any."""
    unit: str = ""
    """Unit of the objective, if any."""
    maximize: bool = False
    """True if the objective is maximized."""
    horizon: bool = False
    """True if the objective is the end of the last job, so that a horizon can be set."""
    item: str = "job"
    """Name of the items that complete."""

    instance: Late[type[Any]] = Late()
    schedule: Late[type[Any]] = Late()
    presets: Late[Mapping[str, tuple[str, Any]] | None] = Late(None)
    """Presets of its generator by name: their meaning, and a mix with its defaults."""
    extent: Late[Callable[[Any], Extents]] = Late(lambda one: (len(one.jobs), None, 0))
    """Numbers of jobs, of servers (if any), and of GPUs of an instance."""
    rounding: Late[Callable[[Any], Fraction]] = Late(lambda _: Fraction(0))
    """Loss of a schedule against the optimum that decimals in its file can cause."""
    small: Late[Callable[[Any], bool]] = Late(_nothing)
    """True if running every method on an instance takes almost no time."""
    brief: str = ""
    """A proving method with options that let it end soon. By default it runs before the default
    method, if it supports the instance."""
    places: Late[Places | None] = Late(None)
    """The servers, if they may belong to regions."""

    runs: Runs | None = None
    """Its schedules as runs on servers, if they consist of such."""

    judge: Late[Callable[[Any, Any], object]] = Late()
    """Independent check of a schedule against an instance, which `ringyard.check` calls. It returns
    a
    verdict of the family's own type."""
    rules: Late[Mapping[str, str]] = Late()
    """Description of each rule of the judge, by name."""
    proofs: Late[Mapping[str, Callable[[Any, Any], Fraction]] | None] = Late(None)
    """Rules of certificates by name: the conclusion from an instance and a step."""
    theorems: Late[Sequence[Any]] = Late(())
    """Theorems on its methods, each a `Guarantee`, in the order of lists."""
    premise: Late[Callable[[str, Any, int], str | None]] = Late(_nothing)
    """Reason why a run violates a theorem's premise on runs (not on instances), from the theorem's
    name, the instance and the seed."""
    roundings: Late[Callable[..., Iterable[Any]] | None] = Late(None)
    """Test of the statements on random rounding, by instance and seed. It returns a `RoundingRow`
    for
    each statement."""
    rounded: tuple[str, ...] = ()
    """Methods that use this rounding."""
    claims: Mapping[str, str] = field(default_factory=dict)
    """Schedule fields that claim a judge's finding, by its name in the verdict. A field with a dot
    belongs to every item of a list, by its job."""
    refusal: Late[Callable[[Any], str | None]] = Late(_nothing)
    """Reason why no method supports an instance."""

    bounds: Late[Callable[..., "list[Bound]"]] = Late()
    """Quick proved bounds for an instance and limits, the best first."""
    slow_bounds: Late[Callable[[Any, "Limits", Fraction | None], SlowBounds] | None] = Late(None)
    """Slow bounds, which stop once they reach a known value."""
    all_bounds: Late[Callable[[Any, "Limits"], SlowBounds] | None] = Late(None)
    """Slow bounds, including ones that are only worth their time for a user."""
    bounded: Mapping[str, BoundedMetric] = field(default_factory=dict)
    """Metrics with bounds of their own, by column."""

    methods: tuple[Method, ...]
    default: str
    """The default method."""
    variants: tuple[str, ...] = ()
    """Methods with options that are separate methods when all are run."""
    programs: tuple[Program, ...] = ()
    program_sign: int = 0
    """Exact programs minimise the objective (1), its negative (-1), or something else (0)."""
    constraint_models: tuple[ConstraintProgram, ...] = ()
    corpus: tuple[CorpusProgram, ...] = ()
    """Other programs of the corpus."""
    program_size: Late[Callable[[Any, Any], tuple[str, int, int] | None]] = Late(_nothing)
    """Index of jobs in programs in addition to slots (a word and a number), and the number of
    slots."""
    endless: str = "time has no end here"
    """Reason why programs accept no horizon. Empty if they accept one."""

    shown: Late[Lines] = Late(_nothing)
    """Prints an instance, with at most the given number of jobs."""
    portrait: Portrait | None = None
    """The picture of an instance in a notebook, if it has items to draw."""
    detailed: Late[Callable[[Any, Any], None]] = Late(_nothing)
    """Prints more on a valid schedule, from instance and verdict."""
    verdict_texts: Late[VerdictTexts] = Late(VerdictTexts())
    """Texts about a verdict, in addition to its objective."""
    chart: Late[object] = Late(None)
    """Schedule over time as a `Chart`, if supported. `chart_of` returns it."""
    chartless: str = "there is no chart of its schedules"
    """Reason for the lack of a chart. Braces stand for the instance."""
    times: Late[Callable[[Any, Any], Iterable[float]]] = Late(lambda *_: ())
    """Flow time of each job, from instance and verdict. Infinity for jobs that never end."""
    metrics: Late[Callable[[Any, Any], Mapping[str, Any]]] = Late(lambda *_: {})
    """Columns of a row in addition to the objective, from instance and verdict."""

    replanner: Late[Any] = Late(None)
    """The module that repairs its plans, with the functions of `Replanner` in `running/replan/`."""
    extension: Late[Any] = Late(None)
    """The module that supports user-defined functions and policies."""

    examples: tuple[str, ...] = ()
    """Default instances of `verify`."""
    searches: tuple[str, ...] = ()
    """Methods that `verify` adds to the schedulers."""
    decides: str = ""
    """The search with which `verify` closes the gap of the bounds, if any."""
    tries: str = ""
    """The certificate rule whose check is a search, if any."""
    exact: str = ""
    """The method that proves optima if jobs are bound to regions."""
    drawn: Late[Callable[[int, int], Any] | None] = Late(None)
    """Draws the instance with a number and a seed."""
    nasty: Late[Callable[[int, int], Any] | None] = Late(None)
    """Draws an instance with extreme numbers. By default, other instances get some."""
    suites: tuple[Suite, ...] = ()
    """Instances and baselines of `evaluate`."""

    def __post_init__(self) -> None:
        """Set the family of methods, programs and suites."""
        for name in ("methods", "programs", "constraint_models"):
            own = tuple(one.of(self.kind) for one in getattr(self, name))
            object.__setattr__(self, name, own)
        suites = tuple(replace(one, kind=self.kind) for one in self.suites)
        object.__setattr__(self, "suites", suites)

    @property
    def sense(self) -> str:
        """`max` or `min`."""
        return "max" if self.maximize else "min"

    @property
    def clock(self) -> str:
        """The unit of the objective if it is a unit of clock time."""
        return self.unit if self.unit in ("s", "h") else ""

    def valued(self, shown: str) -> str:
        """Append the unit to a value of the objective: 1 slot, 2 slots, 1.5 s."""
        unit = self.unit if shown != "1" or len(self.unit) == 1 else self.unit.removesuffix("s")
        return f"{shown} {unit}" if unit else shown

    def claimed(self, schedule: Any, verdict: Any) -> Any:
        """Write the judge's findings into a schedule, if they are decimals."""
        made: dict[str, Any] = {}
        for place, name in self.claims.items():
            whole, _, part = place.partition(".")
            found = getattr(verdict, name)
            if part:
                items = made.get(whole, getattr(schedule, whole))
                made[whole] = tuple(replace(i, **{part: _said(found.get(i.job))}) for i in items)
            else:
                made[whole] = _said(found)
        return replace(schedule, **made)

    def asked(self, instance: Any, limits: "Limits", best: Fraction | None) -> SlowBounds:
        """Compute the slow bounds."""
        if self.slow_bounds is not None:
            return self.slow_bounds(instance, limits, best)
        found: SlowBounds = find(".search.asked_bounds:AskedBounds")(
            self.bounds(instance, limits)[0]
        )
        return found

    def beyond(self, instance: Any, limits: "Limits") -> SlowBounds:
        """Compute all slow bounds."""
        if self.all_bounds is not None:
            return self.all_bounds(instance, limits)
        return self.asked(instance, limits, None)

    def strong(self, instance: Any, limits: "Limits", best: Fraction | None) -> "Bound":
        """Return the best proved bound within the time limit."""
        return self.asked(instance, limits, best).best

    def better(self, value: Fraction | float, other: Fraction | float) -> bool:
        """Return True if one value of the objective, or of a bound on it, beats another."""
        return value > other if self.maximize else value < other

    def tighter(self, bound: float | None, first: float) -> float:
        """Return the tighter of two bounds. One may be missing."""
        if bound is None:
            return first
        return min(bound, first) if self.maximize else max(bound, first)

    def gap(self, objective: Fraction, bound: Fraction) -> Fraction:
        """Return the relative gap between objective and bound."""
        found: Fraction = find(".instances.outcome:relative_gap")(objective, bound)
        return found
