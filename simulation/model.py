"""An instance as flat records, the only form in which the kernels see it."""

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from ..instances import FluidLinks, MakespanInstance
from .admission import groups, open_bits
from .iteration import parts

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Records = Any
"""A numpy array of records; kernels read and write its elements' fields by name."""

FLOOR, FRACTIONAL, CONTINUOUS, TICKS = 0, 1, 2, 3
PAPER, STEP, MAX_WORKERS = 0, 1, 2
UPLINK, FLUID = 0, 1

_PROGRESS = {"floor": FLOOR, "fractional": FRACTIONAL, "continuous": CONTINUOUS}
_OVERHEAD = {"paper": PAPER, "step": STEP, "max_workers_per_server": MAX_WORKERS}

JOB = np.dtype(
    [
        ("gpus", np.int64),
        ("iterations", np.float64),
        ("release", np.float64),
        ("alone_s", np.float64),
        ("spread_s", np.float64),
        ("transfer_s", np.float64),
        ("group", np.int64),
    ]
)
"""A job: its size, the terms of equation (8) as in `iteration.Parts`, and its group (0 if it
may use every server)."""

LINK = np.dtype(
    [
        ("gpus", np.int64),
        ("width", np.float64),
        ("leaf", np.int64),
        ("spine", np.int64),
        ("open", np.int64),
    ]
)
"""A link, its width in units of b^e. The first links are the servers' uplinks, with the
server's GPUs, the groups of jobs that may use it, as bits, and, under `FLUID`, the links of its
leaf and spine."""


class Model(NamedTuple):
    """Jobs, servers, timing and contention of a `makespan` instance."""

    jobs: Records
    links: Records
    servers: int
    progress: int
    overhead: int
    overhead_s: float
    slot_s: float
    contention: int
    share: float
    degradation: float


def build_model(instance: MakespanInstance) -> Model:
    """Return the records of an instance."""
    contention, servers = instance.contention, instance.cluster.servers
    fluid = isinstance(contention, FluidLinks)
    links = tree(servers, contention) if isinstance(contention, FluidLinks) else flat(servers)
    links["open"][: len(servers)] = open_bits(instance)
    return Model(
        jobs=_jobs(instance),
        links=links,
        servers=len(servers),
        progress=_PROGRESS[instance.progress],
        overhead=_OVERHEAD[instance.overhead],
        overhead_s=float(instance.overhead_s),
        slot_s=float(instance.slot_s),
        contention=FLUID if fluid else UPLINK,
        share=1.0 if isinstance(contention, FluidLinks) else float(contention.share),
        degradation=0.0 if isinstance(contention, FluidLinks) else float(contention.degradation),
    )


def _jobs(instance: MakespanInstance) -> Records:
    rows, group = [], groups(instance)
    for job in instance.jobs:
        terms = parts(instance, job, float)
        fixed = (terms.alone_s, terms.spread_s, terms.transfer_s)
        own = group[job.allowed_regions]
        rows.append((job.gpus, job.iterations, float(job.release_slot), *fixed, own))
    return np.array(rows, dtype=JOB)


class Holder(Protocol):
    """A server of any family."""

    @property
    def name(self) -> str:
        """Its name."""

    @property
    def gpus(self) -> int:
        """Its GPUs."""


def flat(servers: Sequence[Holder]) -> Records:
    """Return the uplinks of servers, all as wide."""
    return np.array([(s.gpus, 1.0, -1, -1, -1) for s in servers], dtype=LINK)


def tree(servers: Sequence[Holder], network: FluidLinks) -> Records:
    """Number the links: servers first, then leaves, then spines."""
    spines = list(dict.fromkeys(leaf.spine for leaf in network.leaves))
    links = np.zeros(len(servers) + len(network.leaves) + len(spines), dtype=LINK)
    index = {server.name: s for s, server in enumerate(servers)}
    links["gpus"][: len(servers)] = [server.gpus for server in servers]
    links["width"][: len(servers)] = 1.0
    links["open"] = -1
    for i, leaf in enumerate(network.leaves, start=len(servers)):
        spine = len(servers) + len(network.leaves) + spines.index(leaf.spine)
        width = len(leaf.servers) / float(network.leaf_oversubscription)
        links["width"][i] = width
        links["width"][spine] += width / float(network.spine_oversubscription)
        for name in leaf.servers:
            links["leaf"][index[name]], links["spine"][index[name]] = i, spine
    return links
