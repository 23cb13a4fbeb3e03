"""What-if questions about a trace: from command options to a campaign and its runs.

An instance represents each question: one trace on each cluster, load and network, with outages.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import product

from ...analysis.rows import BOUND
from ...instances import RackLinks, RackServer, ServerUplink, TraceInstance, TraceJob, digest
from ...instances.errors import plural
from ...instances.generate import read_words, with_options
from ...instances.importers.assemble import import_text
from ...instances.regions import Regions
from ...instances.trace import (
    TraceContention,
    TraceType,
    in_first_phase,
    rooms_by_kind,
    speed_on,
)
from ...methods import all_methods, extension_families, find_method
from ..runs import Run, called
from .clusters import OWN, ClusterSize, clusters_of, not_known, parts, wrong
from .jobs import at_load, first_jobs, loads_of, reduced, selections_of, talking
from .outages import NONE, OutageCase, outages_of, refuse_clusters, refuse_methods, remarks_on

PRESETS: dict[str, TraceContention] = {
    "uplink": ServerUplink(),
    "racks": RackLinks(oversubscription=Decimal(2)),
}
"""Contention models with their default options."""

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
"""The default placement of a policy."""


def methods_of(policies: str, placements: str | None) -> dict[tuple[str, str], str]:
    """Return the name of a method for each policy and placement."""
    known = [method.name for method in all_methods(KIND)]
    names = parts("--policies", policies)
    for name in names:
        if name.partition(":")[0] not in known and extension_families(name) is None:
            raise not_known("--policies", name.partition(":")[0], [*known, "FILE.py:FUNCTION"])
    if placements is None:
        return {(name, USUAL): find_method(name, KIND).asked for name in names}
    pairs = product(names, parts("--placements", placements))
    return {
        (name, place): find_method(f"{name}:placement={place}", KIND).asked for name, place in pairs
    }


NAMED = 3
"""An error names at most this many jobs."""


def fitting(trace: TraceInstance, clusters: list[ClusterSize], *, drop: bool) -> TraceInstance:
    """Return the trace without jobs that need more GPUs than some cluster has for them.

    They are left out of all clusters, so that all clusters run the same jobs.

    Raises:
        InputError: If there are such jobs and dropping is disabled, or a cluster is smaller than
            all quotas of groups.
    """
    quotas = sum(group.quota for group in trace.groups)
    for cluster in clusters:
        if quotas > cluster.gpus:
            expected = f"room for all quotas of groups, {plural(quotas, 'GPU')}"
            raise wrong("--clusters", cluster.name, expected, "enlarge it, or lower the quotas")
    for cluster in sorted(clusters, key=lambda cluster: cluster.gpus):
        room = rooms_of(cluster.servers)
        large = {job.name: job for job in trace.jobs if job.gpus > room_for(job, room(job))}
        if large and (not drop or len(large) == len(trace.jobs)):
            named = list(large.values())[:NAMED]
            some = ", ".join(f"{job.name!r} ({job.gpus})" for job in named)
            more = f" and {len(large) - NAMED:,} more" if len(large) > NAMED else ""
            of = f"its {plural(cluster.gpus, 'GPU')}"
            if len({server.gpu for server in cluster.servers} | {j.gpu for j in trace.jobs}) > 1:
                of = "its kinds of GPUs have for them"
            elif any(job.allowed_regions for job in large.values()):
                of = "their regions have"
            expected = f"room for every job, but {some}{more} need more than {of}"
            advice = "enlarge it, or give --largest drop" if not drop else "enlarge it"
            raise wrong("--clusters", cluster.name, expected, advice)
        if large:
            jobs = tuple(job for job in trace.jobs if job.name not in large)
            trace = replace(trace, jobs=jobs)
    return trace


def rooms_of(servers: tuple[RackServer, ...]) -> Callable[[TraceJob], dict[str | None, int]]:
    """Return a function of a job: the GPUs of each kind on the servers that it may use."""
    known: dict[Regions | None, dict[str | None, int]] = {}

    def rooms(job: TraceJob) -> dict[str | None, int]:
        if job.allowed_regions not in known:
            known[job.allowed_regions] = rooms_by_kind(servers, job)
        return known[job.allowed_regions]

    return rooms


def room_for(job: TraceJob, rooms: dict[str | None, int]) -> int:
    """Return the most GPUs of a kind on which a job may run on as many as it requests."""
    return max((n for gpu, n in rooms.items() if speed_on(job, job.gpus, gpu)), default=0)


def on_servers(trace: TraceInstance, servers: tuple[RackServer, ...]) -> TraceInstance:
    """Return the trace on other servers, without speeds on more GPUs of a kind than they have.

    Missing regions are left out as well, and outages of servers that are gone. Jobs that hold GPUs
    of such a server at time 0 have lost them.
    """
    known, rooms_for = {server.region for server in servers}, rooms_of(servers)
    objects = set(map(id, servers))  # Another cluster may have servers of the same names.
    left = {server.name for server in trace.servers if id(server) in objects}

    def fit(job: TraceJob) -> TraceJob:
        if job.allowed_regions is not None:
            there = tuple(name for name in job.allowed_regions if name in known)
            job = replace(job, allowed_regions=there)
        if not left.issuperset(name for name, _ in job.held or ()):
            job = replace(job, held=(), held_s=Decimal(0), held_share="whole", stopped=True)
        rooms = rooms_for(job)
        most = max(rooms.values(), default=0) if job.gpu is None else rooms.get(job.gpu, 0)
        kept = tuple(
            width
            for width in job.speeds
            if width.gpus <= (rooms.get(width.gpu, 0) if width.gpu else most)
        )
        return job if len(kept) == len(job.speeds) else replace(job, speeds=kept)

    def fit_type(one: TraceType) -> TraceType:
        """Keep the speeds on GPUs that all jobs of a type may have."""
        own = [in_first_phase({one.name: one}, job) for job in trace.jobs if job.type == one.name]
        kept = [{(width.gpus, width.gpu) for width in fit(job).speeds} for job in own]
        phases = (
            replace(
                phase,
                speeds=tuple(w for w in phase.speeds if all((w.gpus, w.gpu) in k for k in kept)),
            )
            for phase in one.phases
        )
        return replace(one, phases=tuple(phases))

    jobs, types = tuple(map(fit, trace.jobs)), tuple(map(fit_type, trace.types))
    outages = tuple(outage for outage in trace.outages if outage.server in left)
    return replace(trace, servers=servers, jobs=jobs, types=types, outages=outages)


LONGEST = 100
"""Characters of a name."""


Question = tuple[dict[str, str], TraceInstance]
"""Cluster, load, contention, outages and jobs in the words of the options, and the instance."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayRun:
    """A run and its question, the value of each axis."""

    at: dict[str, str]
    run: Run


def questions_of(
    trace: TraceInstance,
    clusters: list[ClusterSize],
    loads: dict[str, Decimal],
    networks: Networks,
    outages: Iterable[OutageCase],
    without: Mapping[str, frozenset[str]],
) -> Iterator[Question]:
    """Yield a question for each combination. Each draw of random outages is one of its own."""
    for cluster, (load, factor) in product(clusters, loads.items()):
        placed = at_load(on_servers(trace, cluster.servers), factor)
        drawn = [(case.name, *one) for case in outages for one in case.drawn(placed)]
        for (network, contention), (out, draw, struck), (jobs, gone) in product(
            networks.items(), drawn, without.items()
        ):
            words = [cluster.name] + ([] if factor == 1 else [f"load {load}"]) + [network]
            words += ([draw] if draw else []) + ([jobs] if gone else [])
            at = {"cluster": cluster.name, "load": load, "contention": network}
            at |= {"outages": out, "jobs": jobs}
            yield at, _named(trace, reduced(struck, gone), contention, ", ".join(words))


def _named(
    trace: TraceInstance, placed: TraceInstance, contention: TraceContention | None, words: str
) -> TraceInstance:
    """Return an instance with a descriptive name and note."""
    room = LONGEST - len(words) - 2
    name = f"{trace.name[:room]}: {words}" if room > 0 else words[:LONGEST]
    notes = f"The jobs of {trace.name} ({digest(trace)[:12]}) in another setting: {words}. "
    return replace(
        placed,
        name=name.strip(),
        title=(trace.title or trace.name)[:1000] + f", replayed: {words}",
        notes=(notes + trace.notes)[:20_000],
        contention=contention,
    )


def asked_of(
    questions: Iterable[Question],
    methods: dict[tuple[str, str], str],
    seed: int,
    time_limit: float,
) -> list[ReplayRun]:
    """Return a run of each method, by policy and placement, on each question."""
    how = {method: called(method, KIND) for method in methods.values()}
    return [
        ReplayRun(
            at={**at, "policy": policy, "placement": placement},
            run=Run(instance=instance, seed=seed, time_limit=time_limit, **how[method]),
        )
        for at, instance in questions
        for (policy, placement), method in methods.items()
    ]


def plan_of(trace: TraceInstance, asked: list[ReplayRun], *, strong: bool) -> tuple[str, list[Run]]:
    """Return the campaign file that repeats the runs, and the runs.

    With `strong` bounds, each instance also gets the slow bound.
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
    """Return the text of the campaign file. Its instances are in the folder next to it."""
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
    """The options of the command, as typed."""

    policies: str
    placements: str | None = None
    clusters: str = "own"
    contention: str = "none"
    load: str = "1"
    without: str | None = None
    communication: str | None = None
    outages: str | None = None
    checkpoint: str | None = None
    first: int | None = None
    drop: bool = False
    strong: bool = False
    seed: int = 0
    time_limit: float = 600.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Replay:
    """Questions with their runs, the campaign file of all runs, and remarks for the user."""

    asked: tuple[ReplayRun, ...]
    runs: tuple[Run, ...]
    text: str
    dropped: int
    remarks: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """The parts of a request: the jobs that fit, clusters, loads, networks, outages and methods."""

    trace: TraceInstance
    jobs: TraceInstance
    clusters: list[ClusterSize]
    loads: dict[str, Decimal]
    networks: Networks
    outages: list[OutageCase]
    without: dict[str, frozenset[str]]
    methods: dict[tuple[str, str], str]
    request: ReplayRequest
    dropped: int
    remarks: tuple[str, ...]

    @property
    def left_out(self) -> str | None:
        """A sentence on jobs that are in no replay, if there are any."""
        if not self.dropped:
            return None
        jobs = plural(self.dropped, "job")
        verb = "is" if self.dropped == 1 else "are"
        return (
            f"{jobs} too large for the smallest cluster {verb} in no replay, and in none of these "
            "numbers."
        )

    @property
    def title(self) -> str:
        """The title of the trace, with the number of its jobs that are replayed if not all are."""
        title, count = self.trace.title or self.trace.name, len(self.jobs.jobs)
        whole = count == len(self.trace.jobs)
        return title if whole else f"{title}, {plural(count, 'job')} replayed"

    def asked(self, clusters: list[ClusterSize]) -> list[ReplayRun]:
        """Return the runs of all questions on these clusters."""
        questions = questions_of(
            self.jobs, clusters, self.loads, self.networks, self.outages, self.without
        )
        return asked_of(questions, self.methods, self.request.seed, self.request.time_limit)


def setting_of(trace: TraceInstance, request: ReplayRequest) -> Setting:
    """Return the parts of a request. Raise `InputError` for invalid options."""
    methods = methods_of(request.policies, request.placements)
    clusters = clusters_of(request.clusters, trace)
    outages = outages_of(request.outages, request.checkpoint, trace)
    refuse_clusters(outages, clusters, trace)
    networks, loads = networks_of(request.contention, trace), loads_of(request.load)
    work = talking(first_jobs(trace, request.first), request.communication)
    fits = fitting(work, clusters, drop=request.drop)
    refuse_methods(outages, methods, fits)
    silent = not any(job.communication for job in fits.jobs)
    idle = [name for name, one in networks.items() if silent and one is not None]
    networks = dict(list(networks.items())[:1]) if silent else networks
    dropped = len(work.jobs) - len(fits.jobs)
    remarks = [*_remarks(clusters, networks, idle), *remarks_on(outages, clusters, trace)]
    return Setting(
        trace=trace,
        jobs=fits,
        clusters=clusters,
        loads=loads,
        networks=networks,
        outages=outages,
        without=selections_of(request.without, fits),
        methods=methods,
        request=request,
        dropped=dropped,
        remarks=(*filter(None, [import_text(trace.notes)]), *remarks),
    )


def replay_of(setting: Setting) -> Replay:
    """Return the runs of a request."""
    asked = setting.asked(setting.clusters)
    text, runs = plan_of(setting.trace, asked, strong=setting.request.strong)
    return Replay(
        asked=tuple(asked),
        runs=tuple(runs),
        text=text,
        dropped=setting.dropped,
        remarks=setting.remarks,
    )


def _remarks(clusters: list[ClusterSize], networks: Networks, idle: list[str]) -> Iterator[str]:
    if idle:
        yield (
            f"no job of the trace communicates, so {' and '.join(idle)} would have no "
            "effect. Set shares with --communication 0.3, or by model with VGG16=0.6,0.1."
        )
    single = [cluster.name for cluster in clusters if cluster.racks == 1]
    if single and any(isinstance(network, RackLinks) for network in networks.values()):
        yield (
            f"all servers of {' and of '.join(single)} are in one rack and share only their "
            "own links. Write 16x4/2 for two racks."
        )
