"""Theorems about online methods: utility at least the optimum over a factor.

Proofs and repairs: `docs/pd-ors.md`. Factors are computed in floating point and rounded up.
"""

from collections.abc import Callable
from fractions import Fraction
from math import ceil, log
from typing import Any

import numpy as np

from ...instances import OnlineInstance
from ...rounding import Gain, Widths, chernoff_gain, printed_gain
from ...rounding.gain import Side
from ...simulation.online_model import OnlineModel, online_model
from ...simulation.tariff import Tariff, corrected, outlook, published
from .guarantee import Guarantee, Hypothesis

DELTA = 0.1
"""The probability of failure with which the printed factor is stated here."""

SHARE, CHI = 0.2, 2.0
"""What the usual options of `pd-ors-corrected` say; its theorem is stated for them."""


def _usual(instance: OnlineInstance, options: Any) -> str | None:
    del instance
    return None if options is None else "options stand behind the method's name"


def _wide(instance: OnlineInstance, options: Any) -> str | None:
    del options
    return _gain(instance).packing_unmet


def _small(instance: OnlineInstance, options: Any) -> str | None:
    del options
    most, job = largest_share(instance)
    if most <= SHARE:
        return None
    return f"job {job!r} can take {100 * most:.3g} % of a machine, more than {100 * SHARE:g} %"


def largest_share(instance: OnlineInstance) -> tuple[float, str]:
    """Return the largest part of a machine that a job can take in a slot, and which job."""
    model = online_model(instance)
    servers = np.ceil(model.batch / model.ratio)
    demand = model.batch[:, None] * model.worker + servers[:, None] * model.server
    room = np.where(model.capacity > 0, model.capacity, np.inf).min(axis=0)
    parts = np.minimum(demand / room, 1.0).max(axis=1)
    return float(parts.max()), instance.jobs[int(parts.argmax())].name


def _gain(instance: OnlineInstance) -> Gain:
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
    held = model.capacity[:, needs > 0] / needs[needs > 0]
    return float(min(model.batch[i], held[held > 0].min()))


def _cost(make: Callable[[Widths, float, Side], Gain], side: Side) -> Callable[[Any], Fraction]:
    """Return the factor 3 G / delta of the cost of a rounded plan over that of the relaxation."""
    return lambda instance: _up(make(_widths(instance), DELTA, side).cost)


def _printed(instance: OnlineInstance) -> Fraction:
    model = online_model(instance)
    tariff = published(model, outlook(instance, model), 1.0)
    return _up(6 * _gain(instance).factor / DELTA * max(1.0, _log_range(tariff)))


def _corrected(instance: OnlineInstance) -> Fraction:
    model = online_model(instance)
    tariff = corrected(model, outlook(instance, model), 1.0, SHARE, CHI)
    ratio = (tariff.high / tariff.low).max()
    alpha = (ratio ** (SHARE / (1 - SHARE)) - 1) / SHARE
    return _up(2 * CHI * max(1.0, float(alpha)))


def _log_range(tariff: Tariff) -> float:
    return float(
        max(log(high) - log(low) for high, low in zip(tariff.high, tariff.low, strict=True))
    )


def _up(factor: float) -> Fraction:
    """Round up to thousandths."""
    return Fraction(ceil(factor * 1000), 1000)


USUAL = Hypothesis(name="the usual options", unmet=_usual)
WIDE = Hypothesis(
    name="machines and batches so large that the gain factor is justified", unmet=_wide
)
SMALL = Hypothesis(name="jobs that take a small part of a machine", unmet=_small)

_ROUNDED = "cost of a rounded plan over its relaxation, 3 G / delta, delta = 0.1; "

ONLINE: tuple[Guarantee, ...] = (
    Guarantee(
        name="gain-packing-printed",
        statement=f"{_ROUNDED}capacities hold",
        source="PD-ORS, as printed; docs/rounding.md",
        proved=False,
        hypotheses=(WIDE,),
        factor=_cost(printed_gain, "packing"),
    ),
    Guarantee(
        name="gain-packing",
        statement=f"{_ROUNDED}capacities hold",
        source="Chernoff's bound, Hoeffding 1963; docs/rounding.md",
        proved=True,
        hypotheses=(),
        factor=_cost(chernoff_gain, "packing"),
    ),
    Guarantee(
        name="gain-covering-printed",
        statement=f"{_ROUNDED}demands hold",
        source="PD-ORS, as printed; docs/rounding.md",
        proved=True,
        hypotheses=(),
        factor=_cost(printed_gain, "covering"),
    ),
    Guarantee(
        name="gain-covering",
        statement=f"{_ROUNDED}demands hold",
        source="Chernoff's bound, Hoeffding 1963; docs/rounding.md",
        proved=True,
        hypotheses=(),
        factor=_cost(chernoff_gain, "covering"),
    ),
    Guarantee(
        name="competitive-printed",
        statement="(6 G / delta) max(1, ln U/L), delta = 0.1",
        source="PD-ORS, as printed",
        proved=False,
        hypotheses=(USUAL, WIDE),
        factor=_printed,
    ),
    Guarantee(
        name="competitive",
        statement="2 chi ((U/L)^(s/(1-s)) - 1) / s, s = 0.2, chi = 2",
        source="ours, after PD-ORS",
        proved=True,
        hypotheses=(USUAL, SMALL),
        factor=_corrected,
    ),
)
"""In the order in which `ringyard list guarantees` shows them, behind those about makespans."""
