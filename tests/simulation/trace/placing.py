"""Ask a placement for GPUs on a cluster of which some are taken."""

from collections.abc import Mapping, Sequence
from decimal import Decimal

from ringyard.instances import RackServer, TraceInstance, TraceJob
from ringyard.policies.trace.baselines import Fifo
from ringyard.simulation.trace import Service
from ringyard.simulation.trace.advance import choose_now, start_now
from ringyard.simulation.trace.placement import PLACEMENTS
from ringyard.simulation.trace.simulate import PolicyRun

Pieces = dict[int, int]

FOR_ALL = sorted(set(PLACEMENTS) - {"first-fit"})
"""Placements that let every job run on an empty cluster; the other needs a rack that holds it."""


def cluster(sizes: Sequence[int], racks: Sequence[int], jobs: Sequence[Mapping] = (), **rest):
    """Return an instance; what is not said of its jobs is usual."""
    return TraceInstance(
        name="yard",
        servers=tuple(
            RackServer(name=f"s{s}", gpus=size, rack=f"r{rack}")
            for s, (size, rack) in enumerate(zip(sizes, racks, strict=True))
        ),
        jobs=tuple(
            TraceJob(**({"name": f"j{j}", "gpus": 1, "duration_s": Decimal(9)} | dict(job)))
            for j, job in enumerate(jobs or [{}])
        ),
        **rest,
    )


def play(instance: TraceInstance, placement: str, **service) -> PolicyRun:
    return PolicyRun(instance, Fifo(), Service(placement=placement, **service))


def occupy(play: PolicyRun, halves: Sequence[int]) -> None:
    """Leave so many half GPUs free on the servers."""
    for server, free in enumerate(halves):
        play.state.loads["free"][server] = free


def start(play: PolicyRun, job: int, pieces: Pieces, share: int = 2) -> None:
    for k, server in enumerate(sorted(pieces)):
        play.trace.chosen[k], play.trace.taken[k] = server, pieces[server]
    start_now(play.engine, job, share, len(pieces))


def chosen(play: PolicyRun, width: int, share: int = 2, job: int = 0) -> Pieces:
    """Return GPUs by server, none if the placement finds none."""
    count = choose_now(play.engine, job, width, share)
    servers, taken = play.trace.chosen[:count].tolist(), play.trace.taken[:count].tolist()
    return dict(zip(servers, taken, strict=True))
