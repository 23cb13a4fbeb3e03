"""The `reserved` family: preemptible rings with reserved bandwidth (GADGET).

Time is in slots, from 0 to ``horizon_slots - 1``. In every slot a ring may hold other workers, on
other machines, or none. Its links are reserved, so rings never slow each other down.

The gain of progress is concave and increasing, rounded to twelve decimals: all sums of gains use
the same numbers.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction
from functools import lru_cache
from typing import Annotated, Any, Literal

from ..building import Rows, built, rows_of, short
from ..errors import Problem, Words
from ..reading.vocabulary import (
    Amount,
    Amounts,
    AnySchedule,
    Count,
    Instance,
    Label,
    NonEmpty,
    Numbers,
    Positive,
    Whole,
    repeats,
)

_EXACT = Context(prec=80, rounding=ROUND_HALF_EVEN, traps=[])
_TWELVE = Decimal("1e-12")

Shape = Literal["root", "log", "saturating", "capped"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Gain:
    """``value f(progress / scale)``, f(x) being sqrt x, ln(1 + x), 1 - e^-x or min(1, x)."""

    shape: Annotated[Shape, "form of f"]
    value: Annotated[Positive, "factor of f"]
    scale: Annotated[Positive, "progress at which x is 1"] = Decimal(1)

    def at(self, progress: Decimal, times: int = 1) -> Decimal:
        """Return the gain of `times` as much progress."""
        x = _EXACT.divide(_EXACT.multiply(progress, times), self.scale)
        match self.shape:
            case "root":
                part = _EXACT.sqrt(x)
            case "log":
                part = _EXACT.ln(_EXACT.add(1, x))
            case "saturating":
                part = _EXACT.subtract(1, _EXACT.exp(_EXACT.minus(x)))
            case "capped":
                part = min(Decimal(1), x)
        return _EXACT.quantize(_EXACT.multiply(self.value, part), _TWELVE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rack:
    """Machines under one switch."""

    name: Annotated[Label, "unique name"]
    uplink_gb_s: Annotated[
        Positive | None, "bandwidth to the other racks, in each direction, or null for no limit"
    ] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkedMachine:
    """A machine with an amount of each resource it has, and a link to its rack."""

    name: Annotated[Label, "unique name"]
    capacity: Annotated[
        Amounts, "amount of each resource (C_s^r), 0 for resources that are not named"
    ]
    uplink_gb_s: Annotated[
        Positive | None, "bandwidth to its rack, in each direction, or null for no limit"
    ] = None
    rack: Annotated[Label | None, "its rack, or null for an own rack without a limit"] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReservedRing:
    """A job that trains in a ring of any assigned size, slot by slot."""

    name: Annotated[Label, "unique name"]
    arrival_slot: Annotated[Whole, "first slot in which it may work (a_i)"] = 0
    most_workers: Annotated[Count, "largest number of workers in a slot (N_i)"]
    worker: Annotated[Amounts, "resources that a worker takes (l_i^r)"]
    reserved_gb_s: Annotated[
        Amount, "bandwidth reserved on every link that it crosses, in each direction (b_i)"
    ] = Decimal(0)
    budget: Annotated[
        Amounts | None,
        "limit on amount times slots in total (F_i^r), absent for resources that are not named",
    ] = None
    progress_per_worker_slot: Annotated[Positive, "progress of a worker in a slot (zeta_i)"] = (
        Decimal(1)
    )
    gain: Annotated[Gain, "value of its progress (mu_i)"]

    @property
    def most_worker_slots(self) -> int | None:
        """Return the worker-slots that its budget allows, or None without a binding budget."""
        budget = dict(self.budget or ())
        caps = [
            Fraction(budget[name]) // Fraction(each) for name, each in self.worker if name in budget
        ]
        return min(caps, default=None)

    def worth(self, worker_slots: int) -> Decimal:
        """Return the gain of the given worker-slots."""
        return _worth(self.gain, self.progress_per_worker_slot, worker_slots)


@lru_cache(maxsize=1 << 17)
def _worth(gain: Gain, each: Decimal, worker_slots: int) -> Decimal:
    return gain.at(each, worker_slots)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReservedInstance(Instance):
    """Preemptible rings that share machines and links. The objective is the sum of gains.

    A ring on two machines or more uses `reserved_gb_s` of the uplink of each of them. A ring in two
    racks or more also uses it on the uplink of each of its racks.

    * A machine's `rack` is one of `racks`, and a `budget` names only resources that a worker uses.
    * Every ring arrives before the last slot ends, and some machine holds one of its workers.
    * A gain is rounded to 12 decimals, half to even.
    """

    kind: Annotated[Literal["reserved"], "the problem family"] = "reserved"
    racks: Annotated[tuple[Rack, ...], "racks named by machines"] = ()
    machines: Annotated[tuple[LinkedMachine, ...], NonEmpty(), "machines that run the rings"]
    jobs: Annotated[tuple[ReservedRing, ...], NonEmpty(), "jobs that arrive"]
    horizon_slots: Annotated[Count, "number of slots (T)"]

    @property
    def resources(self) -> tuple[str, ...]:
        """Every resource that a machine has or a ring requests, in the order of their names."""
        held = {name for machine in self.machines for name, _ in machine.capacity}
        asked = {name for job in self.jobs for name, _ in job.worker}
        return tuple(sorted(held | asked))

    def problems(self) -> Iterator[Problem]:
        """Yield every problem that involves several fields."""
        yield from repeats("racks", [rack.name for rack in self.racks])
        yield from repeats("machines", [machine.name for machine in self.machines])
        yield from repeats("jobs", [job.name for job in self.jobs])
        racks = {rack.name for rack in self.racks}
        for i, machine in enumerate(self.machines):
            if machine.rack is not None and machine.rack not in racks:
                advice = "add it to racks or correct the name"
                yield Problem(f"machines[{i}].rack", machine.rack, "the name of a rack", advice)
        rooms = [dict(machine.capacity) for machine in self.machines]
        for i, job in enumerate(self.jobs):
            yield from self._job_problems(f"jobs[{i}]", job, rooms)

    def _job_problems(
        self, path: str, job: ReservedRing, rooms: list[dict[str, Decimal]]
    ) -> Iterator[Problem]:
        if job.arrival_slot >= self.horizon_slots:
            yield Problem(
                f"{path}.arrival_slot",
                job.arrival_slot,
                f"a slot before horizon_slots ({self.horizon_slots})",
                "drop the job or raise horizon_slots",
            )
        if not any(all(room.get(r, 0) >= amount for r, amount in job.worker) for room in rooms):
            found = Words(", ".join(f"{name} {amount}" for name, amount in job.worker))
            expected = f"a demand that some machine can hold, for job {job.name!r}"
            yield Problem(f"{path}.worker", found, expected, "lower it or enlarge a machine")
        asked = {name for name, _ in job.worker}
        for name, _ in job.budget or ():
            if name not in asked:
                expected, advice = "a resource that its workers use", "drop it or name it there"
                yield Problem(f"{path}.budget", name, expected, advice)


@dataclass(frozen=True, slots=True, kw_only=True)
class RingSlot:
    """Workers of one ring in one slot."""

    slot: Annotated[Whole, "number of the slot, from 0"]
    workers: Annotated[Numbers, "workers on each machine (y_is[t])"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RingPlan:
    """Workers of one ring in all slots."""

    job: Annotated[Label, "name of the ring"]
    plan: Annotated[tuple[RingSlot, ...], NonEmpty(), "slots in which it works"]
    gain: Annotated[Decimal | None, "claimed gain, compared with the judge's"] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReservedSchedule(AnySchedule):
    """The plans of an instance's rings. A ring without a plan never works."""

    kind: Annotated[Literal["reserved-schedule"], "the kind of file"] = "reserved-schedule"
    gain: Annotated[Decimal | None, "claimed sum of gains"] = None
    plans: Annotated[tuple[RingPlan, ...], "one entry per ring that works"]


def reserved(
    jobs: Rows, machines: Rows, *, horizon_slots: int, name: str = "reserved", **more: Any
) -> ReservedInstance:
    """Return an instance of preemptible rings whose links are reserved.

    Args:
        jobs: At least `most_workers`. A worker uses ``{"gpu": 1}`` by default.
            `gain` is one of the format, or a number: the factor of the root of the progress, by
            default 1.
        machines: A number is a machine's GPUs; else `capacity`, with `uplink_gb_s` and `rack`.
        horizon_slots: The number of slots.
        name: Name of the instance.
        **more: Other fields of the format: `racks`, `title`, ..

    Raises:
        InputError: With all problems, as for a file.
    """
    if "racks" in more:
        more["racks"] = rows_of(more["racks"], "r", short(lambda gb_s: {"uplink_gb_s": gb_s}))
    made: ReservedInstance = built(
        "reserved",
        name=name,
        machines=rows_of(machines, "m", short(lambda gpus: {"capacity": {"gpu": gpus}})),
        jobs=rows_of(jobs, "j", _job, worker={"gpu": 1}),
        horizon_slots=horizon_slots,
        **more,
    )
    return made


def _job(row: Any) -> Any:
    gain = row.get("gain", 1) if isinstance(row, dict) else None
    if not hasattr(gain, "__float__"):
        return row
    return {**row, "gain": {"shape": "root", "value": gain}}
