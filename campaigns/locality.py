"""The price of locality: the loss because jobs may run in some regions only."""

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import permutations
from typing import Any

from ..analysis.check.judge import check
from ..analysis.tables.model import Column, Table, columns_of, numbers, value_decimals
from ..families.family import Family
from ..families.registry import family_of
from ..instances import Incumbent, Instance, Limits, RefusedError, TerminationReason, digest
from ..instances.reading.encode import as_number
from ..interrupts import raising
from ..run import Answer, solve


@dataclass(frozen=True, slots=True, kw_only=True)
class OptimumSearch:
    """Settings of the search for optimal values."""

    method: str | None = None
    """If None, the family's exact method, and its default if that proves no optimum."""
    time_limit: float = 60.0
    seed: int = 0
    watch: Callable[[str, Incumbent], None] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class BestKnown:
    """The best schedule known of an instance, and the best bound on any."""

    instance: Any
    """An instance whose servers may be in regions."""
    value: Fraction | None
    bound: Fraction
    method: str
    schedule: Any
    valid: bool
    """True if the judge accepts every schedule."""

    @property
    def proved(self) -> bool:
        """Return True if the value is optimal."""
        return self.value == self.bound


@dataclass(frozen=True, slots=True, kw_only=True)
class RegionPrice:
    """An instance whose jobs are bound to regions, and the same with all jobs free."""

    bound: BestKnown
    free: BestKnown

    @property
    def price(self) -> tuple[Fraction | None, Fraction | None]:
        """Limits on the ratio of the unconstrained optimum to the optimum, None if infinite.

        They are equal if both optima are proved.
        """
        bound, free = self.bound, self.free
        if family_of(free.instance).maximize:
            low = _ratio(free.value or Fraction(0), bound.bound)
            high = _ratio(free.bound, bound.value or Fraction(0))
        else:
            low = Fraction(1) if free.value is None else _ratio(bound.bound, free.value)
            high = None if bound.value is None else _ratio(bound.value, free.bound)
        return None if low is None else max(Fraction(1), low), high


def _ratio(above: Fraction, below: Fraction) -> Fraction | None:
    """Return a ratio, None if it is infinite. The ratio of two zeros is 1."""
    if below:
        return above / below
    return None if above else Fraction(1)


def free_of_regions(instance: Any) -> Any:
    """Return an instance without region constraints of jobs."""
    jobs = tuple(replace(job, allowed_regions=None) for job in instance.jobs)
    return replace(instance, jobs=jobs)


def bound_jobs(instance: Any) -> int:
    """Return the number of jobs that may not run everywhere."""
    return sum(job.allowed_regions is not None for job in instance.jobs)


def places_of(instance: Instance) -> Sequence[Any]:
    """Return the servers, or machines."""
    places = family_of(instance).places
    return () if places is None else places.read(instance)


def priced(instances: Sequence[Instance], search: OptimumSearch) -> list[RegionPrice]:
    """Return the price of regions in instances that differ only in the regions of their jobs.

    After an interrupt, unfinished instances are left out.

    Raises:
        RefusedError: If no method accepts an instance.
    """
    problems: dict[str, Instance] = {digest(one): one for one in instances}
    free: Instance = free_of_regions(instances[0])
    found: list[BestKnown] = []
    with suppress(KeyboardInterrupt), raising():
        for one in {digest(free): free, **problems}.values():
            found.append(solved(one, search))
    found = shared(found)
    by_digest = {digest(one.instance): one for one in found}
    done = [by_digest[digest(one)] for one in instances if digest(one) in by_digest]
    return [RegionPrice(bound=one, free=found[0]) for one in done]


def solved(instance: Instance, search: OptimumSearch) -> BestKnown:
    """Return the best that the methods find within the time limit of each, and the best bound.

    Raises:
        RefusedError: If no method treats the instance.
        KeyboardInterrupt: If a method was interrupted.
    """
    family = family_of(instance)
    names = [family.exact, family.default] if search.method is None else [search.method]
    found, refused = None, RefusedError("")
    for name in names:
        try:
            answer = _answer(instance, name, search)
        except RefusedError as error:
            refused = error
            continue
        found = _better(found, answer)
        if found.proved:
            return found
    if found is None:
        raise refused
    strong = family.strong(instance, Limits(time_s=search.time_limit), found.value)
    return replace(found, bound=_tighter(family, found.bound, strong.value))


def _answer(instance: Instance, name: str, search: OptimumSearch) -> Answer:
    def watch(incumbent: Incumbent) -> None:
        if search.watch is not None:
            search.watch(instance.name, incumbent)

    answer = solve(instance, name, seed=search.seed, time_limit=search.time_limit, watch=watch)
    if answer.outcome.termination is TerminationReason.INTERRUPTED:
        raise KeyboardInterrupt
    return answer


def _better(known: BestKnown | None, answer: Answer) -> BestKnown:
    """Return the knowledge after another answer."""
    instance: Any = answer.instance
    found = BestKnown(
        instance=instance,
        value=answer.objective if answer.valid else None,
        bound=answer.bound.value,
        method=answer.method.name,
        schedule=answer.schedule,
        valid=answer.valid or answer.verdict is None,
    )
    if known is None:
        return found
    kept = found if _beats(found, known.value) else known
    bound = _tighter(family_of(answer.instance), known.bound, found.bound)
    return replace(kept, bound=bound, valid=known.valid and found.valid)


def _beats(found: BestKnown, value: Fraction | None) -> bool:
    if found.value is None or value is None:
        return value is None
    return family_of(found.instance).better(found.value, value)


def _tighter(family: Family, bound: Fraction, other: Fraction) -> Fraction:
    return other if family.better(bound, other) else bound


def shared(found: Iterable[BestKnown]) -> list[BestKnown]:
    """Reuse a schedule for less constrained jobs, and a bound for more constrained jobs."""
    known = list(found)
    for i, j in permutations(range(len(known)), 2):
        less, more = known[i], known[j]
        if not freer(more.instance, less.instance):
            continue
        known[i] = replace(less, bound=_tighter(family_of(less.instance), less.bound, more.bound))
        if less.schedule is not None and _beats(less, more.value):
            known[j] = _taken(more, less)
    return known


def freer(more: Any, less: Any) -> bool:
    """Return True if each job may run wherever it may in another instance with the same jobs."""
    pairs = zip(more.jobs, less.jobs, strict=True)
    return all(
        a.allowed_regions is None
        or (b.allowed_regions is not None and set(b.allowed_regions) <= set(a.allowed_regions))
        for a, b in pairs
    )


def _taken(more: BestKnown, less: BestKnown) -> BestKnown:
    """Return a problem's knowledge with the rejudged schedule of a more constrained problem."""
    schedule = replace(less.schedule, digest=digest(more.instance))
    verdict: Any = check(more.instance, schedule)
    if not verdict.valid or verdict.objective != less.value:
        return replace(more, valid=False)
    return replace(more, value=less.value, method=less.method, schedule=schedule)


NOTE = (
    "Price: factor by which the optimum improves if all jobs are unconstrained, or an "
    "interval if an optimum is unproved. Bounds are proved: lower on times, upper on "
    "utilities."
)


def locality_table(found: Sequence[RegionPrice], caption: str) -> Table:
    """Return a line for each instance."""
    sides = [[one.bound, one.free] for one in found]
    digits = value_decimals([_float(one.value) for pair in sides for one in pair])
    return Table(
        caption=caption,
        columns=(
            *columns_of({"instance": None, "regions": 0, "jobs": 0, "bound, %": 0}),
            *numbers("value", "bound", digits=digits, over="jobs bound"),
            *numbers("value", "bound", digits=digits, over="all jobs free"),
            Column(head="price", digits=None),
        ),
        rows=tuple(
            (
                one.bound.instance.name,
                regions_of(one),
                len(one.bound.instance.jobs),
                100 * bound_jobs(one.bound.instance) / len(one.bound.instance.jobs),
                *(_float(number) for side in pair for number in (side.value, side.bound)),
                price_text(*one.price),
            )
            for one, pair in zip(found, sides, strict=True)
        ),
        notes=(NOTE,),
        shared=1,
    )


def regions_of(one: RegionPrice) -> int:
    """Return the number of regions with servers."""
    return len({place.region for place in places_of(one.bound.instance)} - {None})


def price_text(low: Fraction | None, high: Fraction | None) -> str:
    """Show a price, or limits on it."""
    if low is None:
        return "infinite"
    if high is None:
        return f"at least {float(low):.3f}"
    return f"{float(low):.3f}" if low == high else f"{float(low):.3f} to {float(high):.3f}"


def plain(one: RegionPrice) -> dict[str, Any]:
    """Return everything as plain values, for programs."""
    instance, (low, high) = one.bound.instance, one.price
    return {
        "instance": instance.name,
        "digest": digest(instance),
        "family": instance.kind,
        "sense": family_of(instance).sense,
        "regions": regions_of(one),
        "jobs": len(instance.jobs),
        "bound_jobs": bound_jobs(instance),
        "bound": _side(one.bound),
        "free": _side(one.free),
        "price_low": _float(low),
        "price_high": _float(high),
    }


def _side(one: BestKnown) -> dict[str, Any]:
    return {
        "value": as_number(one.value),
        "bound": as_number(one.bound),
        "method": one.method,
        "proved": one.proved,
        "valid": one.valid,
    }


def _float(value: Fraction | None) -> float | None:
    return None if value is None else float(value)
