"""Simulated coded products, actual encoding and decoding, and their tables and figure.

The mean time to the product comes from many trials, with its confidence interval.

Decoding measures the rounding error. A random matrix is cut into k parts, padded with rows of zeros
if k does not divide its height. Each worker multiplies its combination by the vector, and the first
k results are decoded by solving k equations. Their condition number bounds the growth of the
relative error.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import floor, inf, isfinite, log10, sqrt

import numpy as np
from numpy.random import Generator, default_rng
from numpy.typing import NDArray

from ...instances import Bimodal, CodedInstance, CodedPlan, ParetoTime, ShiftedExponential, TaskTime
from ...instances.errors import plural
from ..figures.canvas import Figure, draw, finished, new_figure
from ..figures.style import BARE, LOOKS, POINTS
from ..intervals import LEVEL, Interval
from ..tables.model import Cell, Column, Table, columns_of, numbers, texts

Floats = NDArray[np.float64]

BLOCK = 2**21
"""Times drawn per block."""


def draw_times(law: TaskTime, rng: Generator, shape: tuple[int, int]) -> Floats:
    """Return independent times of a whole task."""
    if isinstance(law, ShiftedExponential):
        return float(law.least_s) + rng.standard_exponential(shape) / float(law.rate_per_s)
    if isinstance(law, ParetoTime):
        return float(law.least_s) * np.exp(rng.standard_exponential(shape) / float(law.tail))
    if isinstance(law, Bimodal):
        late = rng.random(shape) < float(law.slow)
        return np.where(late, float(law.slow_s), float(law.fast_s))
    return rng.choice(np.array(law.times_s, dtype=np.float64), shape)


def known_at(plan: CodedPlan, times: Floats) -> Floats:
    """Return when the product is known, by trial: a row of times for each, in whole tasks."""
    trials, workers = times.shape
    k = plan.parts
    if plan.points:
        reached: Floats = np.partition(times, k - 1, axis=1)[:, k - 1]
        return reached
    # Worker w has part w mod k; the last row of copies may be short.
    copies = np.full((trials, -(-workers // k) * k), np.inf)
    copies[:, :workers] = times
    first = copies.reshape(trials, -1, k).min(axis=1)
    slowest: Floats = first.max(axis=1)
    return slowest


def trials(
    instance: CodedInstance, plan: CodedPlan, rng: Generator, count: int
) -> Iterator[Floats]:
    """Yield the times to the product of `count` trials, in blocks that fit into memory."""
    share = float(instance.share(plan.parts))
    most = max(1, BLOCK // instance.workers)
    for start in range(0, count, most):
        shape = (min(most, count - start), instance.workers)
        yield share * known_at(plan, draw_times(instance.time, rng, shape))


def simulate(
    instance: CodedInstance,
    plan: CodedPlan,
    *,
    count: int,
    seed: int,
    level: float = LEVEL,
    report: Callable[[int], None] | None = None,
) -> Interval:
    """Return the mean of independent trials with Student's t interval.

    Trials are drawn and discarded block by block. `report` receives the number of finished trials.
    """
    from scipy.special import stdtrit

    rng, done, mean, squares = default_rng(seed), 0, 0.0, 0.0
    for block in trials(instance, plan, rng, count):
        # Means and sums of squares about them are merged as in Chan, Golub and LeVeque 1983.
        size, own = len(block), float(block.mean())
        apart = own - mean
        squares += float(((block - own) ** 2).sum()) + apart**2 * done * size / (done + size)
        done += size
        mean += apart * size / done
        if report is not None:
            report(done)
    half = inf
    if done > 1:
        spread = sqrt(squares / (done - 1) / done)
        half = float(stdtrit(done - 1, (1 + level) / 2)) * spread
    return Interval(mean=mean, low=mean - half, high=mean + half, count=done, level=level)


def endless_variance(instance: CodedInstance, plan: CodedPlan) -> bool:
    """Return True if the variance is infinite, so that the interval is too narrow."""
    if not isinstance(instance.time, ParetoTime):
        return False
    n, k = instance.workers, plan.parts
    copies = n - k + 1 if plan.points else n // k
    return copies * instance.time.tail <= 2


Matrix = NDArray[np.float64] | NDArray[np.complex128]


@dataclass(frozen=True, slots=True, kw_only=True)
class Decoded:
    """Numerical accuracy of a decoded product."""

    error: float
    """Norm of the difference from the product of the whole matrix, over the norm of that."""
    condition: float
    """Condition number of the equations, 1 if no system was solved."""
    same: bool
    """True if it equals the products of the parts bit by bit."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DecodingTask:
    """A matrix and a vector, and the order in which the workers finish."""

    matrix: Floats
    vector: Floats
    order: Sequence[int]

    def parts(self, k: int) -> Floats:
        """Return the matrix in k parts of as many rows."""
        rows, columns = self.matrix.shape
        padded = np.zeros((-(-rows // k) * k, columns))
        padded[:rows] = self.matrix
        return padded.reshape(k, -1, columns)


def draw_job(instance: CodedInstance, rows: int, columns: int, rng: Generator) -> DecodingTask:
    """Return a random job of an instance."""
    matrix, vector = rng.standard_normal((rows, columns)), rng.standard_normal(columns)
    times = draw_times(instance.time, rng, (1, instance.workers))[0]
    return DecodingTask(matrix=matrix, vector=vector, order=tuple(map(int, np.argsort(times))))


def vandermonde(points: Sequence[float] | Matrix, k: int) -> Matrix:
    """Return the powers 0 to k - 1 of each point as rows, infinite on overflow."""
    with np.errstate(over="ignore"):
        powers: Matrix = np.asarray(points)[:, None] ** np.arange(k, dtype=np.float64)
    return powers


def decode(job: DecodingTask, code: Matrix) -> Decoded:
    """Encode with a matrix (one row per worker) and decode from the first finished workers.

    The rows of late workers are not used.
    """
    k = code.shape[1]
    equations = code[list(job.order[:k])]
    if not np.isfinite(equations).all():
        return Decoded(error=inf, condition=inf, same=False)
    results = np.tensordot(equations, job.parts(k), axes=1) @ job.vector
    try:
        found = np.linalg.solve(equations, results)
    except np.linalg.LinAlgError:  # Singular to the last bit: least squares gives what there is.
        found = np.linalg.lstsq(equations, results)[0]
    real: Floats = np.asarray(found.real, dtype=np.float64)
    return _compared(job, real, float(np.linalg.cond(equations)))


def collect(job: DecodingTask, k: int) -> Decoded:
    """Multiply part w mod k at worker w, and collect each part from its first finisher."""
    parts = job.parts(k)
    found: dict[int, Floats] = {}
    for worker in job.order:
        part = worker % k
        if part not in found:
            found[part] = parts[part] @ job.vector
    return _compared(job, np.stack([found[part] for part in range(k)]), 1.0)


def decode_plan(job: DecodingTask, plan: CodedPlan) -> Decoded:
    """Encode and decode according to a plan."""
    if not plan.points:
        return collect(job, plan.parts)
    return decode(job, vandermonde([float(point) for point in plan.points], plan.parts))


def _compared(job: DecodingTask, found: Floats, condition: float) -> Decoded:
    product = job.matrix @ job.vector
    with np.errstate(over="ignore"):
        apart = float(np.linalg.norm(found.reshape(-1)[: len(product)] - product))
    parts = np.array([part @ job.vector for part in job.parts(len(found))])
    return Decoded(
        error=apart / float(np.linalg.norm(product)),
        condition=condition,
        same=bool(np.array_equal(found, parts)),
    )


SCHEMES_NOTE = (
    "Expected: exact expected time until the product is known. Gain: expected time of the uncoded "
    "scheme over this expected time."
)
CURVE_NOTE = (
    "MDS: each worker computes a combination, and any k results suffice. Repeated: each worker "
    "computes a part."
)
DECODED_NOTE = (
    "Error: relative norm of the difference from the product. Condition: condition number of the k "
    "equations of the first k workers. At 1e16 or more, every digit may be lost."
)

FIGURES = 5
"""Significant digits of a column's minimum time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scheme:
    """A method, its number of parts, and its times (None without a plan)."""

    name: str
    parts: int | None
    expected_s: float | None
    simulated: Interval | None = None
    doubt: bool = False
    """True if the variance is infinite, and the interval therefore too narrow."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PartsPoint:
    """The expected times with a number of parts."""

    parts: int
    mds_s: float
    repeated_s: float

    def plain(self) -> dict[str, float | None]:
        """Return the numbers by name, None for infinite times."""
        times = {"mds_s": self.mds_s, "repeated_s": self.repeated_s}
        finite = {name: time if isfinite(time) else None for name, time in times.items()}
        return {"parts": self.parts, **finite}


def scheme_table(schemes: Sequence[Scheme], caption: str) -> Table:
    """Return a row for each scheme, with simulated times if available."""
    shown = [one.expected_s for one in schemes if one.expected_s is not None]
    digits = _decimals(shown)
    plain = next((one.expected_s for one in schemes if one.name == "uncoded"), None)
    columns = [
        *columns_of({"scheme": None, "parts": 0}),
        Column(head="expected, s", digits=digits, best="min"),
        Column(head="gain", digits=2),
    ]
    simulated = any(one.simulated for one in schemes)
    if simulated:
        columns.append(Column(head="simulated, s (95 % interval)", digits=digits))
    rows = []
    for one in schemes:
        gain = None if one.expected_s is None else (plain or inf) / one.expected_s
        row: list[Cell] = [one.name, one.parts, one.expected_s, gain]
        rows.append((*row, one.simulated) if simulated else tuple(row))
    return Table(caption=caption, columns=tuple(columns), rows=tuple(rows), notes=(SCHEMES_NOTE,))


def curve_table(points: Sequence[PartsPoint], caption: str) -> Table:
    """Return a line for each number of parts."""
    times = [time for one in points for time in (one.mds_s, one.repeated_s)]
    digits = _decimals([time for time in times if isfinite(time)])
    return Table(
        caption=caption,
        columns=(
            Column(head="parts"),
            Column(head="MDS, s", digits=digits, best="min"),
            Column(head="repeated, s", digits=digits, best="min"),
        ),
        rows=tuple((one.parts, one.mds_s, one.repeated_s) for one in points),
        notes=(CURVE_NOTE,),
    )


def decoding_table(found: Mapping[int, Mapping[str, Decoded]], caption: str) -> Table:
    """Return a line for each number of parts, with error and condition by kind of code."""
    kinds = list(next(iter(found.values())))
    heads = [head for kind in kinds for head in texts("error", "condition", over=kind)]
    rows: list[tuple[Cell, ...]] = [
        (k, *(f"{value:.0e}" for kind in kinds for value in (row[kind].error, row[kind].condition)))
        for k, row in found.items()
    ]
    return Table(
        caption=caption,
        columns=(*numbers("parts"), *heads),
        rows=tuple(rows),
        notes=(DECODED_NOTE,),
    )


def _decimals(times: Sequence[float]) -> int:
    least = min((time for time in times if time > 0), default=1.0)
    return max(0, FIGURES - 1 - floor(log10(least)))


def draw_curve(name: str, points: Sequence[PartsPoint]) -> Figure:
    """Draw the curves of codes and of repeated parts, with the best of each."""
    about = f"{name}: expected time in seconds by number of parts"
    figure, axes = new_figure(about, across="parts of the matrix", up="expected time, s", log="y")
    fields = {"MDS code": "mds_s", "repeated parts": "repeated_s"}
    for look, (label, field) in zip(LOOKS, fields.items(), strict=False):
        known = [(one.parts, getattr(one, field)) for one in points]
        line = [(parts, time) for parts, time in known if isfinite(time)]
        if line:
            best = min(line, key=lambda point: point[1])
            draw(axes, line, "", look | BARE)
            named = f"{label}, best: {best[1]:.4g} s with {plural(best[0], 'part')}"
            draw(axes, [best], named, look | POINTS)
    return finished(figure, (name,))
