"""`ringyard reproduce coded`: times with codes and without, and the errors of decoding.

After Lee et al. 2018 (arXiv 1512.02673), recalled: times of a whole task are 1 + Exp(1).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from math import log

import numpy as np
from numpy.random import Generator, default_rng

from ..analysis.coded import beta_of, limit_of
from ..analysis.coded.simulated import (
    Decoded,
    Floats,
    Matrix,
    decode,
    decoding_table,
    draw_job,
    simulate,
    vandermonde,
)
from ..analysis.figures.canvas import Figure, draw, finished, guide, new_figure
from ..analysis.figures.style import LOOKS, POINTS, SOLID
from ..analysis.intervals import Interval
from ..analysis.tables import Cell, Table
from ..campaigns.reproductions import Answers, Results, Settings
from ..instances import CodedInstance, CodedPlan, ShiftedExponential
from ..policies.coded import PointKind, points_of, times_by_parts
from .study import table_of

LAW = ShiftedExponential()
"""1 + Exp(1)."""

WORKERS = (10, 100, 1_000, 10_000, 100_000)
SIMULATED, TRIALS = 1_000, 20_000
"""Times are simulated up to this many workers, in this many trials."""

PAPER: Mapping[int, tuple[str, str, str]] = {
    10: ("0.39290", "7", "0.29938"),
    100: ("0.06187", "69", "0.03131"),
}
"""By workers: seconds without a code, the best number of parts, and seconds with it, worked out
from the recalled formulas."""

PARTS, ROWS, COLUMNS = (5, 10, 25, 50, 69, 90), 500, 20
"""Numbers of parts, and the size of the matrix, of products that 100 workers really make."""

FINE = 1e-6
"""A relative error up to which a product is considered known."""


@dataclass(frozen=True)
class CodedPoint:
    """A number of workers, and the expected times with every number of parts."""

    workers: int

    @cached_property
    def instance(self) -> CodedInstance:
        """The product."""
        return CodedInstance(name=f"coded-{self.workers}", workers=self.workers, time=LAW)

    @cached_property
    def times(self) -> Floats:
        """Seconds by number of parts, from 1."""
        return times_by_parts(self.instance)

    @property
    def parts(self) -> int:
        """The best number of parts."""
        return int(self.times.argmin()) + 1

    @property
    def gain(self) -> float:
        """The time without a code over the time with it."""
        return float(self.times[-1] / self.times.min())

    @property
    def most(self) -> float:
        """The upper bound on the gain: (1 + 1/n) (mu d + H_n) / beta."""
        n, law = self.workers, LAW
        harmonic = float((1 / np.arange(n, 0, -1.0)).sum())
        return (1 + 1 / n) * (float(law.rate_per_s * law.least_s) + harmonic) / float(beta_of(law))

    def simulated(self, parts: int) -> Interval | None:
        """Draw the times with some number of parts, unless workers are too many."""
        if self.workers > SIMULATED:
            return None
        points = points_of("integers", self.workers)
        plan = CodedPlan(instance=self.instance.name, parts=parts, points=points)
        return simulate(self.instance, plan, count=TRIALS, seed=0)


def report(settings: Settings, _: Answers | None = None) -> Results:
    """Make both tables, the chart of gains, and sentences."""
    points = [CodedPoint(n) for n in settings.some(WORKERS)]
    decoded = {k: _decoded(k, settings.seeds) for k in settings.some(PARTS)}
    caption = f"Worst relative errors and conditions over {settings.seeds} products"
    return Results(
        tables={"times": _times(points), "decoding": decoding_table(decoded, caption)},
        charts={"gain": partial(_chart, points)},
        statements=(*_statements(points), _lost(decoded)),
    )


def _times(points: Sequence[CodedPoint]) -> Table:
    heads: dict[str, int | None] = {"workers": 0, "uncoded, s": 7, "known": None}
    heads |= {"uncoded, simulated, s": 7}
    heads |= {"parts": 0, "parts, known": None, "coded, s": 7, "coded, known": None}
    heads |= {"simulated, s": 7, "n x coded": 4, "gain": 4, "at most": 4}
    return table_of(
        "Expected times of a product with the best code and without",
        heads,
        map(_line, points),
        "Times of a whole task are 1 + Exp(1). Known: worked out from the formulas, which are "
        f"recalled. Simulated: mean of {TRIALS:,} trials with 95 % intervals. Gain: "
        "uncoded / coded time, at most (1 + 1/n) (mu d + H_n) / beta.",
    )


def _line(point: CodedPoint) -> tuple[Cell, ...]:
    uncoded, parts, coded = PAPER.get(point.workers, (None, None, None))
    least = float(point.times.min())
    return (
        float(point.workers),
        float(point.times[-1]),
        uncoded,
        point.simulated(point.workers),
        float(point.parts),
        parts,
        least,
        coded,
        point.simulated(point.parts),
        point.workers * least,
        point.gain,
        point.most,
    )


def _chart(points: Sequence[CodedPoint]) -> Figure:
    """Draw the gain by workers, its upper bound, and ln n / beta."""
    beta, about = float(beta_of(LAW)), "Gain of the best code over uncoded parts, by workers"
    figure, axes = new_figure(about, across="workers", up="times faster", log="x")
    guide(axes, [(one.workers, one.most) for one in points], "at most (theorem log-n)", **SOLID)
    guide(axes, [(one.workers, log(one.workers) / beta) for one in points], "ln n / beta")
    gains = [(one.workers, one.gain) for one in points]
    draw(axes, gains, "uncoded / best code", LOOKS[0] | POINTS)
    return finished(figure)


def _decoded(k: int, seeds: int) -> dict[str, Decoded]:
    """Return the worst of some products with each code, by the name of the code."""
    instance, worst = CodedPoint(100).instance, dict[str, Decoded]()
    for seed in range(seeds):
        rng = default_rng(seed)
        job = draw_job(instance, ROWS, COLUMNS, rng)
        for name, code in _codes(k, instance.workers, rng).items():
            one = decode(job, code)
            if name not in worst or one.error > worst[name].error:
                worst[name] = one
    return worst


def _codes(k: int, workers: int, rng: Generator) -> dict[str, Matrix]:
    roots = np.exp(2j * np.pi * np.arange(workers) / workers)
    kinds: dict[str, PointKind] = {"integers": "integers", "Chebyshev": "chebyshev"}
    real = {name: list(map(float, points_of(kind, workers))) for name, kind in kinds.items()}
    codes: dict[str, Matrix] = {name: vandermonde(points, k) for name, points in real.items()}
    return codes | {
        "roots of 1": vandermonde(roots, k),
        "Gaussian": rng.standard_normal((workers, k)),
    }


def _statements(points: Sequence[CodedPoint]) -> Iterator[str]:
    limit, beta = limit_of(LAW), float(beta_of(LAW))
    last, scaled = points[-1], [float(one.workers * one.times.min()) for one in points]
    rises = scaled == sorted(scaled) and scaled[-1] <= limit.scaled_s
    yield (
        f"n times the best time {'rises to' if rises else 'does not rise to'} beta/mu = "
        f"{limit.scaled_s:.4f}: {', '.join(f'{one:.4f}' for one in scaled)}, with "
        f"{last.parts / last.workers:.4f} n parts of {last.workers:,} workers, and 1 - 1/beta "
        f"is {limit.parts:.4f}"
    )
    inside = sum(one.gain <= one.most for one in points)
    whole = f"all {inside}" if inside == len(points) else f"{inside} of {len(points)}"
    shares = ", ".join(f"{one.gain / (log(one.workers) / beta):.2f}" for one in points)
    yield (
        "gain of the best code / (ln n / beta), for shifted exponential times: "
        f"{shares}, within its bound at {whole} numbers of workers"
    )


def _lost(decoded: Mapping[int, Mapping[str, Decoded]]) -> str:
    """Return at which numbers of parts each code is decoded."""
    names, texts_of = list(next(iter(decoded.values()))), list[str]()
    for name in names:
        fine = [k for k, some in decoded.items() if some[name].error <= FINE]
        some = f"only for k = {', '.join(map(str, fine))}" if fine else "for no k"
        texts_of.append(f"{name} {'for every k' if len(fine) == len(decoded) else some}")
    every = all(some[name].error <= FINE for some in decoded.values() for name in names)
    whole = "with every code" if every else "not with every code"
    return (
        f"any k of n results give the product: always in exact arithmetic, and in floating point, "
        f"with an error of at most {FINE:g}, {whole}: "
        f"{', '.join(texts_of)}"
    )
