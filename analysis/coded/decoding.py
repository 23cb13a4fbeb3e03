"""Products that are really encoded and decoded: what is lost to rounding, and why.

A matrix of random numbers is cut into k parts, with rows of zeros added if k does not divide its
own. Every worker multiplies his combination by the vector; the first k results are decoded by
solving k equations. The condition number of these says how many times larger the relative error
may become.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from ...instances import CodedInstance, CodedPlan
from .simulated import draw

Floats = NDArray[np.float64]
Matrix = NDArray[np.float64] | NDArray[np.complex128]


@dataclass(frozen=True, slots=True, kw_only=True)
class Decoded:
    """How a product came out."""

    error: float
    """Norm of the difference from the product of the whole matrix, over the norm of that."""
    condition: float
    """Of the equations that were solved; 1 if none had to be."""
    same: bool
    """Whether it equals the products of the parts bit by bit."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DecodingTask:
    """A matrix and a vector, and the order in which the workers are done."""

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
    times = draw(instance.time, rng, (1, instance.workers))[0]
    return DecodingTask(matrix=matrix, vector=vector, order=tuple(map(int, np.argsort(times))))


def vandermonde(points: Sequence[float] | Matrix, k: int) -> Matrix:
    """Return the powers 0 to k - 1 of each point, a row for each; infinity where they overflow."""
    with np.errstate(over="ignore"):
        powers: Matrix = np.asarray(points)[:, None] ** np.arange(k, dtype=np.float64)
    return powers


def decode(job: DecodingTask, code: Matrix) -> Decoded:
    """Encode with a matrix, a row for each worker; decode from the first that are done.

    The rows of the workers that are too late are not looked at.
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
    """Let worker w multiply part w mod k, and take each part from the first who has it."""
    parts = job.parts(k)
    found: dict[int, Floats] = {}
    for worker in job.order:
        part = worker % k
        if part not in found:
            found[part] = parts[part] @ job.vector
    return _compared(job, np.stack([found[part] for part in range(k)]), 1.0)


def decode_plan(job: DecodingTask, plan: CodedPlan) -> Decoded:
    """Do what a plan says."""
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
