"""The instances that stand for what-if questions: one trace on each cluster, load and network."""

from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import product

from ...instances import TraceInstance, digest
from ...instances.trace.instance import TraceContention
from ..runs import Run, called
from .asked import ClusterSize, Networks
from .workload import at_load, on_servers

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
    how = {method: called(method, "trace") for method in methods.values()}
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
