"""The decision problem of branch and bound: is there a schedule that ends by a given slot?

Jobs larger than every server must be rings across servers. Other jobs may. A node claims slots for
some rings. `place_rings` decides whether they and the other jobs can be placed. The other jobs run
inside one server there, or are *cut*: counted with their least work as rings. If no placement
exists, no schedule below the node exists. If placements exist only with cuts, one of the cut jobs
becomes a ring with every claim in turn, or stays whole. Jobs that hold GPUs at slot 0 are placed at
the root: rings as claims with one placement, and other jobs as GPUs that their servers lack at
first.
"""

from fractions import Fraction
from math import ceil
from threading import Thread
from typing import NamedTuple

import numpy as np

from ....formulations.makespan.data import ProgramData, ProgramJob, data_of
from ....formulations.makespan.rates import least_servers
from ....instances import FluidLinks, Limits, MakespanInstance, Schedule
from ....simulation import build_model, make_plan, to_schedule
from ....simulation.model import Floats, Ints, open_to
from .profiles import (
    NO,
    PACKING_TALLY,
    UNKNOWN,
    YES,
    ItemBatches,
    PackingScratch,
    arrange,
    find_batches,
)
from .rings import RING_FACTS, Rings, place_rings
from .symmetry import equal_before, first_equal, server_kinds

MOST_BATCHES = 1 << 18
"""Instances whose jobs form more batches than this in one server are given up."""

LISTING = 40_000_000
"""Nodes spent on listing them, a second or two."""

MEMORY = 1 << 27
"""Bytes for the memory of batches under profiles, and as many for failures."""

FAILURES = 1 << 21
"""Sets of items and profiles remembered as failures, at most."""

ALONE = 50_000
"""Nodes of a call that does not need a thread to stop it."""


class RingClaim(NamedTuple):
    """A job that is to be a ring across servers from slot `start` on, by its number."""

    job: int
    start: int


class HorizonQuestion:
    """The question whether all jobs can end by slot `horizon`, repeated with growing effort."""

    def __init__(self, instance: MakespanInstance, horizon: int) -> None:
        """Sort the jobs into items and rings, and list the batches of items."""
        self.instance, self.horizon = instance, horizon
        self._fluid = isinstance(instance.contention, FluidLinks)
        self.data: ProgramData = data_of(instance, horizon)
        self.tasks: list[ProgramJob] = list(self.data.tasks.values())
        self.model = build_model(instance)
        self.servers, self.kind = server_kinds(instance)
        self.open = open_to(self.model)
        self.site = np.unique(self.open, axis=1, return_inverse=True)[1].reshape(-1)
        self.equal = equal_before(instance)
        self.ring_slots = [self._ring_slots(j) for j in range(len(self.tasks))]
        by_work = sorted(range(len(self.tasks)), key=lambda j: (-self._work(j), j))
        self.held = [j for j in by_work if self.tasks[j].held]
        waiting = [j for j in by_work if not self.tasks[j].held]
        self.items = [j for j in waiting if self.data.fits(instance.jobs[j].name)]
        self.must = [j for j in waiting if j not in self.items]
        self.alike = np.array([first_equal(self.equal, j) for j in self.items], dtype=np.int64)
        self.spare = int(self.servers.sum()) * horizon - sum(map(self._work, by_work))
        bound = any(task.release or task.held for task in self.tasks)
        self.mirrored = not bound and not self._fluid
        self.idle = self._idle_beside_held()
        rows = np.column_stack((self.kind, self.idle))
        self.kind = np.unique(rows, axis=0, return_inverse=True)[1].reshape(-1)
        self.batches, self.lost = self._list_batches()
        self.scratch = self._new_scratch(self.batches)
        self.rates: dict[int, Floats] = {}
        self.nodes = 0
        self.found: Schedule | None = None

    @property
    def too_many(self) -> bool:
        """True if there are too many batches to list them all, or to find them in time."""
        return self.batches.batch.size > MOST_BATCHES or self.lost

    def answer(self, limits: Limits, effort: int) -> int:
        """Return YES (see `found`), NO, or UNKNOWN after `nodes` nodes or at the time limit."""
        self.limits, self.last = limits, self.nodes + effort
        whole = (1 << len(self.items)) - 1
        extra = np.full(len(self.items), -1)
        for i, j in enumerate(self.items):
            slots = self.ring_slots[j]
            if slots is not None:
                extra[i] = slots * self.tasks[j].gpus - self._work(j)
        least = {j: self.data.fewest(self.instance.jobs[j].name) for j in self.held}
        spare = self.spare - sum(
            self.tasks[j].gpus * (least[j] - self.tasks[j].least) for j in self.held
        )
        if spare < 0 or max(least.values(), default=0) > self.horizon:
            return NO
        claims = [RingClaim(j, 0) for j in self.held if len(self.tasks[j].held) > 1]
        return self._search(claims, whole, extra, spare, self.must)

    def _work(self, job: int) -> int:
        return self.tasks[job].gpus * self.tasks[job].least

    def _ring_slots(self, job: int) -> int | None:
        """Return the least slots of a job across servers, or None if that cannot be."""
        task, name = self.tasks[job], self.instance.jobs[job].name
        if task.held:
            return self.data.fewest(name)
        if not self.data.spreads(name):
            return None
        most = ceil(Fraction(task.gpus, len(self.data.open_sizes[name])))
        rate = self.data.rate(name, least_servers(self.data, name), most, 1)
        return ceil(task.iterations / rate) if rate else None

    def _idle_beside_held(self) -> Ints:
        """Return the GPUs of each server, slot by slot, beside the jobs held inside one server."""
        idle = np.repeat(self.servers[:, None], self.horizon, axis=1)
        for j in self.held:
            if len(self.tasks[j].held) == 1:
                slots = self.data.fewest(self.instance.jobs[j].name)
                idle[:, :slots] -= self._held_pieces(j)[:, None]
        return idle

    def _held_pieces(self, job: int) -> Ints:
        """Return the GPUs that a job holds at slot 0 on each server."""
        held = dict(self.tasks[job].held)
        return np.array([held.get(name, 0) for name in self.data.sizes], dtype=np.int64)

    def _places(self, job: int) -> int:
        """Return the sites that a job may use, as bits."""
        group = self.model.jobs["group"][job]
        return sum(1 << int(site) for site in set(self.site[self.open[group]].tolist()))

    def _list_batches(self) -> tuple[ItemBatches, bool]:
        """Return the items with their batches, and whether the list is incomplete."""
        items, number = (
            [self.tasks[j] for j in self.items],
            {j: i for i, j in enumerate(self.items)},
        )
        gpus = np.array([task.gpus for task in items], dtype=np.int64)
        slots = np.array([task.least for task in items], dtype=np.int64)
        empty = np.zeros(0, np.int64)
        alone = ItemBatches(
            gpus=gpus,
            slots=slots,
            release=np.array([task.release for task in items], dtype=np.int64),
            work=gpus * slots,
            equal=np.array([number.get(self.equal[j], -1) for j in self.items], dtype=np.int64),
            places=np.array([self._places(j) for j in self.items], dtype=np.int64),
            batch=empty,
            total=empty,
            first=np.zeros(len(items) + 1, np.int64),
        )
        scratch = self._new_scratch(alone)
        scratch.profile[0, :] = self.servers.max()
        scratch.tally["limit"] = LISTING
        batch = find_batches(alone, scratch, MOST_BATCHES)
        bits = batch[:, None] >> np.arange(gpus.size) & 1
        total, lowest = bits @ alone.work, bits.argmax(axis=1) if gpus.size else batch
        order = np.lexsort((-total, lowest))
        first = np.searchsorted(lowest[order], np.arange(gpus.size + 1))
        listed = alone._replace(batch=batch[order], total=total[order], first=first)
        return listed, bool(scratch.tally[0]["nodes"] > LISTING)

    def _new_scratch(self, batches: ItemBatches) -> PackingScratch:
        items, servers, count = len(self.items), self.servers.size, batches.batch.size
        profiles = max(2 * servers, min(1 << 14, MEMORY // (count + 8 * self.horizon)))

        def zeros(*shape: int) -> Ints:
            return np.zeros(shape, np.int64)

        return PackingScratch(
            profile=zeros(profiles, self.horizon),
            site=zeros(profiles),
            area=zeros(profiles),
            waste=zeros(profiles),
            status=np.zeros((profiles, count), np.int8),
            place=np.full(4 * profiles, -1),
            failed=zeros(min(FAILURES, MEMORY // (8 * (servers + 2))), servers + 2),
            idle=zeros(self.horizon),
            item=zeros(items + 1),
            start=zeros(items + 1),
            left=zeros(servers + 1),
            used=zeros(servers + 1),
            slack=zeros(servers + 1),
            server=zeros(servers + 1),
            chosen=zeros(servers + 1),
            tally=np.zeros(1, PACKING_TALLY),
        )

    def _search(
        self, claims: list[RingClaim], items: int, extra: Ints, spare: int, must: list[int]
    ) -> int:
        """Answer below a node: claims, items left, work that cuts add, spare work, later rings."""
        here = (items >> np.arange(extra.size) & 1).astype(bool)
        able = here & (extra >= 0) & (extra <= spare)
        rings = self._rings(claims, extra, final=not must and not able.any())
        answer = self._place(claims, rings, items, spare)
        if answer in (NO, UNKNOWN):
            return answer
        if must:
            return self._branch(claims, must[0], (items, extra, spare, must[1:]))
        if answer == YES and self._fluid and able.any():
            rings = self._rings(claims, np.full_like(extra, -1), final=True)
            answer = self._place(claims, rings, items, spare)
            if answer == UNKNOWN:
                return UNKNOWN
        if answer == YES:
            self.found = self._schedule(claims, rings)
            return YES
        cut = int(rings.facts[0]["cuts"]) >> np.arange(extra.size) & 1
        choice = (cut if cut.any() else able) * (extra + 1)
        i = int(choice.argmax())
        i = int(np.flatnonzero((self.alike == self.alike[i]) & here)[0])
        rest = items & ~(1 << i)
        answer = self._branch(claims, self.items[i], (rest, extra, spare, must))
        if answer != NO:
            return answer
        whole = np.where(self.alike == self.alike[i], -1, extra)
        return self._search(claims, items, whole, spare, must)

    def _branch(
        self, claims: list[RingClaim], job: int, rest: tuple[int, Ints, int, list[int]]
    ) -> int:
        """Let a job be a ring from every slot on. Of equal rings the earlier one starts first."""
        items, extra, spare, must = rest
        slots = self.ring_slots[job]
        if slots is None:
            return NO
        left = spare - self.tasks[job].gpus * (slots - self.tasks[job].least)
        if left < 0:
            return NO
        earlier = [claim.start for claim in claims if claim.job == self.equal[job]]
        first = max(self.tasks[job].release, *earlier, 0)
        for start in range(first, self.horizon - slots + 1):
            answer = self._search([*claims, RingClaim(job, start)], items, extra, left, must)
            if answer != NO:
                return answer
        return NO

    def _rate(self, job: int) -> Floats:
        """Return the rates of a ring by overhead units and rings on its busiest server."""
        if job not in self.rates:
            name, servers = self.instance.jobs[job].name, self.servers.size
            most = sum(map(self.data.spreads, self.data.tasks))
            table = np.zeros((max(servers, int(self.servers.max())) + 1, most + 1))
            for units in range(1, table.shape[0]):
                touched = units if self.instance.overhead == "paper" else 2
                for count in range(1, most + 1):
                    seen = 1 if self._fluid else count
                    table[units, count] = float(self.data.rate(name, max(2, touched), units, seen))
            self.rates[job] = table
        return self.rates[job]

    def _rings(self, claims: list[RingClaim], extra: Ints, final: bool) -> Rings:
        number, servers, jobs = len(claims), self.servers.size, [claim.job for claim in claims]
        free = np.zeros((number + 1, servers, self.horizon), np.int64)
        free[0] = self.idle
        return Rings(
            gpus=np.array([self.tasks[j].gpus for j in jobs], dtype=np.int64),
            start=np.array([claim.start for claim in claims], dtype=np.int64),
            least=np.array([self.ring_slots[j] for j in jobs], dtype=np.int64),
            need=np.array([float(self.tasks[j].iterations) for j in jobs]),
            rate=np.array([self._rate(j) for j in jobs]) if jobs else np.zeros((0, 1, 1)),
            servers=self.servers,
            held=np.array([self._held_pieces(j) for j in jobs] or np.zeros((0, servers), np.int64)),
            kind=self.kind,
            site=self.site,
            free=free,
            pieces=np.zeros((number, servers), np.int64),
            extra=extra,
            profile=np.zeros(servers, np.int64),
            server=np.zeros(servers, np.int64),
            end=np.zeros(number, np.int64),
            done=np.zeros(number),
            room=np.zeros((number, servers), np.int64),
            twin=np.zeros((number, servers), np.int64),
            crowd=np.zeros(servers, np.int64),
            facts=np.array([(0, final, self.mirrored, 0)], RING_FACTS),
        )

    def _place(self, claims: list[RingClaim], rings: Rings, items: int, spare: int) -> int:
        """Call the kernel. A long call runs in a thread, to be stopped by time or Ctrl-C."""
        model = self.model._replace(jobs=self.model.jobs[[claim.job for claim in claims]])
        tally, answer = self.scratch.tally[0], [UNKNOWN]

        def call(nodes: int) -> None:
            tally["nodes"], tally["limit"] = 0, nodes
            found = place_rings(model, self.batches, self.scratch, rings, items, spare)
            answer[0] = UNKNOWN if tally["nodes"] > tally["limit"] else found

        effort = self.last - self.nodes
        if self.limits.over() or effort <= 0:
            return UNKNOWN
        call(min(effort, ALONE))
        self.nodes += int(tally["nodes"])
        if answer[0] == UNKNOWN and effort > ALONE:
            thread = Thread(target=call, args=(effort,))
            thread.start()
            try:
                while thread.is_alive() and not self.limits.over():
                    thread.join(0.05)
            finally:
                tally["limit"] = 0
                thread.join()
            self.nodes += int(tally["nodes"])
        return answer[0]

    def _schedule(self, claims: list[RingClaim], rings: Rings) -> Schedule:
        """Return the schedule that the kernel has just found."""
        starts = [0.0] * len(self.tasks)
        places: list[list[tuple[int, int]]] = [[] for _ in self.tasks]
        for r, claim in enumerate(claims):
            starts[claim.job] = float(claim.start)
            row = rings.pieces[r].tolist()
            places[claim.job] = [(s, n) for s, n in enumerate(row) if n]
        for j in self.held:
            places[j] = [(s, n) for s, n in enumerate(self._held_pieces(j).tolist()) if n]
        batches, scratch, level = self.batches, self.scratch, 0
        while scratch.server[level] >= 0:
            s, batch = int(scratch.server[level]), int(batches.batch[scratch.chosen[level]])
            count = arrange(batches, scratch, int(rings.profile[s]), batch)
            for i, start in zip(scratch.item[:count], scratch.start[:count], strict=True):
                starts[self.items[i]] = float(start)
                places[self.items[i]] = [(int(rings.server[s]), int(batches.gpus[i]))]
            level += 1
        return to_schedule(self.instance, make_plan(starts, places), "")
