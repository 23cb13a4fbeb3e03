"""From the words of the options to a campaign of what-if questions, and to its runs.

The instances that stand for what-if questions: one trace on each cluster, load and network.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import product

from ...instances import RackLinks, TraceInstance, digest
from ...instances.errors import plural
from ...instances.trace.instance import TraceContention
from ..runs import BOUND, Run, called
from .asked import KIND, ClusterSize, Networks, clusters_of, methods_of, networks_of
from .workload import at_load, first_jobs, fitting, loads_of, on_servers, talking

LONGEST = 100
"""Characters of a name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayQuestion:
    """Where the workload is replayed, in the words of the options, and the instance."""

    cluster: str
    load: str
    contention: str
    instance: TraceInstance


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayRun:
    """A run, and what it is to answer: the value of each axis."""

    at: dict[str, str]
    run: Run


def questions_of(
    trace: TraceInstance, clusters: list[ClusterSize], loads: dict[str, Decimal], networks: Networks
) -> list[ReplayQuestion]:
    """Return a question for each cluster, load and contention model."""
    found = []
    for cluster, (load, factor) in product(clusters, loads.items()):
        placed = at_load(on_servers(trace, cluster.servers), factor)
        for network, contention in networks.items():
            words = [cluster.name] + ([] if factor == 1 else [f"load {load}"]) + [network]
            instance = _named(trace, placed, contention, ", ".join(words))
            found.append(
                ReplayQuestion(
                    cluster=cluster.name, load=load, contention=network, instance=instance
                )
            )
    return found


def _named(
    trace: TraceInstance, placed: TraceInstance, contention: TraceContention | None, words: str
) -> TraceInstance:
    """Return an instance that says in its name and notes what it is."""
    room = LONGEST - len(words) - 2
    name = f"{trace.name[:room]}: {words}" if room > 0 else words[:LONGEST]
    notes = f"The jobs of {trace.name} ({digest(trace)[:12]}) on other ground: {words}. "
    return replace(
        placed,
        name=name.strip(),
        title=(trace.title or trace.name)[:1000] + f", replayed: {words}",
        notes=(notes + trace.notes)[:20_000],
        contention=contention,
    )


def asked_of(
    questions: list[ReplayQuestion],
    methods: dict[tuple[str, str], str],
    seed: int,
    time_limit: float,
) -> list[ReplayRun]:
    """Return a run of each method, by policy and placement, on each question."""
    how = {method: called(method, KIND) for method in methods.values()}
    return [
        ReplayRun(
            at={
                "cluster": question.cluster,
                "load": question.load,
                "contention": question.contention,
                "policy": policy,
                "placement": placement,
            },
            run=Run(instance=question.instance, seed=seed, time_limit=time_limit, **how[method]),
        )
        for question in questions
        for (policy, placement), method in methods.items()
    ]


def plan_of(trace: TraceInstance, asked: list[ReplayRun], *, strong: bool) -> tuple[str, list[Run]]:
    """Return the campaign file that makes the runs again, and the runs.

    With `strong` bounds, each instance is also given to the bound that takes its time.
    """
    runs = [one.run for one in asked]
    if strong:
        first = {digest(run.instance): run for run in reversed(runs)}
        runs += [
            Run(instance=run.instance, method=BOUND, seed=run.seed, time_limit=run.time_limit)
            for run in first.values()
        ]
    unique = {run.key: run for run in runs}
    return _text(trace, runs), list(unique.values())


def _text(trace: TraceInstance, runs: list[Run]) -> str:
    """Return the file; its instances lie in the folder beside it."""
    files = dict.fromkeys(f"instances/{digest(run.instance)}.json.gz" for run in runs)
    fields = {
        "format": "ringyard-campaign/1",
        "name": f"whatif-{slug(trace.name)}",
        "about": f"The jobs of {trace.name}, replayed.",
        "instances": list(files),
        "methods": list(dict.fromkeys(run.asked or run.method for run in runs)),
        "first_seed": runs[0].seed,
        "time_limit": runs[0].time_limit,
    }
    return "".join(
        f"{key} = {json.dumps(value, ensure_ascii=False)}\n" for key, value in fields.items()
    )


def slug(name: str) -> str:
    """Return a name that a folder may have."""
    return re.sub(r"[^\w.-]+", "-", name).strip(".-") or "trace"


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
    alike = {} if any(job.communication for job in fits.jobs) else dict(list(networks.items())[1:])
    networks = {name: one for name, one in networks.items() if name not in alike}
    questions = questions_of(fits, clusters, loads, networks)
    asked = asked_of(questions, methods, wish.seed, wish.time_limit)
    text, runs = plan_of(trace, asked, strong=wish.strong)
    dropped = len(work.jobs) - len(fits.jobs)
    return Replay(
        asked=tuple(asked),
        runs=tuple(runs),
        text=text,
        dropped=dropped,
        remarks=tuple(_remarks(clusters, networks, dropped, alike)),
    )


def _remarks(
    clusters: list[ClusterSize], networks: Networks, dropped: int, alike: Networks
) -> Iterator[str]:
    if dropped:
        yield f"left out everywhere: {plural(dropped, 'job')} too large for the smallest cluster"
    if alike:
        yield (
            f"no job of the trace communicates, so that {' and '.join(alike)} would be the same; "
            "say how much they do with --communication 0.3, or by model with VGG16=0.6,0.1"
        )
    single = [cluster.name for cluster in clusters if cluster.racks == 1]
    if single and any(isinstance(network, RackLinks) for network in networks.values()):
        yield (
            f"all servers of {' and of '.join(single)} stand in one rack, where only their own "
            "links are shared; 16x4/2 would be two racks"
        )
