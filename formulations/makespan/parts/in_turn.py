"""Starts for jobs whose GPUs are known: in turn, each as soon as its GPUs are free."""

from collections.abc import Mapping
from fractions import Fraction

from .data import ProgramData

Gpus = Mapping[str, Mapping[str, int]]
"""GPUs of each job on its servers."""


def starts_in_turn(data: ProgramData, gpus: Gpus) -> dict[str, int]:
    """Return a start for each job, in the order of `gpus`; who fits overtakes who waits.

    Rings that bring each other to a standstill forever are not waited for; the judge
    reports them.
    """
    left = {job: Fraction(data.tasks[job].iterations) for job in gpus}
    starts: dict[str, int] = {}
    slot = 0
    while len(starts) < len(gpus):
        running = [job for job in starts if left[job] > 0]
        for job in gpus:
            if (
                job not in starts
                and data.tasks[job].release <= slot
                and _fits(data, [*running, job], gpus)
            ):
                starts[job] = slot
                running.append(job)
        rates = _rates(data, running, gpus)
        for job, rate in rates.items():
            left[job] -= rate if any(rates.values()) else left[job]
        slot += 1
    return starts


def _fits(data: ProgramData, jobs: list[str], gpus: Gpus) -> bool:
    return all(
        sum(gpus[job].get(server, 0) for job in jobs) <= size for server, size in data.sizes.items()
    )


def _rates(data: ProgramData, running: list[str], gpus: Gpus) -> dict[str, Fraction]:
    spread = [job for job in running if len(gpus[job]) > 1]
    rings = {server: sum(server in gpus[job] for job in spread) for server in data.sizes}
    return {
        job: data.rate(
            job,
            len(gpus[job]),
            max(gpus[job].values()),
            max(rings[server] for server in gpus[job]),
        )
        for job in running
    }
