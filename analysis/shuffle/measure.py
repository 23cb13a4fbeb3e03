"""Epochs drawn and counted, checked against the formulas."""

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

from ..intervals import Interval, student
from .epoch import counted, epoch_of
from .padding import padded_mean
from .rates import Setting, asymptotic_ratio, coded_rate, ratio, uncoded_rate


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
