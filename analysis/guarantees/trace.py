"""Theorems about policies of traces: the least work left first, and the order of A-SRPT.

Proofs: `docs/families/trace.md` and `docs/theory/policies.md`.
"""

from decimal import Decimal
from fractions import Fraction
from math import ceil
from typing import Any

from ...instances import TraceInstance, TraceJob
from . import USUAL, Guarantee, Hypothesis, best, only, optimal, optimal_by_solver


def _several(instance: Any, _: Any) -> str | None:
    narrow = next((job for job in instance.jobs if job.gpus < instance.gpus), None)
    if narrow is None:
        return None
    return f"{narrow.name} requests {narrow.gpus} of {instance.gpus} GPUs"


def _costs(instance: Any, _: Any) -> str | None:
    if instance.restart_s or instance.resume:
        return f"restart_s is {instance.restart_s}, resume_s {instance.resume}"
    paying = next((job for job in instance.jobs if job.held_s), None)
    return paying and f"{paying.name} restarts at 0"


def _begun(instance: Any, _: Any) -> str | None:
    begun = next((job for job in instance.jobs if job.begun), None)
    return begun and f"{begun.name} had a run before time 0"


def _flexible(instance: Any, _: Any) -> str | None:
    odd = next((job for job in instance.jobs if job.speeds or job.type or job.packed_speed), None)
    return odd and f"{odd.name} may run otherwise"


def _unequal(instance: Any, _: Any) -> str | None:
    slow = next((job for job in instance.jobs if job.communication), None)
    if slow is None or len(instance.servers) == 1:
        return None
    return f"{slow.name} is slower over {len(instance.servers)} servers"


def _late(_: Any, options: Any) -> str | None:
    rounds = getattr(options, "rounds", "no")
    return None if rounds == "no" else "jobs are served in rounds"


def _bound(instance: Any, _: Any) -> str | None:
    bound = next((job for job in instance.jobs if job.allowed_regions), None)
    return bound and f"{bound.name} is bound to regions"


def _outages(instance: Any, _: Any) -> str | None:
    return f"{instance.outages[0].server} has an outage" if instance.outages else None


def _contended(instance: Any, options: Any) -> str | None:
    if instance.contention is None or _unequal(instance, options) is None:
        return None
    return f"jobs share links by {instance.contention.model}"


def _ticks(instance: TraceInstance, seconds: Decimal) -> int:
    from ...simulation.trace.build import whole_ticks

    return whole_ticks(instance, seconds)


def _stretch(instance: TraceInstance, job: TraceJob) -> Fraction:
    """Return by what factor a job takes longer if it runs on several servers."""
    if job.gpus == 1 or len(instance.servers) == 1:
        return Fraction(1)
    work, speed = (
        _ticks(instance, job.duration_s),
        Fraction(10**6) / (1 + Fraction(job.communication)),
    )
    return Fraction(ceil(work * 10**6 / Fraction(max(1, round(speed)))), work)


def completion_factor(instance: TraceInstance) -> Fraction:
    """Return the factor of A-SRPT on the sum of completion times, counted from 0."""
    widths = [job.gpus for job in instance.jobs]
    busy = max(instance.gpus - max(widths) + 1, min(widths))
    errors = [
        Fraction(job.predicted_s or job.duration_s) / Fraction(job.duration_s)
        for job in instance.jobs
    ]
    phi = max(_stretch(instance, job) for job in instance.jobs)
    late = 1 + phi * Fraction(instance.gpus, busy) / min(errors)
    return max(Fraction(1), max(errors)) * late + phi


def virtual_factor(instance: TraceInstance) -> Fraction:
    """Return the factor of A-SRPT on the mean JCT: `completion_factor` and the mean arrival R.

    L, at most the optimum, is the mean JCT on one machine as fast as all GPUs, or at full speed.
    """
    from ...policies.trace.a_srpt import VirtualMachine

    factor, machine = completion_factor(instance), VirtualMachine(instance.gpus)
    ends, come, work, area = [], 0, 0, 0
    for number, job in enumerate(sorted(instance.jobs, key=lambda one: one.arrival_s)):
        arrival, ticks = (_ticks(instance, time) for time in (job.arrival_s, job.duration_s))
        ends += machine.run(arrival)
        machine.add(number, job.gpus * ticks)
        come, work, area = come + arrival, work + ticks, area + job.gpus * ticks
    ends += machine.run(come + area)
    least = max(Fraction(work), Fraction(sum(end for end, _ in ends), instance.gpus) - come)
    return factor + (factor - 1) * come / least


TRACE: tuple[Guarantee, ...] = (
    Guarantee(
        name="least-left-first",
        statement="1",
        source="Schrage 1968, if every gang requests the whole cluster",
        proved=True,
        hypotheses=(
            Hypothesis(name="jobs that each request all GPUs", unmet=_several),
            Hypothesis(name="preemption without cost", unmet=_costs),
            Hypothesis(name="jobs with a single configuration", unmet=_flexible),
            Hypothesis(name="full speed", unmet=_unequal),
            Hypothesis(name="servers without outages", unmet=_outages),
            Hypothesis(name="service at every event", unmet=_late),
            Hypothesis(name="known durations", unmet=only("by", "duration")),
        ),
        factor=best,
        methods=("srtf", "srsf"),
    ),
    Guarantee(
        name="virtual-order",
        statement="f + (f - 1) R / L, f = max(1, b) (1 + phi K / a) + phi, K <= N / (N - w + 1)",
        source="Ringyard, after A-SRPT and Chekuri et al. 2001",
        proved=True,
        hypotheses=(
            USUAL,
            Hypothesis(name="jobs with a single configuration", unmet=_flexible),
            Hypothesis(name="jobs that may run anywhere", unmet=_bound),
            Hypothesis(name="jobs without runs before time 0", unmet=_begun),
            Hypothesis(name="servers without outages", unmet=_outages),
            Hypothesis(name="speeds that depend on no other job", unmet=_contended),
        ),
        factor=virtual_factor,
        methods=("a-srpt",),
    ),
    optimal("state-search"),
    optimal_by_solver("tickwise"),
)
