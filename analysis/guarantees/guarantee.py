"""A theorem about a method as an object: what it promises, and when."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Hypothesis:
    """Something that a theorem needs, and that is checked."""

    name: str
    unmet: Callable[[Any, Any], str | None]
    """Given the instance and the method's options (None for the usual ones), say why not."""


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
    hypotheses: tuple[Hypothesis, ...]
    factor: Callable[[Any], Fraction]
    """Computed exactly; only meaningful where the hypotheses are met."""

    def unmet(self, instance: Any, options: Any = None) -> str | None:
        """Name the first hypothesis that is not met, with the reason; None if all are."""
        for hypothesis in self.hypotheses:
            reason = hypothesis.unmet(instance, options)
            if reason is not None:
                return f"needs {hypothesis.name}: {reason}"
        return None
