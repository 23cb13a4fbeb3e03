"""PD-ORS: every job is priced when it arrives, and admitted if its best schedule pays.

Source: PD-ORS (online scheduling and placement of parameter-server training jobs), after OASiS.

Each machine has a price for each resource in each slot, which grows as the slot fills
(`simulation/online.py`). When a job arrives, the schedule with the largest payoff (utility minus
cost at current prices) is sought over all completion slots (`slot_plan.py`). If the payoff is
positive, the job is admitted and holds this schedule permanently.

In a slot a job goes to one machine, or across machines by rounding the linear relaxation of its
program (`slot_plan.py`). Capacities are hard. The printed method drops plans that do not fit,
``repair=none``. At the printed gains almost no plan survives if a machine must be filled, because a
corner of the relaxation is rarely whole. See docs/theory/pd-ors.md. The required workers and
parameter servers are computed exactly: a job that misses its work by a billionth has not completed.

`pd-ors` has the published prices. `pd-ors-corrected` (ours) is the same algorithm with other
options: the prices for which the competitive ratio can be proved, and plans across machines from
the relaxation over integer hulls, where at most two machines need rounding. `pd-ors-flat` (ours)
differs from it by prices that are flat first, as for online knapsacks. All know the ranges of
utilities and work of all jobs in advance, as the paper assumes. With `misjudged` these are wrong.
The proofs are in docs/theory/pd-ors.md.
"""

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from math import ceil
from typing import Annotated, Literal

import numpy as np

from ...instances import OnlineInstance, Outcome, TrainingJob
from ...instances.reading.vocabulary import Count, Fraction01, Positive, Range
from ...simulation.online import (
    Floats,
    Ints,
    OnlineModel,
    Tariff,
    corrected,
    flat_first,
    most_workers,
    online_model,
    outlook,
    published,
    utilities,
    with_hosts,
)
from ..request import Request, Scheduler
from .planning import ENDLESS, OnlinePlans, SlotPlacement, placement_of, servers_due, take
from .slot_plan import ACROSS, JobDemand, Rounding, SlotTask, decide, new_scratch, place

Prices = Annotated[Literal["published", "corrected", "flat"], "which tariff"]
SHARE = "largest fraction of a machine for one job (corrected, flat)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """Options of PD-ORS."""

    prices: Prices = "published"
    relaxation: Annotated[
        Literal["lp", "hull"], "relaxation of a slot with workers on several machines"
    ] = "lp"
    gain: Annotated[Positive, "gain factor G_delta before rounding"] = Decimal(1)
    tries: Annotated[Count, "roundings of a plan (the cheapest is kept)"] = 8
    repair: Annotated[Literal["greedy", "none"], "treatment of plans that do not fit"] = "greedy"
    quanta: Annotated[Annotated[int, Range(1, 1000)], "parts of a job's work"] = 64
    misjudged: Annotated[Positive, "factor on the range of prices"] = Decimal(1)
    share: Annotated[Fraction01, SHARE] = Decimal("0.5")
    chi: Annotated[Positive, "most that a plan costs, in multiples of the cheapest (corrected)"] = (
        Decimal(2)
    )


MOST_CORNERS = 20_000_000
"""Corners of all polygons together that are kept."""


class JobPlanner:
    """Plans one job after the other, with free capacity and all prices."""

    def __init__(
        self, instance: OnlineInstance, options: Options, seed: int, extra: Floats | None = None
    ) -> None:
        """Start with an empty cluster. Prices `extra`, if any, are added to those of the tariff."""
        model = with_hosts(online_model(instance))
        self._instance, self._model, self._options = instance, model, options
        repair, whole = options.repair == "greedy", options.relaxation == "hull"
        self._how = Rounding(float(options.gain), options.tries, repair, whole)
        self._tariff = tariff_of(instance, model, options)
        quanta = max(options.quanta, model.slots)
        self._scratch = new_scratch(model.capacity.shape[0], most_corners(model), quanta, seed)
        self._free: Floats = np.repeat(model.capacity[None], model.slots, axis=0)
        self._extra = np.zeros_like(self._free)
        if extra is not None:
            self._extra[:, :, : extra.shape[2]] = extra
        self.price: Floats = self._tariff.prices(0.0 * self._free) + self._extra
        """Of a unit, by slot, machine and resource."""
        self._asks = dict[int, tuple[list[Fraction], JobDemand | None]]()
        self._choice = np.zeros((model.slots, quanta + 1), np.int64)
        self.payoff = 0.0
        """Utility minus cost of the last plan, or less, or 0 if the job was rejected."""

    def state(self) -> tuple[Floats, Floats]:
        """Return free capacity and prices as a state to restore."""
        return self._free.copy(), self.price.copy()

    def return_to(self, state: tuple[Floats, Floats]) -> None:
        """Forget the plans that were made since then."""
        for now, then in zip((self._free, self.price), state, strict=True):
            now[...] = then

    def best_plan(self, job: int) -> dict[int, SlotPlacement]:
        """Return the schedule with the best positive payoff, or an empty one, and allocate it."""
        if job not in self._asks:
            self._asks[job] = self._rates(job), self._ask(job)
        ask, self.payoff = self._asks[job][1], 0.0
        if ask is None:
            return {}
        key = job * self._choice.size
        task = SlotTask(self._scratch, ask, self._how, self.price, self._free_to(job), key)
        self.payoff, last = decide(task, self._choice)
        found: dict[int, SlotPlacement] = {}
        left = ask.quanta if self.payoff > 0 else 0
        for slot in range(last, ask.arrival - 1, -1):
            taken = int(self._choice[slot, left])
            if taken:
                found[slot] = self._placement(job, place(task, slot, taken), ask.inside[taken])
                left -= taken
        for slot, placement in found.items():
            self._take(job, slot, placement)
        return self._needed(job, found)

    def _needed(self, job: int, found: dict[int, SlotPlacement]) -> dict[int, SlotPlacement]:
        """Leave out the slots after the completion of the job.

        Workers are rounded up in each slot, so together they can finish earlier. Capacity taken for
        later slots stays taken: prices, on which other jobs depend, follow the plan.
        """
        kept = dict[int, SlotPlacement]()
        left, rates = Fraction(self._instance.jobs[job].work), self._asks[job][0]
        for slot, placement in sorted(found.items()):
            if left > 0:
                kept[slot] = placement
                left -= placement.size * rates[not placement.inside]
        return kept

    def _rates(self, job: int) -> list[Fraction]:
        """Return the samples of a worker in a slot if all are on one machine, and if not."""
        data, slot_s = self._instance.jobs[job], self._instance.slot_s
        return [data.rate(inside, slot_s) for inside in (True, False)]

    def _free_to(self, job: int) -> Floats:
        """Return the free capacity where a job may run, and 0 elsewhere."""
        may = self._model.open_to(job)
        return self._free if may.all() else np.where(may[:, None], self._free, 0.0)

    def _ask(self, job: int) -> JobDemand | None:
        """Return the demand of a job, or None if no cluster of this size completes it in time.

        The fastest slot is a whole number of quanta, so that an urgent job loses no speed.
        """
        model, data, most = self._model, self._instance.jobs[job], most_workers(self._model, job)
        rates = self._rates(job)
        fastest = max(count * rate for count, rate in zip(most, rates, strict=True))
        count = model.slots - int(model.arrival[job])
        top, bottom = workers_per_server(data)
        if data.work > fastest * count or not top:
            return None
        each = fastest / max(1, min(max(most), int(self._options.quanta * fastest / data.work)))
        quanta = ceil(data.work / each)
        inside, outside = (workers_for(quanta, each / rate) for rate in rates)
        return JobDemand(
            worker=model.worker[job],
            server=model.server[job],
            gamma=float(model.ratio[job]),
            top=top,
            bottom=bottom,
            batch=int(model.batch[job]),
            quanta=quanta,
            inside=inside,
            outside=outside,
            arrival=int(model.arrival[job]),
            worth=utilities(data.utility, count),
        )

    def _placement(self, job: int, machine: int, workers: int) -> SlotPlacement:
        if machine == ACROSS:
            return placement_of(*self._scratch.plan)
        servers = servers_due(self._instance.jobs[job], int(workers))
        return SlotPlacement({machine: int(workers)}, {machine: servers})

    def _take(self, job: int, slot: int, placement: SlotPlacement) -> None:
        take(self._model, self._free[slot], job, placement)
        machines = list(placement.workers.keys() | placement.servers.keys())
        tariff = self._tariff_prices(slot, machines)
        self.price[slot, machines] = tariff + self._extra[slot, machines]

    def drop_extra(self) -> None:
        """Set all prices to those of the tariff. Where later plans go, the extra is added again."""
        self.price[...] = self._tariff_prices(slice(None), slice(None))

    def _tariff_prices(self, slots: int | slice, machines: list[int] | slice) -> Floats:
        """Return the tariff's prices for what is taken of some machines in some slots."""
        room = self._model.capacity[machines]
        free = self._free[slots, machines]
        taken = np.where(room > 0, 1.0 - free / np.maximum(room, 1.0), 0.0)
        return self._tariff.prices(taken)


def workers_for(quanta: int, each: Fraction) -> Ints:
    """Return the workers needed in a slot for 0, 1, .. quanta of `each` worker-slots."""
    top, bottom = each.as_integer_ratio()
    return np.array([min(ENDLESS, -(-q * top // bottom)) for q in range(quanta + 1)])


def workers_per_server(job: TrainingJob) -> tuple[int, int]:
    """Return the ratio as whole numbers that kernels can multiply, rounded down if needed."""
    top, bottom = job.workers_per_server.as_integer_ratio()
    most = 2**62 // min(job.batch_samples, ENDLESS)
    if bottom > most:
        top, bottom = top * most // bottom, most
    return min(top, 2**62), bottom


def most_corners(model: OnlineModel) -> int:
    """Return how many corners the polygon of a machine, or its hull, has at most."""
    resources = model.capacity.shape[1]
    needed = model.worker > 0
    limits = model.capacity.max(axis=0) / np.where(needed, model.worker, 1.0)
    most = np.minimum(np.where(needed, limits, np.inf).min(axis=1), model.batch)
    return int(max(resources + 5, most.max() + 4))


def refuses(instance: OnlineInstance, options: object = None) -> str | None:
    """Return why there is no room for the plans of an instance, or None if there is."""
    if isinstance(options, Options) and options.prices == "corrected" and options.share >= 1:
        return "share is 1, but corrected prices reach their maximum at 1 - share. Lower share."
    if isinstance(options, Options) and options.prices == "flat" and 2 * options.share >= 1:
        return f"share is {options.share}, but flat prices need less than 0.5. Lower share."
    model = online_model(instance)
    corners = most_corners(model)
    if corners * len(instance.machines) <= MOST_CORNERS:
        return None
    return (
        f"a machine may hold {corners - 4:,} workers of a job, and there are "
        f"{len(instance.machines):,} machines: too many to plan. Use larger units."
    )


def tariff_of(instance: OnlineInstance, model: OnlineModel, options: Options) -> Tariff:
    """Return the tariff that the options name."""
    known, misjudged = outlook(instance, model), float(options.misjudged)
    if options.prices == "published":
        return published(model, known, misjudged)
    if options.prices == "flat":
        return flat_first(model, known, misjudged, float(options.share))
    return corrected(model, known, misjudged, float(options.share), float(options.chi))


NAME = "pd-ors"


def run(instance: OnlineInstance, request: Request[Options]) -> Outcome:
    """Admit jobs in order of arrival, as the module's docstring describes."""
    return admitted(instance, request, NAME)


def admitted(instance: OnlineInstance, request: Request[Options], name: str) -> Outcome:
    """Return the schedule under the name of one of the two variants."""
    planner = JobPlanner(instance, request.options, int(request.rng.integers(2**62)))
    plans = OnlinePlans(instance, request.limits, name)
    for job in plans.jobs():
        plans.add_all(job, planner.best_plan(job))
    return plans.outcome()


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrectedOptions(Options):
    """Options of PD-ORS, with the corrected ones as defaults."""

    prices: Prices = "corrected"
    relaxation: Annotated[
        Literal["lp", "hull"], "relaxation of a slot with workers on several machines"
    ] = "hull"
    tries: Annotated[Count, "roundings of a plan (the cheapest is kept)"] = 1
    share: Annotated[Fraction01, SHARE] = Decimal("0.2")


def run_corrected(instance: OnlineInstance, request: Request[CorrectedOptions]) -> Outcome:
    """Admit jobs in the order of their arrival."""
    return admitted(instance, request, "pd-ors-corrected")


PD_ORS_CORRECTED = Scheduler(run=run_corrected, Options=CorrectedOptions, refuses=refuses)


@dataclass(frozen=True, slots=True, kw_only=True)
class FlatOptions(CorrectedOptions):
    """Options of PD-ORS, with flat first prices as defaults."""

    prices: Prices = "flat"
    share: Annotated[Fraction01, SHARE] = Decimal("0.01")


def run_flat(instance: OnlineInstance, request: Request[FlatOptions]) -> Outcome:
    """Admit jobs in the order of their arrival."""
    return admitted(instance, request, "pd-ors-flat")


PD_ORS_FLAT = Scheduler(run=run_flat, Options=FlatOptions, refuses=refuses)
