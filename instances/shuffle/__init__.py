"""The `shuffle` family: rows of data to exchange between epochs, some of them cached.

One sender has all rows. A message may be a sum of rows, bitwise modulo 2. A worker that has all
rows of a sum but one decodes that one.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Any, Literal

from ..building import Rows, built, pairs, rows_of
from ..errors import Problem
from ..reading.vocabulary import (
    AnySchedule,
    Count,
    Instance,
    Label,
    NonEmpty,
    Positive,
    Whole,
    repeats,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class CachingWorker:
    """A worker with its rows, and the rows that it needs for the next epoch."""

    name: Annotated[Label, "unique name"]
    has: Annotated[tuple[Whole, ...], "rows in its cache, numbered from 0"] = ()
    wants: Annotated[tuple[Whole, ...], "rows of its next batch, which may be in its cache"] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ShuffleInstance(Instance):
    """Caches and needed rows. The objective is the cost of the messages.

    A message to one worker costs 1, a message to several costs ``multicast``.

    * No list has a row twice. Rows are numbered from 0 to `rows` - 1.
    """

    kind: Annotated[Literal["shuffle"], "the problem family"] = "shuffle"
    rows: Annotated[Count, "rows of data (q)"]
    workers: Annotated[
        tuple[CachingWorker, ...], NonEmpty(), "workers, with the rows that they have and want"
    ]
    multicast: Annotated[
        Positive,
        ("cost of a message to several workers (n / gamma(n)), where a message to one costs 1"),
    ] = Decimal(1)

    @property
    def missing(self) -> tuple[frozenset[int], ...]:
        """The rows that each worker needs and lacks."""
        return tuple(frozenset(one.wants) - frozenset(one.has) for one in self.workers)

    def problems(self) -> Iterator[Problem]:
        """Yield every problem that involves several fields."""
        yield from repeats("workers", [one.name for one in self.workers])
        for i, one in enumerate(self.workers):
            for field, rows in (("has", one.has), ("wants", one.wants)):
                yield from self._row_problems(f"workers[{i}].{field}", rows)

    def _row_problems(self, path: str, rows: tuple[int, ...]) -> Iterator[Problem]:
        seen: set[int] = set()
        for i, row in enumerate(rows):
            if row >= self.rows:
                expected = f"less than rows, {self.rows}"
                yield Problem(f"{path}[{i}]", row, expected, "rows are numbered from 0")
            if row in seen:
                yield Problem(f"{path}[{i}]", row, "each row once", "remove it")
            seen.add(row)


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """The sum of some rows, bitwise modulo 2, sent to one worker or to several."""

    rows: Annotated[tuple[Whole, ...], NonEmpty(), "rows whose sum is sent"]
    to: Annotated[tuple[Label, ...], NonEmpty(), "workers that receive it"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ShufflePlan(AnySchedule):
    """All messages. Afterwards every worker can decode the rows it needs.

    * A worker can use the messages that name it, in any order.
    """

    kind: Annotated[Literal["shuffle-schedule"], "the kind of file"] = "shuffle-schedule"
    load: Annotated[Decimal | None, "claimed cost of all messages"] = None
    messages: Annotated[tuple[Message, ...], "messages to send"]


def shuffle(rows: int, workers: Rows, *, name: str = "shuffle", **more: Any) -> ShuffleInstance:
    """Return an instance of rows to be exchanged between workers.

    Args:
        rows: Number of rows of data, which are numbered from 0.
        workers: `has` and `wants`, or a pair of both: ``[([0, 1], [2]), ([2], [0, 1])]``.
        name: Name of the instance.
        **more: Other fields of the format: `multicast`, `title`, ..

    Raises:
        InputError: With all problems, as for a file.
    """
    made: ShuffleInstance = built(
        "shuffle",
        name=name,
        rows=rows,
        workers=rows_of(workers, "w", pairs("has", "wants")),
        **more,
    )
    return made
