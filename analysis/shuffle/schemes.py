"""The schemes on one instance: planned, carried out on real bytes, and checked."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.random import Generator, default_rng
from numpy.typing import NDArray

from ...instances import CachingWorker, ShuffleInstance, ShufflePlan
from ...policies.request import Request
from ...policies.shuffle import run_greedy_cover, run_row_by_row, run_subsets
from ..check import check
from ..tables import Table, columns_of, numbers, texts

Bytes = NDArray[np.uint8]
Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Executed:
    """What was sent, and what came of it."""

    messages: int
    sent_bytes: int
    """A multicast counts once."""
    decoded_rows: int
    """Rows that workers lacked and have afterwards, bit by bit the same as the sender's."""
    wrong: tuple[str, ...]
    """Workers without all the rows they want, bit by bit."""


def execute(
    instance: ShuffleInstance, plan: ShufflePlan, row_bytes: int, rng: Generator
) -> Executed:
    """Send random rows of `row_bytes` bytes as the plan says, and let every worker decode.

    A worker knows its cache and the messages to it, and nothing else. It decodes whatever sum has
    one unknown row, again and again; a plan that needs more than that is not decoded.
    """
    data = rng.integers(0, 256, (instance.rows, row_bytes), dtype=np.uint8)
    rows = [np.array(message.rows) for message in plan.messages]
    sums = _sums(data, rows)
    heard: dict[str, list[int]] = {one.name: [] for one in instance.workers}
    for i, message in enumerate(plan.messages):
        for name in message.to:
            heard[name].append(i)
    decoded, wrong = 0, []
    for one in instance.workers:
        mine = heard[one.name]
        store, known = _decode(one, data, [rows[i] for i in mine], sums[mine])
        wants = np.array(one.wants, dtype=np.int64)
        same = known[wants] & (store[wants] == data[wants]).all(axis=1)
        decoded += int(same.sum()) - len(set(one.wants) & set(one.has))
        if not same.all():
            wrong.append(one.name)
    return Executed(
        messages=len(rows), sent_bytes=sums.size, decoded_rows=decoded, wrong=tuple(wrong)
    )


def _decode(
    one: CachingWorker, data: Bytes, rows: list[Ints], sums: Bytes
) -> tuple[Bytes, NDArray[np.bool_]]:
    """Return the rows that a worker has in the end, zeros where it has none, and which it has."""
    store, known = np.zeros_like(data), np.zeros(len(data), dtype=bool)
    has = list(one.has)
    store[has], known[has] = data[has], True
    todo = np.arange(len(rows))
    while len(todo):
        flat, starts = _flat([rows[i] for i in todo])
        unknown = np.add.reduceat(~known[flat], starts, dtype=np.int64)
        row = np.add.reduceat(np.where(known[flat], 0, flat), starts)
        now = unknown == 1
        if not now.any():
            break
        # What is unknown is zero in the store, so the rest of each sum falls out.
        found = sums[todo] ^ np.bitwise_xor.reduceat(store[flat], starts, axis=0)
        store[row[now]], known[row[now]] = found[now], True
        todo = todo[unknown > 1]
    return store, known


def _sums(data: Bytes, rows: list[Ints]) -> Bytes:
    if not rows:
        return data[:0]
    flat, starts = _flat(rows)
    return np.bitwise_xor.reduceat(data[flat], starts, axis=0)


def _flat(rows: list[Ints]) -> tuple[Ints, Ints]:
    """Return all rows one after the other, and where those of each sum start."""
    lengths = np.array([len(own) for own in rows])
    return np.concatenate(rows), np.cumsum(lengths) - lengths


SCHEMES = {
    "row-by-row": run_row_by_row,
    "subsets": run_subsets,
    "greedy-cover": run_greedy_cover,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    """A scheme, what it costs, and what came of it."""

    scheme: str
    load: Fraction
    valid: bool
    """Whether the judge accepts the plan."""
    executed: Executed

    @property
    def right(self) -> bool:
        """Whether every worker has what it wants, bit by bit, and the judge agrees."""
        return self.valid and not self.executed.wrong

    def plain(self) -> dict[str, Any]:
        """Return the numbers by name."""
        done = self.executed
        return {
            "scheme": self.scheme,
            "load": float(self.load),
            "valid": self.valid,
            "messages": done.messages,
            "sent_bytes": done.sent_bytes,
            "decoded_rows": done.decoded_rows,
            "wrong": list(done.wrong),
        }


def tried(instance: ShuffleInstance, row_bytes: int, seed: int) -> list[Tried]:
    """Let every scheme plan, and carry its plan out; the rows' bytes are random."""
    found = []
    for name, run in SCHEMES.items():
        plan = run(instance, Request(rng=default_rng(seed))).schedule
        verdict = check(instance, plan)
        found.append(
            Tried(
                scheme=name,
                load=Fraction(verdict.objective or 0),
                valid=verdict.valid,
                executed=execute(instance, plan, row_bytes, default_rng(seed)),
            )
        )
    return found


def schemes_table(found: Sequence[Tried], caption: str) -> Table:
    """Return a line for each scheme."""
    first = found[0].load
    return Table(
        caption=caption,
        columns=(
            *columns_of({"scheme": None, "load": 1, "saves": 2}),
            *numbers("messages", "bytes sent", "rows decoded"),
            *texts("bit by bit"),
        ),
        rows=tuple(
            (
                one.scheme,
                float(one.load),
                float(first / one.load) if one.load else None,
                float(one.executed.messages),
                float(one.executed.sent_bytes),
                float(one.executed.decoded_rows),
                "right" if one.right else "WRONG",
            )
            for one in found
        ),
    )
