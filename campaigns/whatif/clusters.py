"""Clusters in the words of options: own, own with more or fewer servers, files, and sizes."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from ...instances import RackServer, TraceInstance
from ...instances.catalogue import entries, load_as
from ...instances.errors import ABSENT, InputError, Problem, nearest, plural, unknown
from ...instances.importers.clusters import MANY, in_racks

COMMAND = "ringyard whatif"


def words_of(option: str, words: str) -> list[str]:
    """Return the words between commas."""
    found = [word.strip() for word in words.split(",")]
    if not all(found):
        raise wrong(option, words, "names separated by commas", "leave no name empty")
    return found


def parts(option: str, words: str, *, once: bool = False) -> list[str]:
    """Return the words between commas, each once. With `once`, refuse a second one."""
    found = words_of(option, words)
    second = next((word for i, word in enumerate(found) if word in found[:i]), None)
    if once and second is not None:
        raise wrong(option, second, "it once", "drop the second")
    return list(dict.fromkeys(found))


def not_known(option: str, word: str, known: Sequence[str]) -> InputError:
    """Return the error for a name that there is not."""
    return InputError(COMMAND, [unknown(option, word, known, "choose one of them")])


def wrong(option: str, found: Any, expected: str, advice: str) -> InputError:
    """Return the error for an option."""
    return InputError(COMMAND, [Problem(option, found, expected, advice)])


OWN = "own"
SUFFIXES = (".json", ".json.gz")
SIZE = r"\d{1,6}x\d{1,6}(?::[\w.]{1,100})?"
WORDS = re.compile(rf"({SIZE}(?:\+{SIZE})*)(?:/(\d{{1,6}}))?", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterSize:
    """Servers, with the text of the request."""

    name: str
    servers: tuple[RackServer, ...]
    own: bool = False
    """True for the servers of the trace, with some added or removed."""

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
    found: dict[str, ClusterSize] = {}
    for word in parts("--clusters", words):
        cluster = _cluster(word, trace)
        if cluster.name in found:
            expected = f"clusters of different names, but there are two {cluster.name!r}"
            raise wrong("--clusters", word, expected, "rename the instance in the file")
        found[cluster.name] = cluster
    return list(found.values())


def _cluster(word: str, trace: TraceInstance) -> ClusterSize:
    if word == OWN:
        return ClusterSize(name=OWN, servers=trace.servers, own=True)
    if word in entries() or word.endswith(SUFFIXES):
        other = load_as(TraceInstance, word)
        return ClusterSize(name=other.name, servers=other.servers)
    if word.startswith((f"{OWN}+", f"{OWN}-")):
        return _own(word, trace)
    found = WORDS.fullmatch(word)
    pairs = [pair.split("x", 1) for pair in found[1].split("+")] if found else []
    sizes = [size for count, size in pairs for _ in range(min(int(count), MANY + 1))]
    each = [(int(gpus), kind or None) for gpus, _, kind in (s.partition(":") for s in sizes)]
    racks = int(found[2] or 1) if found else 1
    if not 0 < len(each) <= MANY or 0 in dict(each) or not 0 < racks <= len(each):
        expected = (
            f"{OWN}, {OWN}+2x8, {OWN}-1x8, {OWN}-SERVER, an instance, or servers x GPUs with an "
            f"optional number of racks, such as 15x4, 10x8+2x4, 16x4/2 or 2x8:v100+4x8:k80 with "
            f"kinds of GPUs, with at most {MANY:,} servers"
        )
        raise wrong("--clusters", word, expected, "write it so")
    servers = tuple(
        RackServer(name=f"s{i}", gpus=gpus, gpu=kind) for i, (gpus, kind) in enumerate(each)
    )
    return ClusterSize(name=word, servers=in_racks(servers, racks) if racks > 1 else servers)


PIECE = re.compile(r"(\d{1,6})x(\d{1,6})(?::([\w.]{1,100}))?(?=[+-]|$)", re.ASCII)


def _own(word: str, trace: TraceInstance) -> ClusterSize:
    """Return the trace's cluster with servers added and removed, as in own+2x8-s3."""
    if "/" in word and word.partition("/")[0][len(OWN) + 1 :] not in _names(trace.servers):
        expected = "no number of racks, because added servers join the last rack"
        raise wrong("--clusters", word, expected, "drop the /")
    servers, rest = trace.servers, word.removeprefix(OWN)
    while rest:
        sign, rest = rest[0], rest[1:]
        piece = PIECE.match(rest)
        own = [name for name in _names(servers) if re.match(rf"{re.escape(name)}(?=[+-]|$)", rest)]
        if piece and int(piece[1]) and int(piece[2]):
            count, gpus = int(piece[1]), int(piece[2])
            kind = kind_of(f"--clusters {word}", piece[3], servers, trace)
            changed = resized(servers, count if sign == "+" else -count, gpus, kind)
            if changed is None:
                raise _too_few(word, [one for one in servers if one.gpu == kind], gpus)
            rest = rest[piece.end() :]
        elif own and sign == "-":
            name = max(own, key=len)
            changed = tuple(server for server in servers if server.name != name)
            rest = rest[len(name) :]
        else:
            raise _not_own(word, sign, rest, servers)
        if not changed:
            there = plural(len(trace.servers), "server")
            expected = f"at least one server left, but nothing would remain of the {there}"
            raise wrong("--clusters", word, expected, "remove fewer")
        if len(changed) > MANY:
            raise wrong("--clusters", word, f"at most {MANY:,} servers", "add fewer")
        servers = changed
    return ClusterSize(name=word, servers=servers, own=True)


def kind_of(
    option: str, kind: str | None, servers: Sequence[RackServer], trace: TraceInstance
) -> str | None:
    """Return the kind of GPUs of added or removed servers, if any job can use it."""
    known = dict.fromkeys(server.gpu for server in servers)
    if kind is None:
        if len(known) > 1:
            expected = f"the kind of the GPUs as well, one of {', '.join(map(str, known))}"
            raise wrong(option, ABSENT, expected, f"add it, as in 2x8:{next(iter(known))}")
        return next(iter(known))
    if None in known:
        raise wrong(option, kind, "no kind, as for the servers of the cluster", f"drop :{kind}")
    tables = [job.speeds for job in trace.jobs] + [one.phases[0].speeds for one in trace.types]
    able = dict.fromkeys(width.gpu for speeds in tables for width in speeds if width.gpu)
    able |= dict.fromkeys(job.gpu for job in trace.jobs if job.gpu)
    if kind not in known and kind not in able and all(job.gpu for job in trace.jobs):
        problem = unknown(
            option, kind, [str(one) for one in dict.fromkeys([*known, *able])], "choose one"
        )
        raise InputError(COMMAND, [problem])
    return kind


def _too_few(word: str, servers: Sequence[RackServer], gpus: int) -> InputError:
    """Return the error for the removal of more servers of a size than there are."""
    counts = Counter(server.gpus for server in servers)
    if not counts[gpus]:
        sizes = (f"{plural(n, 'server')} of {plural(size, 'GPU')}" for size, n in counts.items())
        expected = f"servers of a size that the cluster has: {', '.join(islice(sizes, NAMED))}"
        return wrong("--clusters", word, expected, "name one of these sizes")
    there = f"{plural(counts[gpus], 'server')} of {plural(gpus, 'GPU')}"
    expected = f"to remove at most {there}, because the cluster has no more"
    return wrong("--clusters", word, expected, "remove fewer")


NAMED = 12
"""An error lists at most this many servers."""


def _not_own(word: str, sign: str, rest: str, servers: Sequence[RackServer]) -> InputError:
    """Return the error for the rest of a word that names no server of the cluster."""
    name = re.split("[+-]", rest)[0]
    if sign == "-" and name and not re.fullmatch(r"\d*x?\d*", name):
        known = [server.name for server in servers]
        more = f" and {len(known) - NAMED:,} more" if len(known) > NAMED else ""
        expected = f"a server of the cluster: {', '.join(known[:NAMED])}{more}"
        like = nearest(name, known)
        advice = f"did you mean {OWN}-{like}?" if like else "name one of them"
        return wrong("--clusters", word, expected, advice)
    expected = (
        f"{OWN} with added or removed servers x GPUs, or without a server, such as {OWN}+2x8, "
        f"{OWN}-1x8 or {OWN}-{servers[0].name}"
    )
    return wrong("--clusters", word, expected, "write it so")


def _names(servers: Sequence[RackServer]) -> set[str]:
    return {server.name for server in servers}


def resized(
    servers: tuple[RackServer, ...], count: int, gpus: int, gpu: str | None = None
) -> tuple[RackServer, ...] | None:
    """Return the servers after `count` of a size are added, or removed if `count` is below 0.

    The size is the number of GPUs and their kind.

    Added servers are like the last one. The last servers of the size are removed. Return None if
    there are too few.
    """
    if count >= 0:
        known = _names(servers)
        names = (name for i in range(count + len(known)) if (name := f"more {i}") not in known)
        more = (
            replace(servers[-1], name=name, gpus=gpus, gpu=gpu)
            for name, _ in zip(names, range(min(count, MANY + 1)), strict=False)
        )
        return (*servers, *more)
    places = [i for i, one in enumerate(servers) if (one.gpus, one.gpu) == (gpus, gpu)]
    if len(places) < -count:
        return None
    gone = set(places[count:])
    return tuple(server for i, server in enumerate(servers) if i not in gone)
