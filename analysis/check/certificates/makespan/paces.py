"""How fast jobs are at given places, alone and beside other rings: (6) to (9), worked out anew."""

from collections.abc import Mapping
from fractions import Fraction
from math import ceil

from .....instances.cluster import FluidLinks, ServerUplink
from .....instances.makespan import MakespanInstance
from .part import iteration_s, iterations_per_slot, slower_s, transfer_s

Pieces = tuple[int, ...]
"""GPUs on each server, the servers in the order of `RingPaces.servers`."""


class RingPaces:
    """The speeds of an instance's jobs; servers that are alike stand side by side."""

    def __init__(self, instance: MakespanInstance) -> None:
        """Sort the servers by all that tells them apart: size, leaf and spine, region."""
        self.instance, self.model = instance, instance.contention
        leaves = self.model.leaves if isinstance(self.model, FluidLinks) else ()
        above = {name: (leaf.name, leaf.spine) for leaf in leaves for name in leaf.servers}
        marked = [
            ((-one.gpus, above.get(one.name, ("", "")), one.region or ""), one)
            for one in instance.cluster.servers
        ]
        marked.sort(key=lambda pair: pair[0])
        self.servers = tuple(one for _, one in marked)
        self.alike = tuple(mark for mark, _ in marked)
        self._known = dict[tuple[int, Pieces, int], Fraction]()

    def alone(self, job: int, pieces: Pieces) -> Fraction | None:
        """Return the slots that a job takes with no other ring around; None if it never ends.

        In company a ring is never faster, be it by (7) or by a share of its narrowest link.
        """
        rate = self.rate(job, pieces, 1)
        if not rate:
            return None
        slots = self.instance.jobs[job].iterations / rate
        return slots if self.instance.progress == "continuous" else Fraction(ceil(slots))

    def beside(self, rings: Mapping[int, Pieces]) -> dict[int, Fraction]:
        """Return the iterations per slot of rings that run at the same time, by (6)."""
        here = [sum(map(bool, column)) for column in zip(*rings.values(), strict=True)]
        busiest = {
            ring: max(n * bool(count) for n, count in zip(here, pieces, strict=True))
            for ring, pieces in rings.items()
        }
        return {ring: self.rate(ring, pieces, busiest[ring]) for ring, pieces in rings.items()}

    def rate(self, job: int, pieces: Pieces, rings: int) -> Fraction:
        """Return (9) with so many rings on the busiest server; under fair sharing, as alone."""
        key = job, pieces, rings
        if key not in self._known:
            self._known[key] = iterations_per_slot(self.instance, self._seconds(*key))
        return self._known[key]

    def _seconds(self, job: int, pieces: Pieces, rings: int) -> Fraction:
        noun, held = self.instance.jobs[job], [count for count in pieces if count]
        inside = len(held) == 1
        spread = 0 if inside else 1 if self.instance.overhead == "step" else max(held)
        units = len(held) if self.instance.overhead == "paper" else spread
        seconds = iteration_s(self.instance, noun, units, inside=inside)
        if not inside and isinstance(self.model, ServerUplink):
            seconds += slower_s(self.instance, self.model, noun, rings)
        elif not inside and isinstance(self.model, FluidLinks):
            uplink = Fraction(self.instance.cluster.inter_bandwidth_gb_s)
            narrowest = uplink * min(Fraction(1), self._narrowest(self.model, pieces))
            seconds += transfer_s(noun, narrowest) - transfer_s(noun, uplink)
        return seconds

    def _narrowest(self, model: FluidLinks, pieces: Pieces) -> Fraction:
        """Return what the narrowest link above servers carries that a ring crosses, in uplinks."""
        over = Fraction(model.leaf_oversubscription)
        leaf = {one.name: len(one.servers) / over for one in model.leaves}
        over = Fraction(model.spine_oversubscription)
        spine = dict.fromkeys((one.spine for one in model.leaves), Fraction(0))
        for one in model.leaves:
            spine[one.spine] += leaf[one.name] / over
        used = [mark[1] for mark, count in zip(self.alike, pieces, strict=True) if count]
        links = [
            [carries[name] for name in names]
            for carries, names in zip((leaf, spine), map(set, zip(*used, strict=True)), strict=True)
            if len(names) > 1
        ]
        return min(map(min, links), default=Fraction(1))
