"""What may be asked for in words: clusters, contention models, policies; the error for others."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import product
from typing import Any

from ...instances import RackLinks, RackServer, ServerUplink, TraceInstance
from ...instances.catalogue import entries, load_as
from ...instances.errors import InputError, Problem, unknown
from ...instances.generate import read_words, with_options
from ...instances.importers.clusters import MANY, in_racks
from ...instances.trace.instance import TraceContention
from ...methods import all_methods, find_method, outside_families

COMMAND = "ringyard whatif"


def parts(option: str, words: str) -> list[str]:
    """Return what stands between commas, each once."""
    found = [word.strip() for word in words.split(",")]
    if not all(found):
        raise wrong(option, words, "names with commas between", "write something in each place")
    return list(dict.fromkeys(found))


def not_known(option: str, word: str, known: Sequence[str]) -> InputError:
    """Return the error for a name that there is not."""
    return InputError(COMMAND, [unknown(option, word, known, "choose one of them")])


def wrong(option: str, found: Any, expected: str, advice: str) -> InputError:
    """Return the error for an option."""
    return InputError(COMMAND, [Problem(option, found, expected, advice)])


NONE, OWN = "none", "own"
PRESETS: dict[str, TraceContention] = {
    "uplink": ServerUplink(),
    "racks": RackLinks(oversubscription=Decimal(2)),
}
"""Models with what they are if nothing is said behind the colon."""

Networks = dict[str, TraceContention | None]


def networks_of(words: str, trace: TraceInstance) -> Networks:
    """Return the contention models that an option names."""
    return {word: _network(word, trace) for word in parts("--contention", words)}


def _network(word: str, trace: TraceInstance) -> TraceContention | None:
    name, *options = word.split(":")
    if name in (NONE, OWN):
        if options:
            raise wrong("--contention", word, f"{name} alone", "leave out the colon")
        return trace.contention if name == OWN else None
    if name not in PRESETS:
        raise not_known("--contention", name, [NONE, OWN, *PRESETS])
    where = f"--contention {name}"
    example = "share=0.5" if name == "uplink" else "oversubscription=4"
    return with_options(PRESETS[name], read_words(options, where, example), where)


KIND = "trace"
"""The problem family whose instances are replayed."""

USUAL = "usual"
"""The placement of a policy where none is asked for."""


def methods_of(policies: str, placements: str | None) -> dict[tuple[str, str], str]:
    """Return the name of a method for each policy and placement."""
    known = [method.name for method in all_methods(KIND)]
    names = parts("--policies", policies)
    for name in names:
        if name.partition(":")[0] not in known and outside_families(name) is None:
            raise not_known("--policies", name.partition(":")[0], [*known, "FILE.py:FUNCTION"])
    if placements is None:
        return {(name, USUAL): find_method(name, KIND).asked for name in names}
    pairs = product(names, parts("--placements", placements))
    return {
        (name, place): find_method(f"{name}:placement={place}", KIND).asked for name, place in pairs
    }


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
    own = trace.servers if word.startswith(f"{OWN}+") else ()
    found = WORDS.fullmatch(word.removeprefix(f"{OWN}+"))
    pairs = [pair.split("x") for pair in found[1].split("+")] if found else []
    sizes = [int(gpus) for count, gpus in pairs for _ in range(min(int(count), MANY + 1))]
    racks = int(found[2] or 1) if found else 1
    if not 0 < len(sizes) <= MANY or 0 in sizes or not 0 < racks <= len(sizes):
        expected = (
            f"{OWN}, {OWN}+2x8, an instance, or servers times GPUs and the number of racks, such "
            f"as 15x4, 10x8+2x4 or 16x4/2, with at most {MANY:,} servers"
        )
        raise wrong("--clusters", word, expected, "write it so")
    if own and (found is None or found[2]):
        raise wrong("--clusters", word, "no racks: more servers join the last one", "drop the /")
    if own:
        last = own[-1]
        more = (replace(last, name=f"more {i}", gpus=gpus) for i, gpus in enumerate(sizes))
        return ClusterSize(name=word, servers=(*own, *more))
    servers = tuple(RackServer(name=f"s{i}", gpus=gpus) for i, gpus in enumerate(sizes))
    return ClusterSize(name=word, servers=in_racks(servers, racks) if racks > 1 else servers)
