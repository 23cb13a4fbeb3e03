"""The numbers that theorems about online methods are stated in; imports what computes them."""

from collections.abc import Callable
from fractions import Fraction
from math import ceil, log

import numpy as np

from ...instances import OnlineInstance
from ...rounding import GainFactor, Widths, chernoff_gain, printed_gain
from ...rounding.gain import Side
from ...simulation.online.model import OnlineModel, online_model, with_hosts
from ...simulation.online.tariff import ROUNDED, corrected, outlook, published

DELTA = 0.1
"""The probability of failure with which the printed factor is stated here."""

SHARE, CHI = 0.2, 2.0
"""What the usual options of `pd-ors-corrected` say; its theorem is stated for them."""

LOST = Fraction(1, 10**12)
"""Thousands of the last digits: more than a few operations in floating point can lose."""
LEAST_SURE = 1e-6
"""A job that is worth less is not one to build a theorem on that is rounded to 1e-12."""

GAINS: dict[str, Callable[[Widths, float, Side], GainFactor]] = {
    "printed": printed_gain,
    "chernoff": chernoff_gain,
}


def largest_share(instance: OnlineInstance) -> tuple[float, str]:
    """Return the largest part of a machine that a job can take in a slot, and which job."""
    model = online_model(instance)
    servers = np.ceil(model.batch / model.ratio)
    demand = model.batch[:, None] * model.worker + servers[:, None] * model.server
    room = np.where(model.capacity > 0, model.capacity, np.inf).min(axis=0)
    parts = np.minimum(demand / room, 1.0).max(axis=1)
    return float(parts.max()), instance.jobs[int(parts.argmax())].name


def sure(instance: OnlineInstance) -> float:
    """Return what one job alone is worth on one machine or two, at best."""
    return outlook(instance, online_model(instance)).sure


def packing_gain(instance: OnlineInstance) -> GainFactor:
    """Return the printed gain that favours packing, for the narrowest job in an empty cluster."""
    return printed_gain(_widths(instance), DELTA, "packing")


def _widths(instance: OnlineInstance) -> Widths:
    """Return the widths of the slot program of the narrowest job, for one worker."""
    model = online_model(instance)
    machines, resources = model.capacity.shape
    width = min(_width(model, i) for i in range(model.batch.size))
    cover = float(min(1.0, 1.0 / model.ratio.max()))
    return Widths(cover=cover, packing=width, cover_rows=2, packing_rows=machines * resources + 1)


def _width(model: OnlineModel, i: int) -> float:
    """Return W_b: the least of the batch and of what a machine holds of workers or servers."""
    needs = np.maximum(model.worker[i], model.server[i])
    held = np.nextafter(model.capacity[:, needs > 0] / needs[needs > 0], 0)
    return float(min(model.batch[i], held[held > 0].min()))


def rounded_cost(instance: OnlineInstance, form: str, side: Side) -> Fraction:
    """Return the factor 3 G / delta of the cost of a rounded plan over that of the relaxation."""
    return rounded_up(GAINS[form](_widths(instance), DELTA, side).cost)


def printed_factor(instance: OnlineInstance) -> Fraction:
    """Return (6 G / delta) max(1, ln U/L) with the printed prices."""
    model = with_hosts(online_model(instance))
    tariff = published(model, outlook(instance, model), 1.0)
    ranges = (log(high) - log(low) for high, low in zip(tariff.high, tariff.low, strict=True))
    return rounded_up(6 * packing_gain(instance).factor / DELTA * max(1.0, float(max(ranges))))


def corrected_factor(instance: OnlineInstance) -> Fraction:
    """Return 2 chi alpha with the corrected prices, and what rounding `sure` may add."""
    model = with_hosts(online_model(instance))
    known = outlook(instance, model)
    tariff = corrected(model, known, 1.0, SHARE, CHI)
    ratio = (tariff.high / tariff.low).max()
    alpha = (ratio ** (SHARE / (1 - SHARE)) - 1) / SHARE
    return rounded_up(
        2 * CHI * max(1.0, float(alpha)) / (1 - 2 * ROUNDED / max(known.sure, LEAST_SURE))
    )


def rounded_up(factor: float) -> Fraction:
    """Round up to thousandths, with room for what was rounded on the way."""
    return Fraction(ceil(Fraction(factor) * (1 + LOST) * 1000), 1000)
