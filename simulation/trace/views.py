"""Views of jobs for policies that know no lengths, estimates, their distribution, or all lengths.

A view is made for the information that a policy declares, and has no more: the one for `NONE` holds
no array in which a length stands.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from ...instances import RackServer, TraceInstance, TraceJob
from ...instances.trace import rooms_by_kind, speed_on
from ...instances.trace.kinds import reach_by_kind
from ..model import Ints, Model, Records
from ..state import State
from .ranks import RankFormula
from .records import HALF, RUNNING, WHOLE, EngineLog

NONE, ESTIMATES, DISTRIBUTION = "none", "estimates", "distribution"
PREDICTED, FULL = "predicted", "full"
"""Knowledge that a policy has of the lengths of jobs."""

FOREVER = float("inf")


class Report(Protocol):
    """The losses in the logs of jobs, by number."""

    def epochs(self, number: int) -> int:
        """Return the number of epochs that a job has ended."""

    def of(self, number: int) -> list[tuple[int, float]]:
        """Return these epochs, and the loss after each."""


@dataclass(frozen=True, slots=True)
class Rank:
    """A job's position in the queue: by level, then by key, then by its number.

    To the key comes `slope` for every tick that the job has worked since it arrived. The policy
    runs when the job has had `until` GPU-ticks of service, and at the tick `wake` if it waits then.
    """

    level: int = 0
    key: float = 0.0
    slope: float = 0.0
    until: float = FOREVER
    wake: float = FOREVER


@dataclass(frozen=True, slots=True)
class GrantedGpus:
    """GPUs that a deciding policy grants a job: by server, or a number that is placed.

    `kind` is the number of a kind of GPUs in `TraceSetting.kinds`. Without it, the job gets the
    kind on which it is fastest and finds a place.
    """

    width: int
    pieces: Mapping[int, int] | None = None
    half: bool = False
    kind: int | None = None


class TraceSetting:
    """The cluster and the clock, and with `DISTRIBUTION` or `FULL` the law of service."""

    def __init__(
        self,
        instance: TraceInstance,
        now: memoryview,
        law: NDArray[np.float64] | None,
        interval: int,
    ) -> None:
        """Remember the cluster. `law` contains sorted GPU-ticks of jobs."""
        self.servers: tuple[RackServer, ...] = instance.servers
        self.gpus = instance.gpus
        self.groups, self.limited = instance.groups, instance.limited
        self.sets = reach_by_kind(instance).sets
        """Sets of servers that jobs may use, by number. The first set has all servers."""
        self.kinds = instance.kinds
        """The kinds of GPUs, in the order of the servers. None stands for GPUs without a kind."""
        self.kind_gpus = list(rooms_by_kind(instance.servers).values())
        """The GPUs of each kind."""
        self.tick_s = float(instance.tick_s)
        self.restart = float(instance.restart_s / instance.tick_s)
        self.resume = float(instance.resume / instance.tick_s)
        self.interval = interval
        """The queue is served at multiples of so many ticks."""
        self._now = now
        if law is not None:
            self.law = law

    @property
    def now(self) -> int:
        """The tick."""
        return self._now[0]


class Columns(dict[str, memoryview]):
    """Fields of records, each as a column: reading one is ten times faster than in a record."""

    def __init__(self, records: Records, *names: str) -> None:
        """Look at all fields, or at some. The records stay where they are."""
        super().__init__((name, memoryview(records[name])) for name in names or records.dtype.names)


def _kind_speeds(job: TraceJob, kinds: tuple[str | None, ...]) -> list[dict[int, float]]:
    """Return the speeds of a job in a phase by number of GPUs, for each kind."""
    if kinds == (None,):
        return [{job.gpus: 1.0} | {w.gpus: float(w.speed) for w in job.speeds}]
    widths = dict.fromkeys([job.gpus, *(entry.gpus for entry in job.speeds)])
    pairs = [[(w, speed_on(job, w, gpu)) for w in widths] for gpu in kinds]
    return [{w: float(speed) for w, speed in own if speed is not None} for own in pairs]


class JobView:
    """A job for a policy that knows no lengths, with times in ticks."""

    information: ClassVar[str] = NONE

    def __init__(
        self,
        number: int,
        job: TraceJob,
        reach: int,
        setting: TraceSetting,
        lives: Mapping[str, memoryview],
        report: Report,
    ) -> None:
        """Copy the known fields of a job, without its duration and its curve."""
        self.number, self.reach = number, reach
        self.name, self.gpus, self.model = job.name, job.gpus, job.model
        self.priority, self.group = job.priority, job.group
        self.communication = float(job.communication)
        self.packed_speed = float(job.packed_speed or 0)
        self.enter_phase(job, 0, setting.kinds)
        self.arrival: int = lives["arrival"][number]
        """When it arrived."""
        late = FOREVER if job.due_s is None else round(float(job.due_s) / setting.tick_s)
        self.due: float = self.arrival + late
        """The tick by which it should be done."""
        self._setting, self._report = setting, report
        self._status, self._width = lives["status"], lives["width"]
        self._since, self._before = lives["working"], lives["executed"]
        self._lives = lives

    def enter_phase(self, job: TraceJob, phase: int, kinds: tuple[str | None, ...]) -> None:
        """Note the speeds of a job in a phase."""
        self.phase = phase
        """The number of the phase, 0 for the one at time 0."""
        self.kinds = _kind_speeds(job, kinds)
        """Its present speeds by number of GPUs inside one server, for each kind of GPUs."""
        self.speeds = max(self.kinds, key=lambda own: own.get(job.gpus, 0.0))
        """Those of the kind on which it is fastest."""

    @property
    def now(self) -> int:
        """The tick."""
        return self._setting.now

    @property
    def running(self) -> bool:
        """True if it holds GPUs."""
        return self._status[self.number] == RUNNING

    @property
    def width(self) -> int:
        """The GPUs that it holds or held last."""
        return self._width[self.number]

    @property
    def first(self) -> int | None:
        """When it first started."""
        first = self._lives["first"][self.number]
        return None if first < 0 else first

    @property
    def waiting_since(self) -> int:
        """When it arrived or was stopped last."""
        return max(self.arrival, self._lives["stopped"][self.number])

    @property
    def starts(self) -> int:
        """Number of its starts."""
        return self._lives["starts"][self.number]

    @property
    def executed(self) -> int:
        """Ticks that it has worked."""
        number = self.number
        done = self._before[number]
        if self._status[number] == RUNNING:
            worked = self._setting.now - self._since[number]
            return done + worked if worked > 0 else done
        return done

    @property
    def attained(self) -> int:
        """GPU-ticks of work that it has had."""
        number = self.number
        had = self._lives["attained"][number]
        if self._status[number] == RUNNING:
            worked = self._setting.now - self._since[number]
            return had + worked * self._width[number] if worked > 0 else had
        return had

    @property
    def epochs(self) -> int:
        """The number of epochs that it has ended."""
        return self._report.epochs(self.number)

    @property
    def losses(self) -> list[tuple[int, float]]:
        """The epochs that it has ended, and the loss measured after each."""
        return self._report.of(self.number)


class EstimatedJobView(JobView):
    """A job for a policy that knows the estimate of its user."""

    information = ESTIMATES

    def __init__(self, *args: Any, limit: int) -> None:
        """Accept the arguments of `JobView` and the estimate."""
        super().__init__(*args)
        self.limit = limit
        """Ticks of its longest run that its user expects, or the longest limit of all jobs."""


class PredictedJobView(JobView):
    """A job for a policy that knows its predicted length."""

    information = PREDICTED

    def __init__(self, *args: Any, predicted: int) -> None:
        """Accept the arguments of `JobView` and the prediction."""
        super().__init__(*args)
        self.predicted = predicted
        """Ticks that the job is predicted to need at full speed."""


class KnownJobView(JobView):
    """A job for a policy that knows all: its length and its remaining work."""

    information = FULL

    def __init__(self, *args: Any, left: Callable[[int], float], duration: int) -> None:
        """Accept the arguments of `JobView` and the duration."""
        super().__init__(*args)
        self.duration = duration
        """Ticks that the job needs at full speed."""
        self._left = left

    @property
    def remaining(self) -> float:
        """Ticks at full speed that are left."""
        return self._left(self.number)


class LiveJobs(list[Any]):
    """The jobs that a policy decides on, in order of number, and what changed since last time.

    Jobs that may use fewer servers come first.
    """

    def __init__(
        self, jobs: Iterable[Any] = (), arrived: Iterable[Any] = (), ended: Iterable[int] = ()
    ) -> None:
        """Copy the lists, so that a policy may change them."""
        super().__init__(jobs)
        self.arrived = list(arrived)
        """Jobs that arrived since the last decision, in order of arrival, then of number."""
        self.ended = list(ended)
        """Numbers of the jobs that ended since then."""


class TracePolicy:
    """The traits that a policy declares, with their usual values."""

    information: str = NONE
    decides: bool = False
    """True if it decides the GPUs of every job. Otherwise it ranks each job."""
    knows_kinds: bool = True
    """True if it can serve servers whose kinds of GPUs differ."""
    follows_outages: bool = True
    """True if it can serve a cluster whose servers are out of service at times."""
    preempts: bool = True
    """Whoever has a worse rank is stopped for whoever has a better one."""
    blocks: bool = False
    """Nobody starts past a job that has to wait."""
    backfills: int = 0
    """Number of first waiting jobs that later jobs may pass only if they start no later for it, by
    limits. `preempts` then has no effect. With 0, there are no such promises."""
    stops_lower: bool = False
    """A waiting job stops running jobs of lower priority if it starts by that. The ranks of such a
    policy go by priority first, and every job may use all servers."""
    reclaims: bool = False
    """Groups have their quotas before others borrow from them, and take them back. No other job is
    stopped."""
    obeys_most: bool = True
    """No group exceeds its `most`. Instances where that matters are refused otherwise."""
    starts: bool = False
    """Ranks are recomputed after a job's first start."""
    wakes: bool = False
    """Some ranks have a tick `wake`."""

    def begin(self, setting: TraceSetting) -> None:
        """Look at the cluster before the first job comes."""


class Ranker(TracePolicy, ABC):
    """A policy that ranks each job in the queue."""

    def __init_subclass__(cls) -> None:
        """Drop the inherited formula of a class that defines none: it may rank otherwise."""
        super().__init_subclass__()
        if "formula" not in vars(cls):
            cls.formula = Ranker.formula  # type: ignore[method-assign]

    def formula(self) -> RankFormula:
        """Return the formula that gives the same ranks as `rank`, asked for after `begin`.

        The multifactor formula stands for itself: its ranks change while jobs wait.
        """
        return RankFormula()

    @abstractmethod
    def rank(self, job: Any) -> Rank:
        """Return where a job stands now."""


class TraceDecider(TracePolicy, ABC):
    """A policy that decides the GPUs of all jobs at once."""

    decides = True
    obeys_most = knows_kinds = follows_outages = False
    again: float = 0
    """The tick before which its decision stays the same without an event, set while it decides."""

    @abstractmethod
    def decide(self, jobs: LiveJobs, cluster: "ClusterView") -> Mapping[int, GrantedGpus]:
        """Return the GPUs that jobs hold from now on, by number. A missing job holds no GPU.

        `jobs` also says which jobs have arrived or ended since the last decision.
        """


class ClusterView:
    """The GPUs held by each job."""

    def __init__(self, model: Model, state: State, trace: EngineLog, kinds: Ints) -> None:
        """Look at the engine's account of GPUs. `kinds` are those of the servers."""
        self._model, self._state, self._trace, self._kinds = model, state, trace, kinds

    @property
    def gpus(self) -> Ints:
        """GPUs of each server, 0 while it is out of service."""
        whole: Ints = self._model.links["gpus"][: self._model.servers] // WHOLE
        return whole * (1 - self._trace.out)

    @property
    def free(self) -> NDArray[np.float64]:
        """GPUs of each server that are free, or halves if one is shared."""
        loads: Records = self._state.loads["free"]
        free: NDArray[np.float64] = loads[: self._model.servers] / WHOLE
        return free

    def pieces(self, number: int) -> dict[int, int]:
        """Return the GPUs by server that a job holds, or held last."""
        life = self._trace.lives[number]
        if life["entry"] < 0:
            return {}
        entry = self._trace.log[life["entry"]]
        a, b = int(entry["first"]), int(entry["first"] + entry["pieces"])
        servers, gpus = self._trace.servers[a:b].tolist(), self._trace.gpus[a:b].tolist()
        return dict(zip(servers, gpus, strict=True))

    def kind(self, number: int) -> int | None:
        """Return the kind of the GPUs that a job holds, or held last, by number."""
        entry = self._trace.lives[number]["entry"]
        if entry < 0:
            return None
        return int(self._kinds[self._trace.servers[self._trace.log[entry]["first"]]])

    def half(self, number: int) -> bool:
        """Return True if a job shares its GPUs, or did so last."""
        return bool(self._trace.lives[number]["share"] == HALF)
