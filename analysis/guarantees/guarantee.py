"""A theorem about a method as an object: what it promises, when, and what a run says about it."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from functools import partial
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Hypothesis:
    """Something that a theorem needs, and that is checked."""

    name: str
    unmet: Callable[[Any, Any], str | None]
    """Given the instance and the method's options (None for the usual ones), say why not."""


def only(name: str, *fine: Any) -> Callable[[Any, Any], str | None]:
    """Ask that an option has one of some values, of which the first is the usual one."""
    return partial(_unmet, name, fine)


def _unmet(name: str, fine: tuple[Any, ...], _: Any, options: Any) -> str | None:
    value = getattr(options, name, fine[0])
    return None if value in fine else f"{name} is {value!r}"


def best(_: Any) -> Fraction:
    """Return the factor that what is best has."""
    return Fraction(1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Guarantee:
    """Makespan or mean at most a factor times the least, or utility the most over a factor.

    It speaks if the hypotheses are met.
    """

    name: str
    statement: str
    source: str
    proved: bool
    """Whether a page of `docs/` proves it; else it is only printed somewhere."""
    hypotheses: tuple[Hypothesis, ...] = ()
    factor: Callable[[Any], Fraction]
    """Computed exactly; only meaningful where the hypotheses are met."""
    methods: tuple[str, ...] = ()
    """Names of the methods that it speaks of."""

    def unmet(self, instance: Any, options: Any = None) -> str | None:
        """Name the first hypothesis that is not met, with the reason; None if all are."""
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
        source="the word of a solver, which computes in floating point",
        proved=False,
        hypotheses=(SLOTTED,),
        factor=best,
        methods=methods,
    )


class FactorVerdict(StrEnum):
    """What a value, a proved bound and the best schedule known say about a factor."""

    HOLDS = "holds"
    """The value is at most the factor times a proved bound."""
    VIOLATED = "violated"
    """The value is more than the factor times that of another checked schedule."""
    INCONCLUSIVE = "inconclusive"
    """Neither is shown, or the theorem does not speak of this run."""


def rule(
    factor: Fraction, value: Fraction, bound: Fraction, best: Fraction, *, maximize: bool = False
) -> FactorVerdict:
    """Check `value` against a factor; the optimum lies between `bound` and `best`.

    The value is to be at most factor times the optimum, or, where the objective is to be `most`,
    the optimum at most factor times the value.
    """
    holds = bound <= factor * value if maximize else value <= factor * bound
    if holds:
        return FactorVerdict.HOLDS
    broken = best > factor * value if maximize else value > factor * best
    return FactorVerdict.VIOLATED if broken else FactorVerdict.INCONCLUSIVE
