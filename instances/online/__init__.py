"""The `online` family: jobs with workers and parameter servers that arrive over time (PD-ORS).

Time is in slots of ``slot_s`` seconds, from 0 to ``horizon_slots - 1``. In every slot a job may
hold
other workers and parameter servers, on other machines, or none.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction
from itertools import islice
from typing import Annotated, Any, Literal

from ...families.family import Places
from ..building import Rows, built, rows_of, short
from ..cluster import INTER, INTRA
from ..errors import Problem, Words
from ..reading.vocabulary import (
    Amount,
    Amounts,
    AnySchedule,
    Count,
    Instance,
    Label,
    Later,
    NonEmpty,
    Numbers,
    Positive,
    Whole,
    repeats,
)
from ..regions import Regions, may_run, region_problems

_EXACT = Context(prec=50, rounding=ROUND_HALF_EVEN, traps=[])
_TWELVE = Decimal("1e-12")


@dataclass(frozen=True, slots=True, kw_only=True)
class Sigmoid:
    """``value / (1 + e^(steepness (n - midpoint_slots)))`` after n slots; constant at 0."""

    model: Annotated[Literal["sigmoid"], "the utility function"] = "sigmoid"
    value: Annotated[Positive, "priority (gamma_1)"]
    steepness: Annotated[Amount, "steepness of the fall (gamma_2)"]
    midpoint_slots: Annotated[Amount, "slots after which half of the value is lost (gamma_3)"]

    def at(self, slots: int) -> Decimal:
        """Return the utility after the given slots."""
        power = _EXACT.exp(_EXACT.multiply(self.steepness, slots - self.midpoint_slots))
        worth = _EXACT.divide(self.value, _EXACT.add(1, power))
        return _EXACT.quantize(worth, _TWELVE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Deadline:
    """The full value up to `slots` slots, 0 later."""

    model: Annotated[Literal["deadline"], "the utility function"] = "deadline"
    value: Annotated[Positive, "utility if it is in time"]
    slots: Annotated[Whole, "largest number of slots from its arrival to be in time"]

    def at(self, slots: int) -> Decimal:
        """Return the utility after the given slots."""
        return self.value if slots <= self.slots else Decimal(0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Linear:
    """A linear decrease per slot, down to `least`."""

    model: Annotated[Literal["linear"], "the utility function"] = "linear"
    value: Annotated[Positive, "utility if it completes at once"]
    loss_per_slot: Annotated[Amount, "utility lost in each slot"]
    least: Annotated[Amount, "smallest utility, at most value"] = Decimal(0)

    def at(self, slots: int) -> Decimal:
        """Return the utility after the given slots."""
        return max(self.least, _EXACT.fma(self.loss_per_slot, -slots, self.value))


@dataclass(frozen=True, slots=True, kw_only=True)
class Level:
    """A period of constant utility."""

    until_slot: Annotated[Whole, "last slot, counted from the arrival, at which this level holds"]
    value: Annotated[Amount, "utility up to that slot"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """Levels in sequence, 0 after the last."""

    model: Annotated[Literal["step"], "the utility function"] = "step"
    levels: Annotated[tuple[Level, ...], NonEmpty(), "later levels end later and are lower"]

    def at(self, slots: int) -> Decimal:
        """Return the utility after the given slots."""
        reached = (level.value for level in self.levels if slots <= level.until_slot)
        return next(reached, Decimal(0))


Utility = Sigmoid | Deadline | Linear | Step

Hosts = Literal["both", "workers", "servers"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """A machine with an amount of each resource it has."""

    name: Annotated[Label, "unique name"]
    capacity: Annotated[
        Amounts, "amount of each resource (C_h^r), 0 for resources that are not named"
    ]
    hosts: Annotated[Hosts, "parts that it may hold: workers, parameter servers, or both"] = "both"
    region: Annotated[Label | None, Later(), "its region, if any"] = None

    def may_hold(self, part: Literal["workers", "servers"]) -> bool:
        """Return True if the machine may hold this part of jobs: workers or parameter servers."""
        return self.hosts in ("both", part)

    def fits(self, demand: dict[str, Decimal]) -> bool:
        """Return True if a demand is within its capacity."""
        room = dict(self.capacity)
        return all(amount <= room.get(resource, 0) for resource, amount in demand.items())


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingJob:
    """A training job that may hold up to `batch_samples` workers in a slot."""

    name: Annotated[Label, "unique name"]
    arrival_slot: Annotated[Whole, "first slot in which it may work (a_i)"] = 0
    epochs: Annotated[Count, "passes over its data (E_i)"] = 1
    samples: Annotated[Count, "number of samples (K_i)"]
    batch_samples: Annotated[
        Count, "samples in a batch, which is also the largest number of workers (F_i)"
    ]
    sample_s: Annotated[Amount, "computing time of one sample (tau_i)"] = Decimal(0)
    gradient_gb: Annotated[Amount, "size of gradient and parameters (g_i)"] = Decimal(0)
    workers_per_server: Annotated[Positive, "workers that a parameter server serves (gamma_i)"] = (
        Decimal(1)
    )
    internal_gb_s: Annotated[Positive, "bandwidth from worker to server inside a machine (b_i^(i))"]
    external_gb_s: Annotated[Positive, "bandwidth across machines, at most internal_gb_s (b_i^(e))"]
    worker: Annotated[Amounts, "resources that a worker takes (alpha_i^r)"]
    server: Annotated[Amounts, "resources that a parameter server takes (beta_i^r)"]
    utility: Annotated[Utility, "utility by the slots from arrival to completion (u_i)"]
    allowed_regions: Annotated[
        Regions | None, Later(), "regions in which it may run, or null for all"
    ] = None

    @property
    def work(self) -> int:
        """Samples to process in all epochs (E_i K_i)."""
        return self.epochs * self.samples

    def worth(self, last: int) -> Decimal:
        """Return its utility if this is the last slot in which it works."""
        return self.utility.at(last - self.arrival_slot)

    def rate(self, inside: bool, slot_s: Decimal) -> Fraction:
        """Return the samples that a worker processes in a slot, inside a machine or across."""
        speed = self.internal_gb_s if inside else self.external_gb_s
        transfer = 2 * Fraction(self.workers_per_server) * Fraction(self.gradient_gb)
        each = Fraction(self.sample_s) + transfer / (Fraction(speed) * self.batch_samples)
        return Fraction(slot_s) / each


@dataclass(frozen=True, slots=True, kw_only=True)
class OnlineInstance(Instance):
    """Training jobs to admit or reject. The objective is the sum of utilities of completed jobs.

    Samples per slot of a worker of job i, with tau, gamma, g, F and b as in `TrainingJob`:
    ``R = slot_s / (tau + 2 gamma g / (b F))``, where b is `internal_gb_s` if all workers and
    parameter servers of the job are on one machine in this slot, and `external_gb_s` if not.

    * `arrival_slot` is below `horizon_slots`, and a sample takes some time.
    * For each job, some machine holds a worker and some machine holds a parameter server. If the
      same machine is the only one for both, it holds them together.
    * A utility never grows: each level ends later than the previous one and is lower.
    * Sigmoids are rounded to 12 decimals, half to even.
    """

    kind: Annotated[Literal["online"], "the problem family"] = "online"
    machines: Annotated[tuple[Machine, ...], NonEmpty(), "machines that run the jobs"]
    jobs: Annotated[tuple[TrainingJob, ...], NonEmpty(), "jobs that arrive"]
    horizon_slots: Annotated[Count, "number of slots (T)"]
    slot_s: Annotated[Positive, "length of a slot"] = Decimal(1)

    @property
    def resources(self) -> tuple[str, ...]:
        """Every resource that a machine has or a job requests, in the order of their names."""
        held = {name for machine in self.machines for name, _ in machine.capacity}
        asked = {name for job in self.jobs for name, _ in (*job.worker, *job.server)}
        return tuple(sorted(held | asked))

    def problems(self) -> Iterator[Problem]:
        """Yield every problem that involves several fields."""
        yield from repeats("machines", [machine.name for machine in self.machines])
        yield from repeats("jobs", [job.name for job in self.jobs])
        yield from region_problems(self.machines, self.jobs)
        for i, job in enumerate(self.jobs):
            yield from self._job_problems(f"jobs[{i}]", job)
            yield from _room_problems(f"jobs[{i}]", job, self.machines)

    def _job_problems(self, path: str, job: TrainingJob) -> Iterator[Problem]:
        if job.arrival_slot >= self.horizon_slots:
            yield Problem(
                f"{path}.arrival_slot",
                job.arrival_slot,
                f"a slot before horizon_slots ({self.horizon_slots})",
                "drop the job or raise horizon_slots",
            )
        if job.external_gb_s > job.internal_gb_s:
            yield Problem(
                f"{path}.external_gb_s",
                job.external_gb_s,
                f"at most internal_gb_s ({job.internal_gb_s})",
                "lower it, or raise internal_gb_s",
            )
        if not (job.sample_s or job.gradient_gb):
            yield Problem(
                path,
                job.name,
                "a sample that takes some time",
                "give sample_s or gradient_gb above 0",
            )
        yield from _utility_problems(f"{path}.utility", job.utility)


def _utility_problems(path: str, utility: Utility) -> Iterator[Problem]:
    """Yield increases of a utility with time."""
    if isinstance(utility, Linear) and utility.least > utility.value:
        expected = f"at most value ({utility.value}): a utility never grows"
        yield Problem(f"{path}.least", utility.least, expected, "lower it")
    if isinstance(utility, Step):
        for k in range(1, len(utility.levels)):
            before, level = utility.levels[k - 1 : k + 1]
            place = f"{path}.levels[{k}]"
            if level.value > before.value:
                expected = f"at most {before.value}, the value before: a utility never grows"
                yield Problem(f"{place}.value", level.value, expected, "lower it")
            if level.until_slot <= before.until_slot:
                expected = f"more than {before.until_slot}, where the level before ends"
                yield Problem(f"{place}.until_slot", level.until_slot, expected, "raise it")


def has_room(job: TrainingJob, machines: tuple[Machine, ...]) -> bool:
    """Return True if one or two machines can hold a worker and a parameter server of a job."""
    return not any(_room_problems("", job, machines))


def _room_problems(path: str, job: TrainingJob, machines: tuple[Machine, ...]) -> Iterator[Problem]:
    """Yield why no one or two machines can hold a worker and a parameter server of a job."""
    where = f"for job {job.name!r}"
    if job.allowed_regions is not None:
        machines = tuple(machine for machine in machines if may_run(job, machine))
        where += " in its regions"
    if not machines:
        return
    worker, server = dict(job.worker), dict(job.server)
    none = Decimal(0)
    both = {name: worker.get(name, none) + server.get(name, none) for name in worker | server}
    if any(machine.hosts == "both" and machine.fits(both) for machine in machines):
        return
    works = list(islice((m for m in machines if m.may_hold("workers") and m.fits(worker)), 2))
    serves = list(islice((m for m in machines if m.may_hold("servers") and m.fits(server)), 2))
    for part, demand, holders in (("worker", job.worker, works), ("server", job.server, serves)):
        if not holders:
            found = Words(", ".join(f"{name} {amount}" for name, amount in demand))
            expected = f"demands that some machine can hold, {where}"
            yield Problem(f"{path}.{part}", found, expected, "lower them or enlarge a machine")
    if works == serves and len(works) == 1:
        expected = f"a worker and a parameter server that fit together on {works[0].name!r}"
        yield Problem(path, job.name, expected, "lower its demands or add a machine")


@dataclass(frozen=True, slots=True, kw_only=True)
class SlotPlan:
    """Resources of one job in one slot."""

    slot: Annotated[Whole, "number of the slot, from 0"]
    workers: Annotated[Numbers, "workers on each machine (w_ih[t])"]
    servers: Annotated[Numbers, "parameter servers on each machine (s_ih[t])"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Admission:
    """An admitted job, with its resources in all slots."""

    job: Annotated[Label, "name of the job"]
    plan: Annotated[tuple[SlotPlan, ...], NonEmpty(), "slots in which it works"]
    completion_slot: Annotated[Whole | None, "claimed last slot, compared with the plan"] = None
    utility: Annotated[Decimal | None, "claimed utility, compared with the judge's"] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class OnlineSchedule(AnySchedule):
    """Admitted jobs of one instance with their plans. All other jobs are rejected."""

    kind: Annotated[Literal["online-schedule"], "the kind of file"] = "online-schedule"
    utility: Annotated[Decimal | None, "claimed sum of utilities"] = None
    admissions: Annotated[tuple[Admission, ...], "one entry per admitted job"]


PLACES = Places(
    read=lambda one: one.machines,
    put=lambda one, machines: replace(one, machines=machines),
    fits=lambda one, job, own: not any(replace(one, machines=own, jobs=(job,)).problems()),
)


def online(
    jobs: Rows, machines: Rows, *, horizon_slots: int, name: str = "online", **more: Any
) -> OnlineInstance:
    """Return an instance of jobs with workers and parameter servers that arrive over time.

    Args:
        jobs: At least `samples`, `batch_samples`, and `sample_s` or `gradient_gb`. By default, a
            worker uses ``{"gpu": 1}`` and a parameter server ``{"cpu": 1}``, over 12.5 GB/s inside
            a
            machine and 1.25 GB/s across. `utility` is a number up to the horizon; a pair of a
            number
            and the slots from the arrival up to which it holds; or one of the laws of the format.
            By
            default it is 1.
        machines: A number is a machine's GPUs, with the same number of CPUs; else `capacity`.
        horizon_slots: The number of slots.
        name: Name of the instance.
        **more: Other fields of the format: `slot_s`, `title`, ..

    Raises:
        InputError: With all problems, as for a file.
    """

    def job(row: Any) -> Any:
        return {**row, "utility": _law(row.get("utility", 1), horizon_slots)}

    usual = {
        "worker": {"gpu": 1},
        "server": {"cpu": 1},
        "internal_gb_s": INTRA,
        "external_gb_s": INTER,
    }
    made: OnlineInstance = built(
        "online",
        name=name,
        machines=rows_of(machines, "m", short(lambda n: {"capacity": {"gpu": n, "cpu": n}})),
        jobs=rows_of(jobs, "j", lambda row: job(row) if isinstance(row, dict) else row, **usual),
        horizon_slots=horizon_slots,
        **more,
    )
    return made


def _law(utility: Any, slots: Any) -> Any:
    if isinstance(utility, tuple | list) and len(utility) == 2:
        utility, slots = utility
    elif isinstance(utility, dict | str) or not hasattr(utility, "__float__"):
        return utility
    return {"model": "deadline", "value": utility, "slots": slots}
