"""Clusters to ask about: in words such as 10x8+2x4/3, of another instance, or the trace's own."""

import re
from dataclasses import dataclass

from ...instances import RackServer, TraceInstance
from ...instances.catalogue import entries, load_as
from ...instances.importers.clusters import MANY, in_racks
from .asked import parts, wrong

OWN = "own"
SUFFIXES = (".json", ".json.gz")
WORDS = re.compile(r"(\d{1,6}x\d{1,6}(?:\+\d{1,6}x\d{1,6})*)(?:/(\d{1,6}))?", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterSize:
    """Servers, as they were asked for."""

    name: str
    servers: tuple[RackServer, ...]

    @property
    def gpus(self) -> int:
        """All GPUs."""
        return sum(server.gpus for server in self.servers)

    @property
    def racks(self) -> int:
        """Number of racks."""
        return len({server.rack for server in self.servers})


def clusters_of(words: str, trace: TraceInstance) -> list[ClusterSize]:
    """Return the clusters that an option names."""
    return [_cluster(word, trace) for word in parts("--clusters", words)]


def _cluster(word: str, trace: TraceInstance) -> ClusterSize:
    if word == OWN:
        return ClusterSize(name=OWN, servers=trace.servers)
    if word in entries() or word.endswith(SUFFIXES):
        other = load_as(TraceInstance, word)
        return ClusterSize(name=other.name, servers=other.servers)
    found = WORDS.fullmatch(word)
    pairs = [pair.split("x") for pair in found[1].split("+")] if found else []
    sizes = [int(gpus) for count, gpus in pairs for _ in range(min(int(count), MANY + 1))]
    racks = int(found[2] or 1) if found else 1
    if not 0 < len(sizes) <= MANY or 0 in sizes or not 0 < racks <= len(sizes):
        expected = (
            f"{OWN}, an instance, or servers times GPUs and the number of racks, such as 15x4, "
            f"10x8+2x4 or 16x4/2, with at most {MANY:,} servers"
        )
        raise wrong("--clusters", word, expected, "write it so")
    servers = tuple(RackServer(name=f"s{i}", gpus=gpus) for i, gpus in enumerate(sizes))
    return ClusterSize(name=word, servers=in_racks(servers, racks) if racks > 1 else servers)
