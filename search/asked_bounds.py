"""Slow bounds: a bound that cannot be computed is left out, without further effect.

A solver may give up, refuse or be missing. Errors of any other kind are bugs, and are raised.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

from ..instances import Bound, MissingError, RefusedError


@dataclass(slots=True)
class AskedBounds:
    """The first bound, the slow bounds found, and the reasons for missing bounds."""

    first: Bound
    maximize: bool = False
    """True if they are upper bounds."""
    found: list[Bound] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)

    @property
    def best(self) -> Bound:
        """The tightest bound, the first of equals."""
        tightest = min if self.maximize else max
        return tightest([self.first, *self.found], key=lambda bound: bound.value)

    def ask(self, name: str, compute: Callable[[], Bound | None], needs: str) -> bool:
        """Compute a bound, which may have unmet `needs`, and return True if there is one."""
        try:
            bound = compute()
        except (RefusedError, MissingError) as error:
            self.missing.append(f"{name}: {error}")
            return False
        if bound is None:
            self.missing.append(f"{name}: needs {needs}")
            return False
        self.found.append(bound)
        return True
