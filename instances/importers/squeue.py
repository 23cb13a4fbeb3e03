"""A queue of Slurm as it is now: the output of `squeue`, and the nodes of `scontrol show node`.

Running jobs hold their GPUs at time 0. Nodes that are down are left out, and nodes that drain keep
their running jobs only.
"""

import re
from collections import Counter
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from ..errors import ABSENT, Words, plural, shown
from ..reading.decode import read_text
from ..trace import RackServer
from .lines import EMPTY, LineLayout, decoded, table
from .nodes import node_names
from .reading import Cells, Exact, Foreign, ForeignJob, Reading, Record, Source, collecting
from .sacct import COUNT, PART, limit_of, span_of

COLUMNS = "JobArrayID:30|,State:20|,TimeUsed:20|,TimeLimit:20|,tres-alloc:200|,NodeList:200"
"""The needed part of `squeue --Format`."""
LAYOUT = LineLayout(
    needed=("JOBID", "STATE", "TIME", "TIME_LIMIT", "TRES_ALLOC", "NODELIST"),
    others=("PRIORITY", "ACCOUNT", "REASON", "PARTITION"),
    delimiter="|",
)
DURATIONS = LineLayout(needed=("job", "duration_s"), headless=False)

ON_NODES = ("RUNNING", "CONFIGURING", "SUSPENDED", "STOPPED", "SIGNALING", "STAGE_OUT", "RESIZING")
"""States of a job that holds GPUs."""
BARRED = re.compile(r"JobHeld\w+|JobHold\w+|Dependency\w*|BeginTime|Bad\w+|Invalid\w+", re.ASCII)
"""Reasons for which a job cannot start, whatever is free."""
DOWN = {"DOWN", "ERROR", "FUTURE", "UNKNOWN", "INVAL", "INVALID_REG"}
"""States of a node on which nothing runs."""
DRAINING = {
    *("DRAIN", "DRAINED", "DRAINING", "FAIL", "FAILING", "MAINT", "MAINTENANCE", "RESERVED"),
    *("NOT_RESPONDING", "REBOOT_ISSUED"),
}
"""States of a node that gets no new jobs."""
NODE = re.compile(r"(?<!\S)NodeName=(\S+)(.*?)(?=\sNodeName=|\Z)", re.DOTALL)
GRES = re.compile(r"gpu(?::([^:]*[^:\d][^:]*))?(?::(\d{1,9}))?", re.ASCII)
MOST_PRIORITY = 10**9
ENDLESS = "no time limit (--durations)"
UP, OUT = "up", "draining"
"""Regions of nodes, if running jobs are on nodes that drain."""


class Node(NamedTuple):
    """A node with GPUs."""

    gpus: int
    gpu: str | None
    state: str
    down: bool
    draining: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class QueuedJob:
    """A job of the queue, and where it runs."""

    job: ForeignJob
    nodes: tuple[str, ...] = ()
    priority: int = 0


def read(source: Source, reading: Reading) -> Foreign:
    """Read the queue and its nodes."""
    if source.nodes is None:
        expected = "a file with the output of `scontrol show node`"
        reading.reject("--nodes", ABSENT, expected, "add --nodes FILE")
        return Foreign(jobs=[])
    nodes = read_nodes(source.nodes, reading)
    lengths = {} if source.durations is None else read_durations(source.durations)
    rows = table(source.text, LAYOUT.grouped(source.group), reading, source.columns)
    found = list(reading.each(rows, partial(_job, source, lengths)))
    reading.notes.append(
        "jobs are expected to use their whole time limit, except those in --durations"
        if lengths
        else "jobs are expected to use their whole time limit (--durations)"
    )
    free = {name: 0 if node.down else node.gpus for name, node in nodes.items()}
    order = sorted(range(len(found)), key=lambda i: len(found[i].nodes) > 1)
    for i in order:  # Slurm does not say how GPUs are split over nodes: the clear cases go first.
        found[i] = _placed(found[i], nodes, free, reading)
    return _foreign(_scaled(found), nodes, reading)


def _job(
    source: Source, lengths: dict[str, Exact], record: Record, cells: Cells
) -> QueuedJob | None:
    """Return a job that waits or runs."""
    name, state = cells.needed("JOBID"), cells.text("STATE")
    runs, limit = state in ON_NODES, limit_of(cells, "TIME_LIMIT")
    duration, why = lengths.get(name, limit), ""
    if state not in ("PENDING", *ON_NODES):
        why = "neither waiting nor running"
    elif not runs and BARRED.fullmatch(cells.text("REASON").strip("()")):
        why = "held, or waiting for another job or a date"
    elif duration is None:
        why = ENDLESS
    gpus, gpu = _request(cells)
    nodes = tuple(node_names(cells, "NODELIST")) if runs else ()
    if runs and not nodes:
        cells.reject("NODELIST", "the nodes on which the job runs", "complete it")
    job = ForeignJob(
        record=record,
        name=name,
        arrival=0,
        gpus=gpus,
        gpu=gpu,
        duration=duration,
        unusable=why,
        vc=cells.text("PARTITION") or None,
        group=cells.group(source.group or "ACCOUNT"),
        limit=limit,
        done=span_of(cells, "TIME") if runs else None,
    )
    priority = cells.reading.optional(cells.whole, "PRIORITY")
    return QueuedJob(job=job, nodes=nodes, priority=priority or 0)


def _request(cells: Cells) -> tuple[int, str | None]:
    """Return the GPUs of a job, each slice as one, and their kind if it is known."""
    total, kinds = None, Counter[str]()
    for text in cells.text("TRES_ALLOC").split(","):
        part = PART.fullmatch(text.strip())
        if part is None or part[1] != "gpu":
            continue
        if not COUNT.fullmatch(part[3]):
            cells.reject("TRES_ALLOC", "whole numbers of GPUs", "widen the column", text)
        elif part[2]:
            kinds[part[2]] += int(part[3])
        else:
            total = int(part[3])
    kind = next(iter(kinds)) if len(kinds) == 1 else None
    return kinds.total() if total is None else total, kind


def _placed(
    one: QueuedJob, nodes: dict[str, Node], free: dict[str, int], reading: Reading
) -> QueuedJob:
    """Return a job with the GPUs that it holds, or without if it has to start again."""
    if not one.nodes or one.job.unusable not in ("", ENDLESS) or not one.job.gpus:
        return one
    if any(name not in nodes for name in one.nodes):
        why = "runs on a node that is not in --nodes"
        return replace(one, nodes=(), job=replace(one.job, unusable=why))
    if any(nodes[name].down for name in one.nodes):
        reading.remark("running jobs on nodes that are down, which start again")
        return replace(one, nodes=(), job=replace(one.job, done=None))
    rooms = {name: free[name] for name in one.nodes}
    held = _split(one.job.gpus, rooms)
    if held is None:
        why = "runs on more GPUs than its nodes have"
        return replace(one, nodes=(), job=replace(one.job, unusable=why))
    if len(rooms) > 1 and any(held[name] < nodes[name].gpus for name in held):
        reading.remark("jobs on parts of several nodes, whose GPUs are split evenly")
    for name, gpus in held.items():
        free[name] -= gpus
    own = tuple((name, gpus) for name, gpus in held.items() if gpus)
    more: dict[str, Any] = {**one.job.more, "held": own}
    return replace(one, job=replace(one.job, more=more))


def _split(gpus: int, rooms: dict[str, int]) -> dict[str, int] | None:
    """Distribute GPUs over nodes, as evenly as they fit, or return None if they do not."""
    held, left = dict.fromkeys(rooms, 0), gpus
    while left:
        free = [name for name, room in rooms.items() if held[name] < room]
        if not free:
            return None
        for name in free[:left]:
            held[name] += 1
        left -= len(free[:left])
    return held


def _scaled(found: list[QueuedJob]) -> list[QueuedJob]:
    """Return jobs with Slurm's priorities, divided by a power of ten if they are too large."""
    unit, most = 1, max((one.priority for one in found), default=0)
    while most // unit > MOST_PRIORITY:
        unit *= 10
    return [
        replace(one, job=replace(one.job, more={**one.job.more, "priority": one.priority // unit}))
        for one in found
    ]


def _foreign(found: list[QueuedJob], nodes: dict[str, Node], reading: Reading) -> Foreign:
    """Return jobs on the nodes that are left: nodes that drain have the GPUs in use only."""
    in_use, endless = Counter[str](), Counter[str]()
    for one in found:
        (endless if one.job.unusable else in_use).update(dict(one.job.more.get("held", ())))
    if endless:
        lost = plural(endless.total(), "GPU")
        reading.notes.append(
            f"{lost} of running jobs without a time limit, left out of the cluster"
        )
    out = [name for name, node in nodes.items() if node.down or node.draining]
    used = {name for name in out if in_use[name]}
    servers, jobs = list[RackServer](), [one.job for one in found]
    for name, node in nodes.items():
        gpus = in_use[name] if node.draining else node.gpus - endless[name]
        if not node.down and gpus:
            region = None if not used else OUT if name in used else UP
            servers.append(RackServer(name=name, gpus=gpus, gpu=node.gpu, region=region))
    if used:
        jobs = [
            replace(job, more={**job.more, "allowed_regions": _regions(job, used)}) for job in jobs
        ]
    if out:
        words = [f"{name} ({nodes[name].state})" for name in out]
        kept = f"; {plural(len(used), 'node')} of them only until running jobs end" if used else ""
        reading.notes.append(f"nodes out of service: {shown(', '.join(words), 300)}{kept}")
    if not servers and not reading.problems:
        found_words = Words("no node in service with GPUs")
        reading.reject("--nodes", found_words, "at least one", "check the file")
    return Foreign(jobs=jobs, servers=tuple(servers))


def _regions(job: ForeignJob, used: set[str]) -> tuple[str, ...]:
    """Return where a job may run: on nodes that drain only if it is there."""
    return (UP, OUT) if used & set(dict(job.more.get("held", ()))) else (UP,)


def read_nodes(path: Path, reading: Reading) -> dict[str, Node]:
    """Return the nodes with GPUs in the output of `scontrol show node`, on one line each or not."""
    nodes: dict[str, Node] = {}
    several = line = at = 0
    with collecting(str(path)) as own:
        text = read_text(path, decode=partial(decoded, reading=own))
        for found in NODE.finditer(text):
            line, at = line + text.count("\n", at, found.start()), found.start()
            name, rest = found.groups()
            place = f"line {line + 1}, {shown(name, 60)}"
            kinds, state = _gpus_of_node(rest, place, own), re.search(r"\sState=(\S+)", rest)
            if name in nodes:
                own.reject(place, name, "each node once", "remove one")
            elif state is None and kinds:
                own.reject(place, ABSENT, "a State=", "keep all lines of the node")
            elif state is not None and len(kinds) == 1:
                nodes[name] = _node(state[1], *kinds.popitem())
            several += len(kinds) > 1
        if not at and not NODE.search(text):
            start = text.strip().partition("\n")[0]
            expected = "the output of `scontrol show node`, which begins with NodeName="
            own.reject("file", shown(start, 100) if start else EMPTY, expected, "name this file")
    if several:
        reading.notes.append(f"nodes with several kinds of GPUs, left out: {several}")
    typed = any(node.gpu for node in nodes.values())
    return {
        name: node._replace(gpu=node.gpu or "gpu") if typed else node
        for name, node in nodes.items()
    }


def _node(state: str, kind: str, gpus: int) -> Node:
    words = set(re.split(r"[^A-Z_]+", state))
    draining = bool(words & DRAINING) or "*" in state
    return Node(gpus, kind or None, state, bool(words & DOWN), draining)


def _gpus_of_node(lines: str, place: str, own: Reading) -> Counter[str]:
    """Return the GPUs of a node by kind: those of Gres, or else of CfgTRES."""
    found = Counter[str]()
    gres = re.search(r"\sGres=(\S+)", lines)
    for text in re.sub(r"\([^)]*\)", "", gres[1]).split(",") if gres else ():
        part = GRES.fullmatch(text)
        if part is not None:
            found[part[1] or ""] += int(part[2] or 1)
        elif text.startswith("gpu:"):
            own.reject(place, text, "gpu:NUMBER or gpu:KIND:NUMBER in Gres=", "correct it")
    configured = re.search(r"\sCfgTRES=(\S+)", lines)
    if not found and configured:
        parts = [PART.fullmatch(part) for part in configured[1].split(",")]
        counts = {
            part[2] or "": int(part[3])
            for part in parts
            if part and part[1] == "gpu" and COUNT.fullmatch(part[3])
        }
        typed = {kind: number for kind, number in counts.items() if kind}
        found.update(typed or counts)
    return +found


def read_durations(path: Path) -> dict[str, Exact]:
    """Return expected run times by job, from their starts, of a CSV with job and duration_s."""
    found: dict[str, Exact] = {}

    def add(_: Record, cells: Cells) -> None:
        job, seconds = cells.needed("job"), cells.number("duration_s")
        if not seconds and not (seconds is None and cells.text("duration_s")):
            cells.reject("duration_s", "seconds above 0", "write them", cells.text("duration_s"))
        if job in found:
            cells.reject("job", "each job once", "remove one line")
        found[job] = seconds or 0

    with collecting(str(path)) as reading:
        list(reading.each(table(read_text(path), DURATIONS, reading), add))
    return found
