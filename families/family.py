"""The record of a problem family: what it is, and where all that it brings stands.

A field that is `Late` takes a thing, or its name as ``module:name``, which is imported when the
field is first read; a module that begins with a dot is one of this package.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import inf
from typing import TYPE_CHECKING, Any, Protocol

from ..instances.reading.vocabulary import Late, find
from .method import CorpusProgram, Method, Program

if TYPE_CHECKING:
    from ..instances.outcome import Bound, Limits


@dataclass(frozen=True, slots=True, kw_only=True)
class VerdictTexts:
    """Texts about the verdicts of a family, in addition to the objective."""

    parts: Callable[[Any], dict[str, Any]] = lambda _: {}
    """Keys of the JSON object."""
    beside: Callable[[Any], tuple[str, str] | None] = lambda _: None
    """What is worth knowing beside a solution: what it is, and how much."""
    rest: Callable[[Any], str] = lambda _: ""
    """What follows the objective in a sentence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Places:
    """How the servers of a family's instances are read and changed, and which a job fits into."""

    read: Callable[[Any], tuple[Any, ...]]
    put: Callable[[Any, tuple[Any, ...]], Any]
    fits: Callable[[Any, Any, tuple[Any, ...]], bool]
    """Of an instance, a job, and some of its servers."""


class SlowBounds(Protocol):
    """What comes of asking for bounds that take their time."""

    @property
    def best(self) -> "Bound":
        """The tightest."""
        ...

    @property
    def found(self) -> "Sequence[Bound]":
        """All that were found beyond the first."""
        ...

    @property
    def missing(self) -> Sequence[str]:
        """Why others could not be had."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """What an instance is drawn from, but for its seed."""

    family: str
    """A name of `ringyard list families`."""
    options: Mapping[str, Any] = field(default_factory=dict)
    times: int = 2
    """How many instances are drawn."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Suite:
    """Instances of one problem family, methods to be compared with, and limits of a run.

    What a suite is does not change: another one has another version, or another name.
    """

    name: str
    version: int
    kind: str = ""
    """The problem family; its record fills it in."""
    about: str
    recipes: tuple[Recipe, ...]
    baselines: tuple[str, ...]
    strong: bool = False
    """True if the bounds that take their time take little of it on these instances."""
    time_limit: float = 10.0
    memory_limit: float = 2000.0

    @property
    def drawn(self) -> list[Recipe]:
        """The recipe of each instance."""
        return [recipe for recipe in self.recipes for _ in range(recipe.times)]


def took(
    begins: str, *, ends: str = "ends", items: str = "jobs", unit: int = 1
) -> Callable[[Any, Any], list[float]]:
    """Return what gives the time from a field of each item to its end, which a verdict has."""

    def times(one: Any, verdict: Any) -> list[float]:
        ended = getattr(verdict, ends)
        return [
            (float(ended.get(item.name, inf)) - float(getattr(item, begins))) / unit
            for item in getattr(one, items)
        ]

    return times


Lines = Callable[[Any, int], object]
Extents = tuple[int, int | None, int]


def _nothing(*_: Any) -> Any:
    return None


def _said(value: Any) -> Any:
    return value if isinstance(value, int) else find(".instances.reading.encode:as_decimal")(value)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Family:
    """A problem family: facts, and where its entities, judge, bounds, methods and charts stand."""

    kind: str
    """What its files carry; those of its schedules carry it with ``-schedule`` behind."""
    about: str
    """What it is, in a line."""
    objective: str
    """What the objective is called."""
    in_full: str = ""
    """The same without abbreviations, if it has any."""
    unit: str = ""
    """What the objective is counted in, if in anything."""
    maximize: bool = False
    """True if its objective is to be large rather than small."""
    horizon: bool = False
    """True if its objective is when the last job ends, so that a horizon can be asked for."""
    item: str = "job"
    """What it is that completes."""

    instance: Late[type[Any]] = Late()
    schedule: Late[type[Any]] = Late()
    presets: Late[Mapping[str, tuple[str, Any]] | None] = Late(None)
    """Of its generator, by name: what they are, and a mix with its defaults."""
    extent: Late[Callable[[Any], Extents]] = Late(lambda one: (len(one.jobs), None, 0))
    """Numbers of jobs, of servers if it has any, and of GPUs of an instance."""
    rounding: Late[Callable[[Any], Fraction]] = Late(lambda _: Fraction(0))
    """How much worse than the best schedule one can be only because its file has decimals."""
    small: Late[Callable[[Any], bool]] = Late(_nothing)
    """Says whether asking every method about an instance costs next to nothing."""
    brief: str = ""
    """A method that proves, with options that let it end soon; it is asked before the default where
    no method is named, if it does not refuse."""
    places: Late[Places | None] = Late(None)
    """Its servers, where these may stand in regions."""

    judge: Late[Callable[[Any, Any], object]] = Late()
    """Checks a schedule against an instance, independently of all else; gives a verdict, of the
    family's own type: `ringyard.check` calls it."""
    rules: Late[Mapping[str, str]] = Late()
    """What each rule of the judge says, by name."""
    proofs: Late[Mapping[str, Callable[[Any, Any], Fraction]] | None] = Late(None)
    """Of certificates: what follows from an instance and a step, by the name of its rule."""
    theorems: Late[Sequence[Any]] = Late(())
    """About its methods, each a `Guarantee`, in the order in which they are listed."""
    premise: Late[Callable[[str, Any, int], str | None]] = Late(_nothing)
    """Says why what a theorem needs of a run, not of its instance, is not met: given the theorem's
    name, the instance and the seed."""
    roundings: Late[Callable[..., Iterable[Any]] | None] = Late(None)
    """Checks what is stated about random rounding, by instance and seed; gives a `RoundingRow` for
    each statement."""
    rounded: tuple[str, ...] = ()
    """Methods whose rounding that is."""
    claims: Mapping[str, str] = field(default_factory=dict)
    """Which fields of a schedule say what the judge found, by what it is called in the verdict;
    those with a dot are of every item in a field, by its job."""
    refusal: Late[Callable[[Any], str | None]] = Late(_nothing)
    """Says why no method at all can treat an instance."""

    bounds: Late[Callable[..., "list[Bound]"]] = Late()
    """Returns proved bounds that take little time, the best first; of an instance and limits."""
    slow_bounds: Late[Callable[[Any, "Limits", Fraction | None], SlowBounds] | None] = Late(None)
    """Asks for those that take their time; to prove more than a known value is no use."""
    all_bounds: Late[Callable[[Any, "Limits"], SlowBounds] | None] = Late(None)
    """Asks for those as well that are worth their time to a person only."""

    methods: tuple[Method, ...]
    default: str
    """The method used when none is named."""
    variants: tuple[str, ...] = ()
    """Methods with options that count as methods of their own where all are asked."""
    programs: tuple[Program, ...] = ()
    corpus: tuple[CorpusProgram, ...] = ()
    """Programs of the corpus that are none of these."""
    program_size: Late[Callable[[Any, Any], tuple[str, int, int] | None]] = Late(_nothing)
    """What programs hold jobs by, beside slots: a word and a number; and the number of slots."""
    endless: str = "time has no end here"
    """Why programs take no horizon; empty where they do."""

    shown: Late[Lines] = Late(_nothing)
    """Prints what an instance has, with up to the given number of jobs."""
    verdict_texts: Late[VerdictTexts] = Late(VerdictTexts())
    """Texts about a verdict, in addition to its objective."""
    chart: Late[object] = Late(None)
    """How a schedule is shown over time, if it can be: a `Chart`, which `chart_of` returns."""
    chartless: str = "there is no chart of its schedules"
    """Why it cannot; braces stand for the instance."""
    times: Late[Callable[[Any, Any], Iterable[float]]] = Late(lambda *_: ())
    """What each job took, by instance and verdict; infinity for those that never end."""
    metrics: Late[Callable[[Any, Any], Mapping[str, Any]]] = Late(lambda *_: {})
    """Columns of a row beside the objective, by instance and verdict."""

    extension: Late[Any] = Late(None)
    """The module that understands functions and policies of users."""

    examples: tuple[str, ...] = ()
    """Instances that `verify` takes where none are named."""
    searches: tuple[str, ...] = ()
    """Methods that join the schedulers there."""
    decides: str = ""
    """The search that decides what bounds leave open there, if there is one."""
    tries: str = ""
    """The rule by which the checker of certificates searches by itself, if there is one."""
    exact: str = ""
    """The method that proves optima where jobs are bound to regions."""
    drawn: Late[Callable[[int, int], Any] | None] = Late(None)
    """Draws instance number so and so of a seed."""
    nasty: Late[Callable[[int, int], Any] | None] = Late(None)
    """Draws one with nasty numbers; where there is none, numbers of the others are replaced."""
    suites: tuple[Suite, ...] = ()
    """Instances and baselines of `evaluate`."""

    def __post_init__(self) -> None:
        """Let methods, programs and suites know whose they are."""
        for name in ("methods", "programs"):
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
        """The unit of the objective if that is one of time by the clock."""
        return self.unit if self.unit in ("s", "h") else ""

    def valued(self, shown: str) -> str:
        """Put the unit behind a value of the objective: 1 slot, 2 slots, 1.5 s."""
        unit = self.unit if shown != "1" or len(self.unit) == 1 else self.unit.removesuffix("s")
        return f"{shown} {unit}" if unit else shown

    def claimed(self, schedule: Any, verdict: Any) -> Any:
        """Write the judge's findings into a schedule, where decimals can say them."""
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
        """Ask for the bounds that take their time."""
        if self.slow_bounds is not None:
            return self.slow_bounds(instance, limits, best)
        found: SlowBounds = find(".search.asked_bounds:AskedBounds")(
            self.bounds(instance, limits)[0]
        )
        return found

    def beyond(self, instance: Any, limits: "Limits") -> SlowBounds:
        """Ask for all bounds that take their time."""
        if self.all_bounds is not None:
            return self.all_bounds(instance, limits)
        return self.asked(instance, limits, None)

    def strong(self, instance: Any, limits: "Limits", best: Fraction | None) -> "Bound":
        """Return the best proved bound that the time allows."""
        return self.asked(instance, limits, best).best

    def better(self, value: Fraction | float, other: Fraction | float) -> bool:
        """Return True if one value of the objective, or of a bound on it, beats another."""
        return value > other if self.maximize else value < other

    def tighter(self, bound: float | None, first: float) -> float:
        """Return the tighter of two bounds, of which one may be missing."""
        if bound is None:
            return first
        return min(bound, first) if self.maximize else max(bound, first)

    def gap(self, objective: Fraction, bound: Fraction) -> Fraction:
        """Return how far the objective may be from the best, as a part of the larger of both."""
        found: Fraction = find(".instances.outcome:relative_gap")(objective, bound)
        return found
