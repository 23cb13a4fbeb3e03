"""Knows what is free and what it costs, and makes offers that are taken at once."""

import numpy as np

from ...instances import OnlineInstance
from ...simulation.online.model import (
    Floats,
    OnlineModel,
    most_workers,
    online_model,
    utilities,
    with_hosts,
)
from ...simulation.online.tariff import Tariff, corrected, outlook, published
from .decide import decide, place
from .desk import ACROSS, CLOSE, Ask, Rounding, new_desk
from .terms import Options
from .yard import Placement, placement_of

MOST_CORNERS = 20_000_000
"""Corners of all polygons together that are kept."""


class Broker:
    """What PD-ORS knows between one arrival and the next."""

    def __init__(self, instance: OnlineInstance, options: Options, seed: int) -> None:
        """Start with an empty cluster."""
        model = with_hosts(online_model(instance))
        self._instance, self._model, self._options = instance, model, options
        repair, whole = options.repair == "greedy", options.relaxation == "hull"
        self._how = Rounding(float(options.gain), options.tries, repair, whole)
        self._tariff = tariff_of(instance, model, options)
        quanta = max(options.quanta, model.slots)
        self._desk = new_desk(model.capacity.shape[0], most_corners(model), quanta, seed)
        self._free: Floats = np.repeat(model.capacity[None], model.slots, axis=0)
        self.price: Floats = self._tariff.prices(0.0 * self._free)
        """Of a unit, by slot, machine and resource."""
        self._choice = np.zeros((model.slots, quanta + 1), np.int64)
        self.payoff = 0.0
        """Of the last offer: utility less cost, 0 if the job was turned away."""

    def offer(self, job: int) -> dict[int, Placement]:
        """Return the schedule that pays most, nothing if none pays, and take what it needs."""
        ask, self.payoff = self._ask(job), 0.0
        if ask is None:
            return {}
        key = job * self._choice.size
        about = self._desk, ask, self._how, self.price, self._free_to(job), key
        self.payoff, last = decide(*about, self._choice)
        found: dict[int, Placement] = {}
        left = ask.quanta if self.payoff > 0 else 0
        for slot in range(last, ask.arrival - 1, -1):
            taken = int(self._choice[slot, left])
            if taken:
                found[slot] = self._placement(ask, place(*about, slot, taken), taken)
                left -= taken
        for slot, placement in found.items():
            self._take(job, slot, placement)
        return dict(sorted(found.items()))

    def _free_to(self, job: int) -> Floats:
        """Return what is free where a job may run, and nothing elsewhere."""
        may = self._model.open_to(job)
        return self._free if may.all() else np.where(may[:, None], self._free, 0.0)

    def _ask(self, job: int) -> Ask | None:
        """Return what a job asks for; None if no cluster of this size completes it in time.

        The fastest slot is a whole number of quanta, so that a job in haste loses nothing.
        """
        model, work = self._model, float(self._model.work[job])
        inside, outside = most_workers(model, job)
        fastest = max(inside * model.inside[job], outside * model.outside[job])
        count = model.slots - int(model.arrival[job])
        if work > fastest * count * (1 + CLOSE):
            return None
        parts = min(max(inside, outside), int(self._options.quanta * fastest / work))
        each = float(fastest) / max(1, parts)
        return Ask(
            worker=model.worker[job],
            server=model.server[job],
            gamma=float(model.ratio[job]),
            batch=int(model.batch[job]),
            quanta=int(np.ceil(work / each * (1 - CLOSE))),
            each=each,
            inside=float(model.inside[job]),
            outside=float(model.outside[job]),
            arrival=int(model.arrival[job]),
            worth=utilities(self._instance.jobs[job].utility, count),
        )

    def _placement(self, ask: Ask, machine: int, quanta: int) -> Placement:
        if machine == ACROSS:
            return placement_of(self._desk.workers, self._desk.servers)
        workers = int(np.ceil(quanta * ask.each / ask.inside * (1 - CLOSE)))
        return Placement({machine: workers}, {machine: int(np.ceil(workers / ask.gamma - CLOSE))})

    def _take(self, job: int, slot: int, placement: Placement) -> None:
        model, free = self._model, self._free[slot]
        for part, need in zip(placement, (model.worker[job], model.server[job]), strict=True):
            for machine, count in part.items():
                free[machine] -= count * need
        machines = list(placement.workers.keys() | placement.servers.keys())
        room = model.capacity[machines]
        taken = np.where(room > 0, 1.0 - free[machines] / np.maximum(room, 1.0), 0.0)
        self.price[slot, machines] = self._tariff.prices(taken)


def most_corners(model: OnlineModel) -> int:
    """Return how many corners the polygon of a machine, or its hull, has at most."""
    resources = model.capacity.shape[1]
    needs = np.where(model.worker > 0, model.worker, np.inf)
    most = np.minimum((model.capacity.max(axis=0) / needs).min(axis=1), model.batch)
    return int(max(resources + 5, most.max() + 4))


def refuses(instance: OnlineInstance, options: object = None) -> str | None:
    """Say why there is no room for the plans of an instance, or None if there is."""
    if isinstance(options, Options) and options.prices == "corrected" and options.share >= 1:
        return "share is 1, and prices as corrected reach their height at 1 - share; lower it"
    model = online_model(instance)
    corners = most_corners(model)
    if corners * len(instance.machines) <= MOST_CORNERS:
        return None
    return (
        f"a machine may hold {corners - 4:,} workers of a job, and there are "
        f"{len(instance.machines):,} machines: too many to plan; count in larger units"
    )


def tariff_of(instance: OnlineInstance, model: OnlineModel, options: Options) -> Tariff:
    """Return the tariff that the options name."""
    known, misjudged = outlook(instance, model), float(options.misjudged)
    if options.prices == "published":
        return published(model, known, misjudged)
    return corrected(model, known, misjudged, float(options.share), float(options.chi))
