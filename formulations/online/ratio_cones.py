"""A sum of ratios in cones: in logarithms of workers and servers it is convex.

Source: SMD, its program of a single job, without integers; geometric programming (Duffin,
Peterson and Zener 1967). With y = ln workers and s = ln servers every ratio is an exponential.

Columns y, s >= 0; workers >= exp(y), servers >= exp(s); ratio[k] >= exp(above - below).

    time       minimise the constant and the weights times ratio[k]
    reserved   O_r / v_r workers + G_r / v_r servers <= 1
"""

from decimal import Decimal

from ...instances import OnlineInstance, Sigmoid
from ..conic import Affine, ConicProgram, Held, conic_program
from .smd_data import SmdJob
from .sum_of_ratios import needed, ratios

LOGS = ("ln_workers", "ln_servers", None)
AMOUNTS = ("workers", "servers")

WORKER_MS, SERVER_MS = 3.5, 0.005
"""What a worker and a server add to a step: the middles of SMD's ranges."""


ANY_UTILITY = Sigmoid(value=Decimal(1), steepness=Decimal(0), midpoint_slots=Decimal(0))
"""The quickest step does not depend on what a job is worth."""


def ratio_cones(job: SmdJob) -> ConicProgram:
    """Return the conic program of a job; its value is milliseconds, as in `sum_of_ratios`."""
    constant_ms, parts = ratios(job)
    cost = dict.fromkeys([*LOGS[:2], *AMOUNTS], 0.0)
    held = [Held("at_least_one", "positive", tuple(Affine({log: 1.0}) for log in LOGS[:2] if log))]
    for amount, log in zip(AMOUNTS, LOGS, strict=False):
        assert log is not None
        held.append(_exponential(amount, amount, {log: 1.0}))
    for k, part in enumerate(parts):
        cost[f"ratio[{k}]"] = part.weight
        pair = ((LOGS[part.above], 1.0), (LOGS[part.below], -1.0))
        held.append(_exponential(part.name, f"ratio[{k}]", {log: x for log, x in pair if log}))
    for r in needed(job):
        room = job.reserved[r]
        used = {"workers": -job.worker[r] / room, "servers": -job.server[r] / room}
        held.append(Held(f"reserved[{r}]", "positive", (Affine(used, 1.0),)))
    return conic_program(cost, held, constant_ms)


def _exponential(name: str, column: str, power: dict[str, float]) -> Held:
    """Return that a column is at least an exponential."""
    parts = Affine({column: 1.0}), Affine({}, 1.0), Affine(power)
    return Held(f"exp[{name}]", "exponential", parts)


def job_of(instance: OnlineInstance, number: int) -> SmdJob:
    """Return a job of an instance as SMD has them: in one machine, which is all reserved for it.

    The machine is that of the same number, or the next with room for a worker and a server. One
    synchronous step counts, with the job's batch, computing time, parameters and bandwidth inside
    a machine; what workers and servers add to it is that of SMD.
    """
    job, machines = instance.jobs[number], instance.machines
    worker, server = dict(job.worker), dict(job.server)
    order = [machines[(number + k) % len(machines)] for k in range(len(machines))]
    rooms = (
        [dict(machine.capacity).get(r, 0) for r in instance.resources]
        for machine in order
        if all(
            worker.get(r, 0) + server.get(r, 0) <= dict(machine.capacity).get(r, 0)
            for r in instance.resources
        )
    )
    return SmdJob(
        name=job.name,
        synchronous=True,
        epochs=1.0,
        samples=float(job.batch_samples),
        forward_ms=1000 * float(job.sample_s),
        backward_ms=0.0,
        size_mb=1000 * float(job.gradient_gb),
        bandwidth_mb_ms=float(job.internal_gb_s),
        worker_ms=WORKER_MS,
        server_ms=SERVER_MS,
        worker=tuple(float(worker.get(r, 0)) for r in instance.resources),
        server=tuple(float(server.get(r, 0)) for r in instance.resources),
        reserved=tuple(map(float, next(rooms))),
        utility=ANY_UTILITY,
    )


def ratio_cones_of(instance: OnlineInstance, number: int) -> ConicProgram:
    """Return the program of one of the jobs of an instance."""
    return ratio_cones(job_of(instance, number))
