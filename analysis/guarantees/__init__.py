"""Theorems about methods as objects: guarantee, hypotheses, and the verdict on a run.

A run is checked against the theorems named by the records of families. `ringyard list guarantees`
shows them in this order.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from fractions import Fraction
from functools import lru_cache, partial
from typing import Any

from ...extensions.entry_points import Brought, brought_as, hold, named
from ...families.family import Family
from ...families.registry import FAMILIES
from ...instances.errors import InputError, unknown
from ...instances.reading.vocabulary import find


@dataclass(frozen=True, slots=True, kw_only=True)
class Hypothesis:
    """Something that a theorem needs, and that is checked."""

    name: str
    unmet: Callable[[Any, Any], str | None]
    """Given the instance and the method's options (None for the usual ones), say why not."""


def only(name: str, *fine: Any) -> Callable[[Any, Any], str | None]:
    """Require one of several values of an option, with the default first."""
    return partial(_unmet_option, name, fine)


def _unmet_option(name: str, fine: tuple[Any, ...], _: Any, options: Any) -> str | None:
    value = getattr(options, name, fine[0])
    return None if value in fine else f"{name} is {value!r}"


def _usual(_: Any, options: Any) -> str | None:
    return None if options is None else "the method has options"


USUAL = Hypothesis(name="the usual options", unmet=_usual)


def late(name: str) -> Callable[..., Any]:
    """Return the function ``module:name`` of this folder, imported on the first call.

    Modules that compute facts import policies, which a list of theorems does not need.
    """
    return partial(_call_late, f".analysis.guarantees.{name}")


def _call_late(name: str, *given: Any, **named: Any) -> Any:
    return find(name)(*given, **named)


def best(_: Any) -> Fraction:
    """Return the factor of an optimal method."""
    return Fraction(1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Guarantee:
    """A theorem: under the hypotheses, a method's value is within a factor of the optimum.

    A makespan or mean is at most the factor times the optimum, a utility at least the optimum over
    it.
    """

    name: str
    statement: str
    source: str
    proved: bool
    """True if a page of `docs/` proves it, False if it is only printed elsewhere."""
    hypotheses: tuple[Hypothesis, ...] = ()
    factor: Callable[[Any], Fraction]
    """The exact factor, defined only if the hypotheses hold."""
    methods: tuple[str, ...] = ()
    """Names of the methods that it speaks of."""

    def unmet(self, instance: Any, options: Any = None) -> str | None:
        """Return the first unmet hypothesis with the reason, None if all are met."""
        for hypothesis in self.hypotheses:
            reason = hypothesis.unmet(instance, options)
            if reason is not None:
                return f"needs {hypothesis.name}: {reason}"
        return None


def _unslotted(instance: Any, _: Any) -> str | None:
    """Slots are whole in families that have no `progress`."""
    progress = getattr(instance, "progress", "floor")
    return "progress is continuous" if progress == "continuous" else None


SLOTTED = Hypothesis(name="whole slots", unmet=_unslotted)


def optimal(*methods: str) -> Guarantee:
    """Return the theorem about methods that search completely."""
    return Guarantee(
        name="optimal",
        statement="1",
        source="a complete search",
        proved=True,
        hypotheses=(SLOTTED,),
        factor=best,
        methods=methods,
    )


def optimal_by_solver(*methods: str) -> Guarantee:
    """Return the theorem about methods that a solver proves optimal."""
    return Guarantee(
        name="optimal-by-solver",
        statement="1",
        source="claimed by a solver in floating-point arithmetic",
        proved=False,
        hypotheses=(SLOTTED,),
        factor=best,
        methods=methods,
    )


class FactorVerdict(StrEnum):
    """The conclusion about a factor from a value, a proved bound and the best schedule known."""

    HOLDS = "holds"
    """The value is at most the factor times a proved bound."""
    VIOLATED = "violated"
    """The value exceeds the factor times the value of a different checked schedule."""
    INCONCLUSIVE = "inconclusive"
    """Neither is shown, or the theorem does not speak of this run."""


def rule(
    factor: Fraction, value: Fraction, bound: Fraction, best: Fraction, *, maximize: bool = False
) -> FactorVerdict:
    """Check `value` against a factor, with the optimum between `bound` and `best`.

    The value may be at most factor times the optimum or, when maximizing, the optimum at most
    factor times the value.
    """
    holds = bound <= factor * value if maximize else value <= factor * bound
    if holds:
        return FactorVerdict.HOLDS
    broken = best > factor * value if maximize else value > factor * best
    return FactorVerdict.VIOLATED if broken else FactorVerdict.INCONCLUSIVE


GROUP = "ringyard.theorems"
"""Entry points of this group are theorems of other packages: a `Guarantee` each."""


def all_guarantees() -> tuple[Guarantee, ...]:
    """Return the theorems of all families, merging a shared theorem's methods."""
    return _joined(tuple(FAMILIES.values()))


@lru_cache(maxsize=8)
def _joined(families: tuple[Family, ...]) -> tuple[Guarantee, ...]:
    found: dict[str, Guarantee] = {}
    for one in (theorem for family in families for theorem in family.theorems):
        known = found.get(one.name)
        methods = one.methods if known is None else (*known.methods, *one.methods)
        found[one.name] = replace(known or one, methods=methods)
    return tuple(found.values())


def guarantees_of(method: str, asked: Sequence[Guarantee] | None = None) -> tuple[Guarantee, ...]:
    """Return the theorems about a method. The method's options change only hypotheses."""
    words = method.split(":")
    names = {":".join(words[:count]) for count in range(1, len(words) + 1)}
    asked = all_guarantees() if asked is None else asked
    return tuple(one for one in asked if names & {*one.methods})


def find_guarantee(name: str | Guarantee) -> Guarantee:
    """Return a theorem by name, by ``FILE.py:NAME``, or the object itself, as a user's theorem."""
    if isinstance(name, Guarantee):
        return extension_guarantee(hold(GROUP, name.name, name))
    known = {guarantee.name: guarantee for guarantee in all_guarantees()}
    if name in known:
        return known[name]
    if found := brought_as(GROUP, name):
        return extension_guarantee(found)
    names, hint = [*known, *named(GROUP)], "see `ringyard list guarantees`"
    raise InputError("--theorem", [unknown("theorem", name, names, hint, "a name of a theorem")])


def _refuse_fields(one: Brought, found: Guarantee) -> None:
    """Raise an error if a user's theorem has a field of another type."""
    parts = found.hypotheses if isinstance(found.hypotheses, tuple | list) else (found.hypotheses,)
    if any(not isinstance(part, Hypothesis) for part in parts):
        raise one.refused("hypotheses of another type", "a tuple of Hypothesis(name, unmet)")
    methods: Any = found.methods
    if isinstance(methods, str) or not all(isinstance(name, str) for name in methods):
        raise one.refused("methods of another type", "a tuple of names, such as ('fifo',)")
    if not callable(found.factor):
        raise one.refused(f"the factor {found.factor}", "a function of the instance")


def extension_guarantee(one: Brought) -> Guarantee:
    """Return a theorem of another package or of a file, for which Ringyard has no proof."""
    found: Guarantee = one.load(Guarantee)
    _refuse_fields(one, found)
    needs = (
        replace(part, unmet=one.guard(part.unmet, (str, type(None)))) for part in found.hypotheses
    )
    return replace(
        found,
        name=one.name,
        source=f"{one.source}, {found.source}",
        proved=False,
        hypotheses=tuple(needs),
        factor=partial(_factor, one.name, one.guard(found.factor)),
    )


def _factor(name: str, factor: Callable[[Any], Any], instance: Any) -> Fraction:
    """Return the factor of a user's theorem, which has to be exact and at least 1."""
    found = factor(instance)
    if isinstance(found, Fraction | int) and not isinstance(found, bool) and found >= 1:
        return Fraction(found)
    expected = "a Fraction or a whole number of at least 1"
    raise InputError.of(name, f"factor of {instance.name}", found, expected, "correct it")
