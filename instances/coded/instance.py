"""The `coded` family: a product of a matrix and a vector, on workers of which some are slow.

The matrix is cut into k parts of as many rows. Every worker multiplies one combination of them;
the product is known as soon as the combinations that are done determine it.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, Literal

from ..errors import Problem
from ..nouns import Instance
from ..reading.vocabulary import Count, Range
from .straggling import TaskTime, law_problems

Workers = Annotated[int, Range(1, 20_000)]
"""With more, exact expectations are too long."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CodedInstance(Instance):
    """Workers and the law of their times; the expected time to the product is to be small.

    A worker that is alone with all rows takes the time ``time``, independently of the others. With
    one part of k it takes that times ``share(k)``: 1/k, or a little more if rows have to be added
    so that all parts are alike.
    """

    kind: Annotated[Literal["coded"], "the problem family"] = "coded"
    workers: Annotated[Workers, "workers, one task each (n)"]
    time: Annotated[TaskTime, "what one worker takes for all rows"]
    rows: Annotated[Count | None, "rows of the matrix; null: a number that any k divides"] = None

    def share(self, parts: int) -> Fraction:
        """Return a part as a share of all rows."""
        if self.rows is None:
            return Fraction(1, parts)
        return Fraction(-(-self.rows // parts), self.rows)

    def problems(self) -> Iterator[Problem]:
        """Yield every fault that shows only when fields are seen together."""
        yield from law_problems(self.time, "time")
