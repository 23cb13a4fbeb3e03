"""Fairness among jobs and among groups.

- Finish-time fairness: a job's completion time over its time on an equal part of the cluster
  (Mahajan et al., *Themis*, NSDI 2020), with the threshold of *Shockwave* (Zheng et al., NSDI
  2023).
- The same ratio as Shockwave's public simulator counts it, with all jobs of the trace present.
- Jain's index of the groups' GPU-time over their shares (Jain, Chiu and Hawe 1984).
"""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from itertools import accumulate, pairwise

from ...instances.trace import TraceInstance
from ..check.trace_runs import TraceHolding, group_steps_of

UNFAIR = 1.05
"""Ratios above this count as unfair."""
EXACTLY_UNFAIR = Fraction(str(UNFAIR))
"""The same threshold for exact ratios."""

Life = tuple[float, float, float, int]
"""Arrival, end and duration of a job, in any unit of time, and its GPUs."""


def fair_ratios(lives: Sequence[Life], gpus: int) -> list[float]:
    """Return the ratio rho of each job. `gpus` are all GPUs of the cluster.

    With n jobs present, averaged over its life, a job on w of G GPUs would take max(1, n w / G)
    times its duration on an equal part.
    """
    arrived = _since([life[0] for life in lives])
    ended = _since([life[1] for life in lives])

    def ratio(life: Life) -> float:
        arrival, end, duration, width = life
        there = arrived(end) - arrived(arrival) - ended(end) + ended(arrival)
        present = there / (end - arrival)
        return (end - arrival) / (duration * max(1.0, present * width / gpus))

    return [ratio(life) for life in lives]


def static_ratios(times: Iterable[tuple[int, int]], jobs: int, gpus: int) -> list[Fraction]:
    """Return the ratio rho of each job in Shockwave's public simulator (`aggregate_result.py`).

    Its contention factor is max(1, N / G) for N jobs of the whole trace on G GPUs, however long a
    job is there and however many GPUs it needs.

    Args:
        times: Completion time and duration of each job, in any unit of time.
        jobs: Number of jobs of the trace.
        gpus: All GPUs of the cluster.
    """
    contention = max(Fraction(1), Fraction(jobs, gpus))
    return [Fraction(took, duration) / contention for took, duration in times]


def _since(moments: Sequence[float]) -> Callable[[float], float]:
    """Return a function of a time: the sum of the times since all earlier moments."""
    ordered = sorted(moments)
    sums = [0, *accumulate(ordered)]

    def total(time: float) -> float:
        count = bisect_right(ordered, time)
        return count * time - sums[count]

    return total


GroupSteps = dict[str, list[tuple[int, Fraction]]]
"""By group, from which tick on it holds how many GPUs."""


def group_steps(instance: TraceInstance, held: Iterable[TraceHolding]) -> GroupSteps:
    """Return the GPUs that each group of the jobs holds over time, as a step function from tick 0.

    Jobs without a group are left out.
    """
    changes = group_steps_of((job.group for job in instance.jobs if job.group), held)
    found: GroupSteps = {}
    for name, at in changes.items():
        ticks = sorted(tick for tick, change in at.items() if change)
        sums = accumulate(at[tick] for tick in ticks)
        steps = [(tick, Fraction(total, 2)) for tick, total in zip(ticks, sums, strict=True)]
        found[name] = steps if ticks and ticks[0] == 0 else [(0, Fraction(0)), *steps]
    return found


def group_times(steps: GroupSteps, first: int, last: int) -> dict[str, Fraction]:
    """Return the GPU-ticks of each group between two ticks."""
    return {
        name: sum(
            (
                gpus * max(0, min(end, last) - max(start, first))
                for (start, gpus), (end, _) in pairwise([*own, (last, Fraction(0))])
            ),
            Fraction(0),
        )
        for name, own in steps.items()
    }


def group_fairness(
    instance: TraceInstance, held: Iterable[TraceHolding], first: int, last: int
) -> Fraction | None:
    """Return Jain's index of the groups' GPU-time over their shares between two ticks.

    It is 1 if all groups have GPU-time in proportion to their shares, and 1 / n if one of n has all
    of it. It is None for fewer than two groups, or if none holds a GPU. Without `groups` in the
    instance, all shares are equal.
    """
    shares = {group.name: Fraction(group.share) for group in instance.groups}
    times = group_times(group_steps(instance, held), first, last)
    parts = [time / shares.get(name, 1) for name, time in times.items()]
    if len(parts) < 2 or not any(parts):
        return None
    total = sum(parts, Fraction(0))
    return total * total / (len(parts) * sum(part * part for part in parts))
