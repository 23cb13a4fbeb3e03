"""A-SRPT: jobs start in the order in which one virtual machine would end them.

Source: Luo, Liu, Lee and Shroff (arXiv 2501.05563), whose abstract says this much. The rest is as
recalled: a virtual machine as fast as all GPUs together runs the job with the least predicted work
left, work being GPUs times time. When it has ended a job, the job joins a queue on the real cluster
and is never stopped there. The paper also predicts iterations from recurring jobs and lets jobs
that communicate much wait for few servers. Here predictions are part of the instance, and
`placement` decides where jobs run.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from heapq import heappop, heappush
from typing import Annotated, Literal

from ...instances import Outcome, TraceInstance
from ...simulation.trace import (
    PREDICTED,
    ClusterView,
    GrantedGpus,
    LiveJobs,
    PredictedJobView,
    TraceDecider,
    TraceSetting,
)
from ...simulation.trace.views import FOREVER
from ..request import Request
from .serve import ServiceOptions, refuses_groups_and_kinds, room_of, serve


@dataclass(frozen=True, slots=True, kw_only=True)
class Options(ServiceOptions):
    """Freedom beside the order of the virtual machine."""

    waits: Annotated[
        Literal["yes", "no"], "whether a job waits until the virtual machine has ended it"
    ] = "yes"
    overtakes: Annotated[
        Literal["no", "yes"], "whether a job may start past a job that does not fit"
    ] = "no"


class VirtualMachine:
    """One machine as fast as `gpus` GPUs, which runs the job with the least work left.

    Work is in GPU-ticks, and time in GPU-ticks of the machine, so that all numbers are whole.
    """

    def __init__(self, gpus: int) -> None:
        """Begin at time 0 with no job."""
        self.gpus, self.now = gpus, 0
        self._left: list[tuple[int, int]] = []

    def add(self, number: int, work: int) -> None:
        """Add a job that comes now."""
        heappush(self._left, (work, number))

    def run(self, tick: int) -> list[tuple[int, int]]:
        """Run until a tick, and return the ends with their jobs, in order."""
        ended = []
        while self._left and self.now < tick * self.gpus:
            left, number = self._left[0]
            worked = min(left, tick * self.gpus - self.now)
            self.now += worked
            if worked == left:
                heappop(self._left)
                ended.append((self.now, number))
            else:
                self._left[0] = left - worked, number
        self.now = max(self.now, tick * self.gpus)
        return ended

    def order(self) -> list[int]:
        """Return the jobs in the order in which they would end if no job came."""
        return [number for _, number in sorted(self._left)]

    @property
    def next_end(self) -> float:
        """The last tick that is not after the next end, if no job comes before."""
        return (self.now + self._left[0][0] - 1) // self.gpus if self._left else FOREVER


class ASrpt(TraceDecider):
    """Starts jobs in the order of their ends on the virtual machine.

    Jobs come at ticks only. At a tick, the ends until the next one are therefore known.
    """

    information = PREDICTED

    def __init__(self, options: Options) -> None:
        """Choose which jobs may start."""
        self._waits, self._overtakes = options.waits == "yes", options.overtakes == "yes"
        self._queue: list[int] = []

    def begin(self, setting: TraceSetting) -> None:
        """Set up a virtual machine with all GPUs."""
        self._setting, self._room = setting, room_of(setting)
        self._machine = VirtualMachine(setting.gpus)

    def decide(self, jobs: LiveJobs, _: ClusterView) -> Mapping[int, GrantedGpus]:
        """Keep all running jobs, and start the first ones of the queue."""
        here, room = {job.number: job for job in jobs}, self._room.copy()
        self._advance(jobs.arrived)
        holds = {}
        for job in jobs:
            if job.running:
                room.take(job.reach, job.width)
                holds[job.number] = GrantedGpus(job.width)
        self._queue = [n for n in self._queue if n in here and not here[n].running]
        later = [] if self._waits else [n for n in self._machine.order() if n in here]
        for number in (*self._queue, *later):
            job = here[number]
            if number in holds:
                continue
            if room.admit(job.reach, job.gpus):
                holds[number] = GrantedGpus(job.gpus)
            elif not self._overtakes:
                break
        return holds

    def _advance(self, arrived: Sequence[PredictedJobView]) -> None:
        """Let the virtual machine run until the next tick, with the jobs that have come."""
        machine = self._machine
        for job in arrived:
            self._queue += [number for _, number in machine.run(job.arrival)]
            machine.add(job.number, job.gpus * job.predicted)
        self._queue += [number for _, number in machine.run(self._setting.now + 1)]
        self.again = machine.next_end


refuses = refuses_groups_and_kinds


def run(instance: TraceInstance, request: Request[Options]) -> Outcome:
    """Return the schedule (deterministic)."""
    options = request.options
    if not options.interval_s:
        options = replace(options, interval_s=instance.tick_s)
    return serve(instance, request.limits, "a-srpt", ASrpt(options), options)
