"""The theorem that shortest remaining time minimizes the mean on a single machine.

Proof: `docs/families/trace.md`.
"""

from typing import Any

from . import Guarantee, Hypothesis, best, optimal, optimal_by_solver


def _several(instance: Any, _: Any) -> str | None:
    narrow = next((job for job in instance.jobs if job.gpus < instance.gpus), None)
    if narrow is None:
        return None
    return f"{narrow.name} requests {narrow.gpus} of {instance.gpus} GPUs"


def _costs(instance: Any, _: Any) -> str | None:
    if instance.restart_s or instance.resume:
        return f"restart_s is {instance.restart_s}, resume_s {instance.resume}"
    return None


def _flexible(instance: Any, _: Any) -> str | None:
    odd = next((job for job in instance.jobs if job.speeds or job.packed_speed), None)
    return odd and f"{odd.name} may run otherwise"


def _unequal(instance: Any, _: Any) -> str | None:
    slow = next((job for job in instance.jobs if job.communication), None)
    if slow is None or len(instance.servers) == 1:
        return None
    return f"{slow.name} is slower over {len(instance.servers)} servers"


def _late(_: Any, options: Any) -> str | None:
    rounds = getattr(options, "rounds", "no")
    return None if rounds == "no" else "jobs are served in rounds"


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
            Hypothesis(name="service at every event", unmet=_late),
        ),
        factor=best,
        methods=("srtf", "srsf"),
    ),
    optimal("state-search"),
    optimal_by_solver("tickwise"),
)
