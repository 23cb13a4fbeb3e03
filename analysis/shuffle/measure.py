"""Epochs drawn and counted, padding included, checked against the formulas; tables of both."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from math import comb
from typing import Any

import numpy as np

from ..intervals import Interval, student
from ..tables import Table, columns_of, numbers
from .epoch import (
    Setting,
    asymptotic_ratio,
    coded_rate,
    counted,
    epoch_of,
    queue_mean,
    ratio,
    uncoded_rate,
)

FAR = 12
"""A law is cut off this many standard deviations, and as many rows, above its mean."""


def padded_mean(setting: Setting) -> float:
    """Return the sums sent on average if queues have independent Poisson lengths.

    They are binomial, and a row in one queue is in no other; with many queues that matters little.
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
    """By Poisson queues."""
    uncoded: Interval
    mean: Interval
    padded: Interval

    @property
    def gain(self) -> float | None:
        """What coding saves by formula, as a factor: a multicast costs more than a unicast."""
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
    """Draw the given number of epochs of a setting and count what each sends."""
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
    "p: the part of the others' rows in a cache. Formula: mean lengths of queues. Padded: the "
    "longest queue of each set of workers, by formula if queues were independent Poisson numbers. "
    "Intervals: 95 %, Student's t over seeds. Gain: uncoded over coded cost by formula, and as "
    "published, (p + 1/n) gamma(n)."
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
