"""The fewest servers that reach a goal: rounds of replays, and the sizes that they try."""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from ...analysis.rows import Row, by_key
from ...analysis.whatif.draws import mean_row
from ...analysis.whatif.goal import GOAL_AXES, Goal, GoalAnswer, Size, next_change
from ...instances import Instance, TraceInstance
from ..runs import Run
from . import ReplayRun, Setting, plan_of, room_for, rooms_of
from .clusters import OWN, ClusterSize, kind_of, resized, wrong
from .outages import ADDED

Key = tuple[str, ...]
"""Policy and `GOAL_AXES` of a search."""

Rows = Callable[[str, list[Run]], Callable[[Run], Row] | int]
"""Does the runs of a plan, and returns their rows, or an exit code if some are missing."""


@dataclass(slots=True, kw_only=True)
class GoalSearch:
    """The searches of a request, one for each policy and value of `GOAL_AXES`."""

    goal: Goal
    setting: Setting
    gpus: int
    """GPUs of an added server."""
    gpu: str | None = None
    """Their kind."""
    tried: dict[Key, dict[int, tuple[ReplayRun, Row]]] = field(default_factory=dict)
    """The replay of each size, the first of several draws of outages, with means over them."""

    @property
    def base(self) -> ClusterSize:
        """The cluster whose servers are added to."""
        return self.setting.clusters[0]

    def sized(self, change: int) -> ClusterSize:
        """Return the cluster after `change` servers are added, or removed if it is below 0."""
        servers = resized(self.base.servers, change, self.gpus, self.gpu)
        assert servers is not None
        sign = "+" if change > 0 else "-"
        size = f"{self.gpus}:{self.gpu}" if self.gpu else str(self.gpus)
        name = f"{self.base.name}{sign}{abs(change)}x{size}" if change else self.base.name
        return replace(self.base, name=name, servers=servers)

    @property
    def remarks(self) -> list[str]:
        """Notes for users on added servers."""
        own = any(case.name == OWN for case in self.setting.outages)
        grown = any(change > 0 for sizes in self.tried.values() for change in sizes)
        return [ADDED] if own and grown and self.setting.trace.outages else []

    def limits(self) -> tuple[int, int]:
        """Return the most servers that can go, as a negative number, and the most that can help.

        Every job and all quotas still have room without the former. With the latter, all jobs fit
        at once.
        """
        jobs = self.setting.jobs.jobs

        def enough(change: int) -> bool:
            servers = resized(self.base.servers, change, self.gpus, self.gpu)
            if not servers:
                return False
            rooms = rooms_of(servers)
            own = sum(server.gpus for server in servers) >= quotas
            return own and all(job.gpus <= room_for(job, rooms(job)) for job in widest)

        quotas = sum(group.quota for group in self.setting.jobs.groups)
        ordered = sorted(jobs, key=lambda job: job.gpus)
        alike = len({server.gpu for server in self.base.servers}) == 1
        widest = list({job.allowed_regions: job for job in ordered}.values()) if alike else jobs
        size = self.gpus, self.gpu
        count = sum((server.gpus, server.gpu) == size for server in self.base.servers)
        least = bisect_left(range(-count, 1), True, key=enough) - count
        wanted = sum(job.gpus for job in jobs)
        return least, max(1, -(-(wanted - self.base.gpus) // self.gpus) + len(self.base.servers))

    def run(self, rows: Rows) -> int | None:
        """Do the replays. Return an exit code if they were interrupted."""
        least, most = self.limits()
        step = max(1, len(self.base.servers) // 4)
        kept: list[ReplayRun] = []
        while True:
            keys = self.tried or {_key(one): {} for one in self.setting.asked([self.base])}
            self.tried = dict(keys)
            wanted = {key: next_change(self._met(key), least, most, step) for key in keys}
            asked = {
                change: by_key(self.setting.asked([self.sized(change)]), _key)
                for change in {change for change in wanted.values() if change is not None}
            }
            fresh = {key: asked[at][key] for key, at in wanted.items() if at is not None}
            if not fresh:
                return None
            kept += (one for draws in fresh.values() for one in draws)
            text, runs = plan_of(self.setting.trace, kept, strong=False)
            found = rows(text, runs)
            if isinstance(found, int):
                return found
            for key, draws in fresh.items():
                change = wanted[key]
                assert change is not None
                row = mean_row([found(one.run) for one in draws])
                self.tried[key][change] = draws[0], row

    def _met(self, key: Key) -> dict[int, bool]:
        return {change: self._reached(row) for change, (_, row) in self.tried[key].items()}

    def _reached(self, row: Row) -> bool:
        value = self.goal.value(row)
        return value is not None and value <= self.goal.limit

    def answers(self) -> list[GoalAnswer]:
        """Return the sizes that were tried, for each search."""
        return [
            GoalAnswer(
                at=next(iter(own.values()))[0].at,
                tried=tuple(
                    Size(
                        change=change,
                        gpus=self.base.gpus + change * self.gpus,
                        value=self.goal.value(row),
                        mean_wait_s=row["mean_queueing_s"],
                        reached=self._reached(row),
                    )
                    for change, (_, row) in sorted(own.items())
                ),
            )
            for own in self.tried.values()
        ]


def _key(one: ReplayRun) -> Key:
    return tuple(one.at[axis] for axis in ("policy", *GOAL_AXES))


def added_server(
    base: ClusterSize, trace: TraceInstance, size: str | None
) -> tuple[int, str | None]:
    """Return the GPUs of an added server and their kind, by a size such as 8 or 8:v100.

    The missing parts are those of most servers, the larger number in a tie.
    """
    number, _, kind = (size or "").partition(":")
    servers = base.servers
    if size is not None and (not SIZE.fullmatch(number) or (":" in size and not kind)):
        expected = "GPUs of a server, with their kind if there are several, such as 8 or 8:v100"
        raise wrong("--add", size, expected, "write it so")
    if kind:
        kind_of("--add", kind, servers, trace)
    alike = [one for one in servers if kind in ("", one.gpu)] or list(servers)
    counts = Counter((one.gpus, one.gpu) for one in alike)
    usual = max(counts, key=lambda one: (counts[one], one[0]))
    return int(number) if number else usual[0], kind or usual[1]


SIZE = re.compile(r"[1-9]\d{0,5}", re.ASCII)


def goal_search(goal: Goal, setting: Setting, add: str | None) -> GoalSearch:
    """Return the searches of a request. Raise `InputError` for several clusters."""
    if len(setting.clusters) > 1:
        names = ",".join(cluster.name for cluster in setting.clusters)
        expected = "one cluster with --goal, whose number of servers is searched"
        raise wrong("--clusters", names, expected, "name only the first")
    base = setting.clusters[0]
    gpus, gpu = added_server(base, setting.jobs, add)
    found = GoalSearch(goal=goal, setting=setting, gpus=gpus, gpu=gpu)
    # Neither the load nor the network matters to jobs alone in their best place.
    alone = {one.at["jobs"]: one.run.instance for one in setting.asked([found.sized(1)])}
    floor = min(_floor(goal, instance) for instance in alone.values())
    if floor > goal.limit:
        least = goal.least_text(floor)
        expected = f"at least {least}, the {goal.name} if every job starts at once at full speed"
        raise wrong("--goal", goal.text, expected, "choose a goal above it")
    return found


def _floor(goal: Goal, instance: Instance) -> float:
    """Return the least value of a goal's metric if each job runs alone in its best place."""
    from ...formulations.trace.demand import demands

    assert isinstance(instance, TraceInstance)
    if goal.column.endswith("queueing_s"):
        return 0.0
    tick = float(instance.tick_s)
    pairs = zip(demands(instance), instance.jobs, strict=True)
    times = [(one.ticks * tick, one.ticks * tick / float(job.duration_s)) for one, job in pairs]
    return goal.floor(times)
