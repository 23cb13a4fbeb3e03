"""What a chart of a schedule in slots tells: what each job holds where, slot by slot.

The families `online` and `reserved` plan in slots; their jobs may hold other workers in each.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from math import lcm
from typing import Any

from ...check.online.holdings import holdings_of as online_holdings
from ...check.reserved.holdings import holdings_of as reserved_holdings

Held = dict[int, dict[int, tuple[int, int]]]
"""Workers and parameter servers by slot and place of the machine."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ways:
    """What differs between the families: words, and where the judge says what."""

    objective: str
    with_plan: str
    without: str
    holdings: Callable[[Any, Any], Iterable[Any]]
    worth: str
    completions: str = ""
    """Where the verdict says in which slot a job completes, if it does."""


ONLINE = Ways(
    objective="utility",
    with_plan="admitted",
    without="turned away",
    holdings=online_holdings,
    worth="utilities",
    completions="completions",
)
RESERVED = Ways(
    objective="gain",
    with_plan="at work",
    without="never at work",
    holdings=reserved_holdings,
    worth="gains",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Hold:
    """What one job has of one machine, the same from slot `start` to before `end`.

    `units` counts the chart's resource, in parts of `SlotFacts.unit`; `spread` says that the
    job is on other machines too.
    """

    machine: int
    start: int
    end: int
    units: int
    spread: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class BarJob:
    """A job, by its place in the instance, with all that it holds."""

    number: int
    name: str
    arrival: int
    holds: tuple[Hold, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SlotJob(BarJob):
    """A job: `held` is empty if it was turned away; `last` is None if it does not complete."""

    held: Held
    last: int | None
    worth: Fraction | None

    @property
    def worker_slots(self) -> int:
        """Count its workers over all slots."""
        return sum(workers for there in self.held.values() for workers, _ in there.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class BarFacts:
    """What bars are drawn from: machines with their size in units of 1/`unit`, and jobs."""

    instance: str
    method: str
    machines: tuple[tuple[str, int], ...]
    unit: int
    jobs: tuple[BarJob, ...]
    horizon: int
    bound: Fraction | None
    faults: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SlotFacts(BarFacts):
    """All that is drawn. Bars are as high as a job's part of `resource`, in units of 1/`unit`."""

    ways: Ways
    resource: str
    jobs: tuple[SlotJob, ...]
    slot_s: str
    objective: Fraction

    @property
    def admitted(self) -> int:
        """Count the jobs that hold anything."""
        return sum(bool(job.held) for job in self.jobs)

    @property
    def gap(self) -> float | None:
        """Return how far the objective is below the bound, as a part of the bound."""
        if self.faults or not self.bound:
            return None
        return float((self.bound - self.objective) / self.bound)


def gather_slots(
    ways: Ways, instance: Any, schedule: Any, verdict: Any, bound: Fraction | None
) -> SlotFacts:
    """Collect what the chart of a schedule tells."""
    resource = _resource(instance)
    capacities = [Fraction(dict(m.capacity).get(resource, 0)) for m in instance.machines]
    demands = [demand for job in instance.jobs for demand in _demands(job, resource)]
    unit = lcm(*(amount.denominator for amount in (*capacities, *demands)))
    return SlotFacts(
        ways=ways,
        instance=instance.name,
        method=schedule.method,
        machines=tuple(
            (machine.name, int(unit * amount))
            for machine, amount in zip(instance.machines, capacities, strict=True)
        ),
        resource=resource,
        unit=unit,
        jobs=tuple(_jobs(ways, instance, schedule, verdict, resource, unit)),
        horizon=instance.horizon_slots,
        slot_s=f"{Decimal(getattr(instance, 'slot_s', 1)).normalize():f}",
        objective=verdict.objective,
        bound=bound,
        faults=tuple(Counter(fault.rule for fault in verdict.violations).most_common()),
    )


def _resource(instance: Any) -> str:
    """Return the resource to draw: the one that most workers ask for, GPUs among equals."""
    asked = Counter(name for job in instance.jobs for name, amount in job.worker if amount)
    return max(sorted(asked), key=lambda name: (asked[name], "gpu" in name.lower()), default="")


def _demands(job: Any, resource: str) -> tuple[Fraction, Fraction]:
    """Return what a worker and a parameter server take of a resource."""
    server = getattr(job, "server", ())
    return Fraction(dict(job.worker).get(resource, 0)), Fraction(dict(server).get(resource, 0))


def _jobs(
    ways: Ways, instance: Any, schedule: Any, verdict: Any, resource: str, unit: int
) -> Iterator[SlotJob]:
    places = {machine.name: i for i, machine in enumerate(instance.machines)}
    plans: dict[str, Any] = {h.job.name: h.slots for h in ways.holdings(instance, schedule)}
    worth = getattr(verdict, ways.worth)
    last = getattr(verdict, ways.completions) if ways.completions else {}
    for number, job in enumerate(instance.jobs):
        held = {slot: _held(there, places) for slot, there in plans.get(job.name, {}).items()}
        needs = tuple(int(unit * amount) for amount in _demands(job, resource))
        yield SlotJob(
            number=number,
            name=job.name,
            arrival=job.arrival_slot,
            held=held,
            holds=tuple(_holds(held, needs)),
            last=last.get(job.name),
            worth=worth.get(job.name),
        )


def _held(entry: Any, places: Mapping[str, int]) -> dict[int, tuple[int, int]]:
    """Return workers and parameter servers by machine, without machines that are unknown."""
    workers = dict(entry if isinstance(entry, Mapping) else entry.workers)
    servers = dict(() if isinstance(entry, Mapping) else entry.servers)
    return {
        places[name]: (workers.get(name, 0), servers.get(name, 0))
        for name in sorted(workers | servers)
        if name in places
    }


def _holds(held: Held, needs: tuple[int, ...]) -> Iterator[Hold]:
    """Join slots that follow each other in which a machine gives the same."""
    growing: dict[int, Hold] = {}
    for slot, there in sorted(held.items()):
        for machine, counts in there.items():
            units = sum(count * need for count, need in zip(counts, needs, strict=True))
            spread, old = len(there) > 1, growing.pop(machine, None)
            same = old and (old.end, old.units, old.spread) == (slot, units, spread)
            if old and not same:
                yield old
            start = old.start if old and same else slot
            growing[machine] = Hold(
                machine=machine, start=start, end=slot + 1, units=units, spread=spread
            )
    yield from growing.values()
