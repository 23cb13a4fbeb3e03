"""Slowdown by the number of rings on an uplink: several laws, each fitted to the same measurements.

An all-reduce takes a start-up, and what a worker sends over the bandwidth, times a slowdown that
depends on the rings alone. All laws are linear in start-up and seconds per gigabyte once the share
is given; so the share is gone through in hundredths, and the rest is least squares of the relative
errors with no negative number. Intervals are those of redrawn errors (a bootstrap of residuals).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from typing import TYPE_CHECKING, NamedTuple

from .measured import MeasuredReduce

if TYPE_CHECKING:
    import numpy as np

LEVEL = 0.95
"""Of the intervals."""
SHARES = tuple(i / 100 for i in range(1, 101))


class ContentionLaw(NamedTuple):
    """What becomes of a ring beside others: x is how much longer its transfer takes."""

    name: str
    formula: str
    shares: tuple[float, ...] = (1.0,)
    degrades: bool = False
    free: bool = False
    """Whether each number of rings has a slowdown of its own."""


NOTHING = ContentionLaw("none", "x = 1", shares=(0.0,))
FAIR = ContentionLaw("fluid, one link", "x = k")
LEAF = ContentionLaw("fluid, leaf", "x = max(1, o k / S)", shares=SHARES)
LINEAR = ContentionLaw("linear", "x = k + a (k - 1)", degrades=True)
UPLINK = ContentionLaw(
    "server_uplink", "as linear, k = max(1, share k)", shares=SHARES, degrades=True
)
FREE = ContentionLaw("any", "a number for each k", free=True)


class Fitted(NamedTuple):
    """The numbers of a law; seconds and gigabytes per second."""

    start_s: float
    s_per_gb: float
    share: float
    degradation: float

    @property
    def bandwidth(self) -> float:
        """Gigabytes per second of a ring alone."""
        return 1 / self.s_per_gb

    def slowdown(self, rings: float) -> float:
        """Return how much longer a transfer takes beside so many rings, itself among them."""
        effective = max(1.0, self.share * rings)
        return effective + self.degradation * (effective - 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class LawFit:
    """A law beside the measurements."""

    law: ContentionLaw
    numbers: Fitted | None
    """None if each number of rings has one of its own."""
    errors: tuple[float, ...]
    """Fitted over measured time, less 1, measurement by measurement."""
    predicted: float | None = None
    """Root of the mean squared error where each number of rings was foretold by the others."""
    intervals: tuple[tuple[float, float], ...] = ()
    """Of start-up, bandwidth, share and degradation."""

    @property
    def rms(self) -> float:
        """Root of the mean squared error."""
        return _rms(self.errors)


def laws_for(measured: Sequence[MeasuredReduce], rack_servers: int | None) -> list[ContentionLaw]:
    """Return the laws that the measurements can tell apart."""
    apart = len({one.rings for one in measured} - {1})
    leaf = [] if rack_servers is None else [LEAF]
    return [NOTHING, FAIR, *leaf, LINEAR, *([UPLINK] if apart > 1 else []), FREE]


def fit(law: ContentionLaw, measured: Sequence[MeasuredReduce], seed: int, redraws: int) -> LawFit:
    """Fit a law, with intervals of its numbers from errors that are drawn again."""
    import numpy as np

    times = np.array([one.seconds for one in measured])
    solve = _free if law.free else _solve
    numbers, guess = solve(law, measured, measured, times)
    intervals: tuple[tuple[float, float], ...] = ()
    if numbers is not None and redraws:
        rng = np.random.default_rng(seed)
        # A fit takes some of the scatter with it: what is left is stretched back.
        spare = max(1, len(times) - 2 - law.degrades - (len(law.shares) > 1))
        relative = (times / guess - 1) * (len(times) / spare) ** 0.5
        drawn = []
        for _ in range(redraws):
            again = guess * np.maximum(0.01, 1 + rng.choice(relative, len(times)))
            one, _ = _solve(law, measured, measured, again)
            drawn.append((one.start_s, one.bandwidth, one.share, one.degradation))
        ends = np.quantile(np.array(drawn), [(1 - LEVEL) / 2, (1 + LEVEL) / 2], axis=0)
        intervals = tuple((float(low), float(high)) for low, high in ends.T)
    return LawFit(
        law=law,
        numbers=numbers,
        errors=tuple((guess / times - 1).tolist()),
        predicted=None if law.free else _predicted(law, measured),
        intervals=intervals,
    )


def _solve(
    law: ContentionLaw,
    measured: Sequence[MeasuredReduce],
    asked: Sequence[MeasuredReduce],
    times: "np.ndarray",
) -> tuple[Fitted, "np.ndarray"]:
    """Return the numbers that fit `measured` best, and the times that they give for `asked`."""
    import numpy as np

    sent = np.array([one.sent for one in measured])
    rings = np.array([one.rings for one in measured])
    starts = len({one.sent for one in measured}) > 1
    best: tuple[float, Fitted] | None = None
    for share in law.shares:
        effective = np.maximum(1.0, share * rings)
        columns = [np.ones(len(times)) if starts else np.zeros(len(times)), sent * effective]
        columns += [sent * (effective - 1)] if law.degrades else []
        found, error = _least_squares(columns, times)
        if best is None or error < best[0] - 1e-12:
            each = max(found[1], 1e-12)  # Times that do not grow with bytes fit no bandwidth.
            more = found[2] / each if law.degrades else 0.0
            best = error, Fitted(found[0], each, share, more)
    assert best is not None
    numbers = best[1]
    guess = [
        numbers.start_s + one.sent * numbers.s_per_gb * numbers.slowdown(one.rings) for one in asked
    ]
    return numbers, np.array(guess)


def _free(
    law: ContentionLaw,
    measured: Sequence[MeasuredReduce],
    asked: Sequence[MeasuredReduce],
    times: "np.ndarray",
) -> tuple[None, "np.ndarray"]:
    """Fit a slowdown of its own to each number of rings: no law of rings alone does better."""
    import numpy as np

    sent = np.array([one.sent for one in measured])
    rings = np.array([one.rings for one in measured])
    starts = len({one.sent for one in measured}) > 1
    columns = [np.ones(len(times))] if starts else []
    columns += [np.where(rings == k, sent, 0.0) for k in sorted(set(rings.tolist()))]
    found, _ = _least_squares(columns, times)
    return None, np.array(columns).T @ np.array(found)


def _least_squares(
    columns: Sequence["np.ndarray"], times: "np.ndarray"
) -> tuple[list[float], float]:
    """Return numbers of at least 0 with the least relative errors, and how large these are."""
    import numpy as np
    from scipy.optimize import nnls

    found, error = nnls(np.array(columns).T / times[:, None], np.ones(len(times)))
    return found.tolist(), float(error)


def _predicted(law: ContentionLaw, measured: Sequence[MeasuredReduce]) -> float | None:
    """Leave out each number of rings in turn, and say how far the others foretell its times."""
    import numpy as np

    errors: list[float] = []
    for k in sorted({one.rings for one in measured}):
        rest = [one for one in measured if one.rings != k]
        if len({one.rings for one in rest}) < 2:
            return None
        left = [one for one in measured if one.rings == k]
        _, guess = _solve(law, rest, left, np.array([one.seconds for one in rest]))
        errors += [g / one.seconds - 1 for g, one in zip(guess.tolist(), left, strict=True)]
    return _rms(errors)


def _rms(errors: Sequence[float]) -> float:
    return sqrt(sum(e * e for e in errors) / len(errors))
