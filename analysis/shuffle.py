"""Rows sent by coded shuffling in an epoch: by formula, by simulation, and by execution.

q rows form n batches, one per worker. Each worker caches s rows: its batch and a random share p of
the other rows. A new random order of the rows makes the new batches. Source: Lee et al. 2018 (arXiv
1512.02673). The sum over sets of workers is Ringyard's, and equals the printed formula.

Simulated epochs include padding and are checked against the formulas. On one instance, the schemes
are planned, executed on real bytes, and checked.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from math import comb
from typing import Any

import numpy as np
from numpy.random import Generator, default_rng
from numpy.typing import NDArray

from ..instances import CachingWorker, ShuffleInstance, ShufflePlan
from ..policies.request import Request
from ..policies.shuffle import run_greedy_cover, run_row_by_row, run_subsets
from .check import check
from .intervals import Interval, student
from .tables import Table, columns_of, numbers, texts


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """Numbers of rows and workers, and the number of rows at each worker."""

    rows: int
    workers: int
    cache: int

    @property
    def excess(self) -> Fraction:
        """The share p of the other workers' rows in a cache, 0 for a single worker."""
        batch = Fraction(self.rows, self.workers)
        others = self.rows - batch
        return (self.cache - batch) / others if others else Fraction(0)


def uncoded_rate(setting: Setting) -> Fraction:
    """Return the rows sent without coding: q (1 - 1/n) (1 - p) = q - s."""
    return Fraction(setting.rows - setting.cache)


def coded_rate(setting: Setting) -> Fraction:
    """Return the sums sent: q (1 - p) (np - 1 + (1 - p)^n) / (np)^2, if lengths are their means."""
    q, n, p = setting.rows, setting.workers, setting.excess
    if not p:
        return Fraction(q * (n - 1), 2 * n)
    return q * (1 - p) * (n * p - 1 + (1 - p) ** n) / (n * p) ** 2


def queue_mean(setting: Setting, size: int) -> Fraction:
    """Return the mean length of a queue of a set of `size` workers.

    A row of the queue belongs to one of the other workers before the epoch. Exactly the remaining
    workers of the set have it cached.
    """
    n, p = setting.workers, setting.excess
    owners = Fraction(setting.rows, n) * Fraction(size - 1, n)
    return owners * p ** (size - 2) * (1 - p) ** (n - size + 1)


def ratio(setting: Setting) -> Fraction | None:
    """Return R_u / R_c = n (n - 1) p^2 / (np - 1 + (1 - p)^n), 2 for p = 0 and n for p = 1.

    None if there is one worker, because no row is sent.
    """
    n, p = setting.workers, setting.excess
    if n == 1:
        return None
    if not p:
        return Fraction(2)
    return n * (n - 1) * p**2 / (n * p - 1 + (1 - p) ** n)


def asymptotic_ratio(setting: Setting) -> Fraction:
    """Return np + 1, to which the ratio is asymptotically equal as np grows.

    Multiplied by gamma(n) / n, it is the published gain, (p + 1/n) gamma(n).
    """
    return setting.workers * setting.excess + 1


Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ShuffleEpoch:
    """Rows in batches until now, one worker's after the other's, and from now on."""

    setting: Setting
    cached: Ints
    """The workers that have each row, as bits."""
    owner: Ints
    """The worker that gets each row."""

    @property
    def lacked(self) -> NDArray[np.bool_]:
        """True if the worker that gets a row has it not."""
        lacked: NDArray[np.bool_] = (self.cached >> self.owner & 1) == 0
        return lacked


def epoch_of(setting: Setting, seed: int, number: int) -> ShuffleEpoch:
    """Return one of the epochs that a seed gives."""
    return drawn(setting, np.random.default_rng((seed, number)))


def drawn(setting: Setting, rng: Generator) -> ShuffleEpoch:
    """Draw caches in addition to the batches, and a new order of the rows."""
    q, n = setting.rows, setting.workers
    batch = q // n
    cached = np.int64(1) << np.repeat(np.arange(n), batch)
    for k in range(n):
        chosen = rng.choice(q - batch, setting.cache - batch, replace=False)
        chosen[chosen >= k * batch] += batch  # The worker's own batch is not drawn from.
        cached[chosen] |= 1 << k
    owner = np.empty(q, dtype=np.int64)
    owner[rng.permutation(q)] = np.repeat(np.arange(n), batch)
    return ShuffleEpoch(setting=setting, cached=cached, owner=owner)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sent:
    """Numbers of messages of an epoch."""

    uncoded: int
    mean: float
    """Number of sums if each set of workers used its mean queue length."""
    padded: int
    """Number of messages with padding to the longest queue."""


def counted(epoch: ShuffleEpoch) -> Sent:
    """Return the number of messages of the published scheme. Sets without rows are skipped."""
    lacked = epoch.lacked
    owner = epoch.owner[lacked]
    sets, place = np.unique(epoch.cached[lacked] | np.int64(1) << owner, return_inverse=True)
    n = epoch.setting.workers
    queues = np.bincount(place * n + owner, minlength=len(sets) * n).reshape(-1, n)
    return Sent(
        uncoded=len(owner),
        mean=float((queues.sum(axis=1) / np.bitwise_count(sets)).sum()),
        padded=int(queues.max(axis=1, initial=0).sum()),
    )


def instance_of(epoch: ShuffleEpoch, multicast: Decimal) -> ShuffleInstance:
    """Return the epoch as an instance."""
    setting = epoch.setting
    workers = tuple(
        CachingWorker(
            name=f"w{k}",
            has=tuple(np.flatnonzero(epoch.cached >> k & 1).tolist()),
            wants=tuple(np.flatnonzero(epoch.owner == k).tolist()),
        )
        for k in range(setting.workers)
    )
    name = f"epoch-{setting.rows}x{setting.workers}x{setting.cache}"
    return ShuffleInstance(name=name, rows=setting.rows, workers=workers, multicast=multicast)


FAR = 12
"""A law is cut off this many standard deviations, and as many rows, above its mean."""


def padded_mean(setting: Setting) -> float:
    """Return the mean sums sent if queues have independent Poisson lengths.

    The true lengths are binomial and each row is in one queue, which matters little for many
    queues.
    """
    sizes = range(2, setting.workers + 1)
    return sum(
        comb(setting.workers, size) * longest(float(queue_mean(setting, size)), size)
        for size in sizes
    )


def longest(mean: float, queues: int) -> float:
    """Return the mean of the longest of some Poisson queues: the sum of P(longer than x)."""
    from scipy.special import pdtr

    at = np.arange(int(mean + FAR * mean**0.5) + FAR)
    return float(np.sum(-np.expm1(queues * np.log(np.maximum(pdtr(at, mean), 1e-300)))))


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """Formulas, and means over seeds with 95 % intervals."""

    setting: Setting
    multicast: Decimal
    uncoded_rate: Fraction
    coded_rate: Fraction
    padded_rate: float
    """Rate for Poisson queues."""
    uncoded: Interval
    mean: Interval
    padded: Interval

    @property
    def gain(self) -> float | None:
        """The factor that coding saves by formula: a multicast costs more than a unicast."""
        exact = ratio(self.setting)
        return None if exact is None else float(exact / Fraction(self.multicast))

    @property
    def asymptotic_gain(self) -> float:
        """The same as published, (p + 1/n) gamma(n)."""
        return float(asymptotic_ratio(self.setting) / Fraction(self.multicast))

    def plain(self) -> dict[str, Any]:
        """Return the numbers by name."""
        setting = self.setting
        measured = {"uncoded": self.uncoded, "mean": self.mean, "padded": self.padded}
        return {
            "rows": setting.rows,
            "workers": setting.workers,
            "cache": setting.cache,
            "excess": float(setting.excess),
            "multicast": float(self.multicast),
            "uncoded_rate": float(self.uncoded_rate),
            "coded_rate": float(self.coded_rate),
            "padded_rate": self.padded_rate,
            "gain": self.gain,
            "asymptotic_gain": self.asymptotic_gain,
            "measured": {
                name: {"mean": one.mean, "low": _finite(one.low), "high": _finite(one.high)}
                for name, one in measured.items()
            },
        }


def _finite(value: float) -> float | None:
    return None if value in (float("inf"), float("-inf")) else value


def measured(setting: Setting, multicast: Decimal, seeds: int, seed: int) -> Measured:
    """Return the mean messages over a number of random epochs of a setting."""
    found = [counted(epoch_of(setting, seed, i)) for i in range(seeds)]
    return Measured(
        setting=setting,
        multicast=multicast,
        uncoded_rate=uncoded_rate(setting),
        coded_rate=coded_rate(setting),
        padded_rate=padded_mean(setting),
        uncoded=student([one.uncoded for one in found]),
        mean=student([one.mean for one in found]),
        padded=student([one.padded for one in found]),
    )


NOTE = (
    "p: share of the other workers' rows in a cache. Formula: mean queue lengths. Padded: longest "
    "queue of each set of workers, in the formula for independent Poisson queues. Intervals: 95 %, "
    "Student's t over seeds. Gain: uncoded over coded cost, and as published, (p + 1/n) gamma(n)."
)


def measured_table(points: Sequence[Measured], caption: str) -> Table:
    """Return a line for each setting."""
    return Table(
        caption=caption,
        columns=(
            *columns_of({"q": 0, "n": 0, "s": 0, "p": 3}),
            *numbers("formula", "measured", digits=1, over="uncoded"),
            *numbers("formula", "measured", digits=1, over="coded"),
            *columns_of({"formula": 1, "measured": 1, "over coded": 3}, over="padded"),
            *numbers("exact", "published", digits=2, over="gain"),
        ),
        rows=tuple(
            (
                float(one.setting.rows),
                float(one.setting.workers),
                float(one.setting.cache),
                float(one.setting.excess),
                float(one.uncoded_rate),
                one.uncoded,
                float(one.coded_rate),
                one.mean,
                one.padded_rate,
                one.padded,
                one.padded.mean / float(one.coded_rate) if one.coded_rate else None,
                one.gain,
                one.asymptotic_gain,
            )
            for one in points
        ),
        notes=(NOTE,),
    )


Bytes = NDArray[np.uint8]


@dataclass(frozen=True, slots=True, kw_only=True)
class Executed:
    """The messages sent, and the rows decoded."""

    messages: int
    sent_bytes: int
    """Number of bytes, with a multicast sent once."""
    decoded_rows: int
    """Rows that workers lacked and have afterwards, bit by bit the same as the sender's."""
    wrong: tuple[str, ...]
    """Workers without all the rows they want, bit by bit."""


def execute(
    instance: ShuffleInstance, plan: ShufflePlan, row_bytes: int, rng: Generator
) -> Executed:
    """Send random rows of `row_bytes` bytes as planned, and let every worker decode.

    A worker knows only its cache and its messages. It repeatedly decodes sums with a single unknown
    row. Plans that need more than such peeling are not decoded.
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
    """Return the final rows of a worker, zero if missing, and the set of its rows."""
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
    """Return all rows concatenated, and the start of each sum's rows."""
    lengths = np.array([len(own) for own in rows])
    return np.concatenate(rows), np.cumsum(lengths) - lengths


SCHEMES = {
    "row-by-row": run_row_by_row,
    "subsets": run_subsets,
    "greedy-cover": run_greedy_cover,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    """A scheme, its cost and its result."""

    scheme: str
    load: Fraction
    valid: bool
    """True if the judge accepts the plan."""
    executed: Executed

    @property
    def right(self) -> bool:
        """True if every worker has its rows, bit by bit, and the judge agrees."""
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
    """Plan with every scheme and execute its plan on random bytes."""
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
