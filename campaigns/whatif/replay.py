"""From the words of the options to the runs that answer them."""

from collections.abc import Iterator
from dataclasses import dataclass

from ...analysis.drawing.words import plural
from ...instances import RackLinks, TraceInstance
from ..runs import Run
from .clusters import ClusterSize, clusters_of
from .networks import Networks, networks_of
from .plan import plan_of
from .policies import methods_of
from .questions import ReplayRun, asked_of, questions_of
from .workload import first_jobs, fitting, loads_of, talking


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayRequest:
    """What was typed."""

    policies: str
    placements: str | None = None
    clusters: str = "own"
    contention: str = "none"
    load: str = "1"
    communication: str | None = None
    first: int | None = None
    drop: bool = False
    strong: bool = False
    seed: int = 0
    time_limit: float = 600.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Replay:
    """Questions with their runs, the campaign file of all runs, and what a person should know."""

    asked: tuple[ReplayRun, ...]
    runs: tuple[Run, ...]
    text: str
    dropped: int
    remarks: tuple[str, ...]


def replay_of(trace: TraceInstance, wish: ReplayRequest) -> Replay:
    """Return what is to be run; raise `InputError` if something cannot be meant."""
    methods = methods_of(wish.policies, wish.placements)
    clusters = clusters_of(wish.clusters, trace)
    networks, loads = networks_of(wish.contention, trace), loads_of(wish.load)
    work = talking(first_jobs(trace, wish.first), wish.communication)
    fits = fitting(work, clusters, drop=wish.drop)
    questions = questions_of(fits, clusters, loads, networks)
    asked = asked_of(questions, methods, wish.seed, wish.time_limit)
    text, runs = plan_of(trace, asked, strong=wish.strong)
    dropped = len(work.jobs) - len(fits.jobs)
    return Replay(
        asked=tuple(asked),
        runs=tuple(runs),
        text=text,
        dropped=dropped,
        remarks=tuple(_remarks(fits, clusters, networks, dropped)),
    )


def _remarks(
    trace: TraceInstance, clusters: list[ClusterSize], networks: Networks, dropped: int
) -> Iterator[str]:
    if dropped:
        yield f"left out everywhere: {plural(dropped, 'job')} too large for the smallest cluster"
    if any(networks.values()) and not any(job.communication for job in trace.jobs):
        yield (
            "no job of the trace communicates, so that contention cannot matter; say how much "
            "they do with --communication 0.3, or by model with --communication VGG16=0.6,0.1"
        )
    single = [cluster.name for cluster in clusters if cluster.racks == 1]
    if single and any(isinstance(network, RackLinks) for network in networks.values()):
        yield (
            f"all servers of {' and of '.join(single)} stand in one rack, where only their own "
            "links are shared; 16x4/2 would be two racks"
        )
