"""Shares of the time that jobs have on kinds of GPUs: one program for all of Gavel's policies.

Source: Gavel (Narayanan et al., OSDI 2020), and `policies/` of its public simulator.

Data: jobs j on g_j GPUs each, kinds k of G_k GPUs, the speed s_jk of job j on kind k, or 0 if it
cannot run there.

Variables
    share[j, k] >= 0: part of the time in which job j runs on kind k, if s_jk > 0

Constraints
    one_at_a_time[j]: sum_k share[j, k] <= 1
    gpus_fit[k]: sum_j g_j share[j, k] <= G_k
    served[j]: sum_k s_jk share[j, k] >= need_j(level)

The policies differ in the need. It falls as the level rises: the time until a job has done its work
is the level times its time alone, minus its age. The least level is found by Newton's method: the
duals y of `served` prove that sum_j y_j need_j <= max_share sum_jk y_j s_jk share[j, k], and the
least level at which that holds is the next one. Policies without a need maximise the sum of values
of all shares.

Many shares reach the least level. A point near their centre is taken, as interior point methods of
Gavel's policies do: a corner gives each job few kinds, and other jobs no more than they need.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..adapters.highs import IncrementalLP
from ..covering import covering
from ..program import Floats

HALVINGS = 200
"""Most steps of the search for a level: enough for the last digit."""

CLOSE = 1e-9
"""Needs are met if no job lacks more than this part of its need."""

ROOM = 1e-7
"""Part by which needs are lowered, so that the points that meet them have a centre."""


class SharedCluster(NamedTuple):
    """The jobs and the kinds of GPUs that they share."""

    speeds: Floats
    """By job and kind."""
    gpus: Floats
    """GPUs of each job."""
    room: Floats
    """GPUs of each kind."""


@dataclass(frozen=True, slots=True)
class TimeClaims:
    """Needs that fall as a level rises, in arrays by job."""

    work: Floats
    """Speed times time."""
    alone: Floats
    """Times that are measured in levels."""
    age: Floats
    """Times that are over."""

    def at(self, level: float, best: Floats) -> Floats:
        """Return the speeds that jobs need on average, at most their best speeds."""
        return self.work / np.maximum(self.work / best, level * self.alone - self.age)

    def first(self, best: Floats) -> float:
        """Return the least level that every job reaches if it is alone."""
        return float(((self.age + self.work / best) / self.alone).max())


def fair_shares(shared: SharedCluster, claims: TimeClaims, level: float) -> Floats:
    """Return shares by job and kind near the centre of all that meet the needs of a level.

    There has to be a job. Every job can run on some kind, and the level is not below the least.
    """
    return _centre(shared, claims.at(level, shared.speeds.max(axis=1)) * (1 - ROOM))


def least_level(shared: SharedCluster, claims: TimeClaims) -> float:
    """Return the least level at which shares meet all needs."""
    best = shared.speeds.max(axis=1)
    level = claims.first(best)
    program = _program(shared, np.zeros(len(best)))
    while True:
        needs = claims.at(level, best)
        # A column with smaller needs is never worse than those before it, so these may stay.
        program.add_column(-1.0, range(len(best)), (-needs).tolist())
        optimum = program.solve()
        if -optimum.value >= 1 - CLOSE:
            return level
        prices = optimum.duals[: len(best)]
        level = _least_paid(claims, best, prices, -optimum.value * float(prices @ needs), level)


def _least_paid(
    claims: TimeClaims, best: Floats, prices: Floats, worth: float, low: float
) -> float:
    """Return the least level above `low` at which all needs are worth no more than so much."""
    return _first(lambda level: float(prices @ claims.at(level, best)) <= worth, low)


def lexicographic_shares(claims: TimeClaims, gpus: Floats, room: float) -> Floats:
    """Return the shares on GPUs of one kind on which all jobs have speed 1.

    The level falls further for jobs that do not have all of the time, until all GPUs are given
    away. These shares are the only ones that are best for the next worse off, and so on.
    """
    ones = np.ones(len(gpus))

    def fit(level: float) -> bool:
        # One after the other: pairwise sums have other last digits.
        return bool(np.cumsum(gpus * claims.at(level, ones))[-1] <= room)

    return claims.at(_first(fit, 0.0), ones)


def valued_shares(shared: SharedCluster, values: Floats) -> Floats:
    """Return shares near the centre of all whose value is greatest, without needs."""
    return _centre(shared, np.zeros(len(values)), values)


def _first(holds: Callable[[float], bool], low: float) -> float:
    """Return the least number above `low` at which a condition holds, by halving an interval."""
    high = max(2 * low, 1.0)
    while not holds(high):
        low, high = high, 2 * high
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


def _program(shared: SharedCluster, needs: Floats, values: Floats | None = None) -> IncrementalLP:
    """Return the program with the shares as columns: rows `served`, `one_at_a_time`, `gpus_fit`."""
    speeds, gpus, room = shared
    jobs = len(gpus)
    program = covering(needs.tolist(), [1.0] * jobs + room.tolist())
    for j, k in np.argwhere(speeds > 0).tolist():
        value = 0.0 if values is None else float(values[j, k])
        entries = (float(speeds[j, k]), 1.0, float(gpus[j]))
        program.add_column(-value, (j, jobs + j, 2 * jobs + k), entries)
    return program


def _centre(shared: SharedCluster, needs: Floats, values: Floats | None = None) -> Floats:
    shares = np.zeros(shared.speeds.shape)
    found = _program(shared, needs, values).centre()
    shares[shared.speeds > 0] = np.clip(found, 0.0, 1.0)
    return shares
