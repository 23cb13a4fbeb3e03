"""Results of `ringyard code`: comparison of schemes, all numbers of parts, decoding."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, get_args

import numpy as np

from ..analysis.coded.simulated import (
    Decoded,
    Matrix,
    PartsPoint,
    Scheme,
    decode,
    decode_plan,
    draw_job,
    endless_variance,
    simulate,
    vandermonde,
)
from ..instances import CodedInstance
from ..policies.coded import PointKind, points_of, times_by_copies, times_by_parts
from ..run import Answer, solve

METHODS = ("uncoded", "replication", "mds")
"""Methods in display order."""

SHARES = (0.1, 0.25, 0.5, 0.75, 0.9)
"""Parts, as shares of the workers, with which codes are tried."""


def answers(instance: CodedInstance) -> list[Answer]:
    """Return the checked answers of all methods."""
    return [solve(instance, method) for method in METHODS]


def scheme(
    answer: Answer,
    *,
    trials: int | None = None,
    seed: int = 0,
    report: Callable[[int], None] | None = None,
) -> Scheme:
    """Return the values of an answer, simulated if a number of trials is given."""
    name, plan, value = answer.method.name, answer.schedule, answer.objective
    if plan is None or value is None or not isinstance(answer.instance, CodedInstance):
        return Scheme(name=name, parts=None, expected_s=None)
    measured = trials and simulate(answer.instance, plan, count=trials, seed=seed, report=report)
    return Scheme(
        name=name,
        parts=plan.parts,
        expected_s=float(value),
        simulated=measured or None,
        doubt=endless_variance(answer.instance, plan),
    )


def curve(instance: CodedInstance) -> list[PartsPoint]:
    """Return the expected times with 1 to n parts."""
    pairs = zip(times_by_parts(instance), times_by_copies(instance), strict=True)
    return [
        PartsPoint(parts=k, mds_s=float(mds), repeated_s=float(repeated))
        for k, (mds, repeated) in enumerate(pairs, 1)
    ]


def some_of(points: list[PartsPoint], count: int) -> list[PartsPoint]:
    """Return the given number of points, evenly spread, and the best of either kind."""
    kept = {round(i) for i in np.linspace(0, len(points) - 1, min(count, len(points)))}
    for field in ("mds_s", "repeated_s"):
        kept.add(min(range(len(points)), key=lambda i: getattr(points[i], field)))
    return [points[i] for i in sorted(kept)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Decodings:
    """Decoding results of one job, by plan, and by number of parts and kind of code."""

    plans: Mapping[str, Decoded]
    codes: Mapping[int, Mapping[str, Decoded]]


def decodings(answers: Sequence[Answer], *, rows: int, columns: int, seed: int) -> Decodings:
    """Draw a job, and do it as the answers say and with codes of other kinds and sizes.

    The workers are done in one order every time.
    """
    instance: Any = answers[0].instance
    rng, n = np.random.default_rng(seed), instance.workers
    job = draw_job(instance, rows, columns, rng)
    plans = {one.method.name: one.schedule for one in answers if one.schedule is not None}
    numbers = {plans["mds"].parts} if "mds" in plans else set()
    numbers |= {max(1, round(share * n)) for share in SHARES}
    rows_of: dict[str, Matrix] = {
        **{
            kind: vandermonde(list(map(float, points_of(kind, n))), n)
            for kind in get_args(PointKind)
        },
        "roots of 1": vandermonde(np.exp(2j * np.pi * np.arange(n) / n), n),
        "Gaussian": rng.standard_normal((n, n)),
    }
    return Decodings(
        plans={name: decode_plan(job, plan) for name, plan in plans.items()},
        codes={
            k: {kind: decode(job, matrix[:, :k]) for kind, matrix in rows_of.items()}
            for k in sorted(numbers)
        },
    )
