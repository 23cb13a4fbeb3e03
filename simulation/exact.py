"""What rounding leaves open, answered in exact fractions from what has happened so far.

Starts, ends and links of all rings are in the engine's state, and whole slots are exact there.
So what a ring has done can be added up anew, without the engine's sums. Python is slow, but few
questions come here: see `progress.py`.
"""

import ctypes
from collections import Counter
from fractions import Fraction
from functools import cache, lru_cache
from itertools import pairwise
from math import ceil, floor
from typing import Any

import numpy as np

from ..instances import FluidLinks, MakespanInstance
from .iteration import Parts, parts, slowdown
from .model import INSTANCES, link_widths
from .state import CROSSING, RUN

Links = tuple[int, ...]


FEW_JOBS = 64
"""Up to here answers are kept: searches come back to the same beginning of a schedule."""


def ask(key: int, number: int, job: int, runs: int, jobs: int, crossings: int, used: int) -> float:
    """Return the whole slots that a running ring still needs or, under `floor`, its rate.

    `job` is its place in the records, `number` that in the instance; records are given by
    address, `runs` and `crossings`, and their numbers, `jobs` and `used`.
    """
    answer = _answer if jobs <= FEW_JOBS else _answer.__wrapped__
    return answer(key, number, job, _bytes(runs, jobs, RUN), _bytes(crossings, used, CROSSING))


def _bytes(address: int, count: int, kind: Any) -> bytes:
    return ctypes.string_at(address, count * kind.itemsize)


@lru_cache(maxsize=4096)
def _answer(key: int, number: int, job: int, runs: bytes, crossed: bytes) -> float:
    paces = _paces_of(key)
    records, crossings = np.frombuffer(runs, RUN), np.frombuffer(crossed, CROSSING)["link"]
    run = records[job]
    units, start, now = int(run["units"]), int(run["start"]), int(run["since"])
    seen = (records["crossings"] > 0) & (records["start"] <= now) & (records["end"] > start)
    rings = [_ring(records[r], crossings) for r in np.flatnonzero(seen)]
    own = _ring(run, crossings)[2]

    def rate(moment: float) -> Fraction:
        at_once = [links for begin, end, links in rings if begin <= moment < end]
        return paces.rate(number, units, own, tuple(sorted(at_once)))

    pace = rate(now)
    if paces.instance.progress == "floor":
        return float(pace)
    moments = {moment for begin, end, _ in rings for moment in (begin, end)}
    between = sorted({start, now, *(int(one) for one in moments if start < one < now)})
    done = sum((b - a) * rate(a) for a, b in pairwise(between))
    return float(ceil((paces.instance.jobs[number].iterations - done) / pace))


def _ring(run: Any, crossings: Any) -> tuple[float, float, Links]:
    """Return when a ring started and ended, and its links; one that runs ends never."""
    first, end = int(run["first"]), float(run["end"])
    links = crossings[first : first + int(run["crossings"])].tolist()
    return float(run["start"]), end, tuple(links)


@lru_cache(maxsize=16)
def _paces_of(key: int) -> "_Paces":
    return _Paces(INSTANCES[key])


class _Paces:
    """Iterations per slot (9) of the rings of an instance."""

    def __init__(self, instance: MakespanInstance) -> None:
        self.instance = instance
        self.terms: dict[int, Parts] = {}
        self.widths = link_widths(instance)
        self.rate = cache(self._rate)
        self.fair_shares = lru_cache(maxsize=256)(self._fair_shares)

    def _rate(self, number: int, units: int, own: Links, rings: tuple[Links, ...]) -> Fraction:
        """Return the rate of the ring on the links `own`, which is among the `rings`."""
        one = self.instance
        if number not in self.terms:
            self.terms[number] = parts(one, one.jobs[number])
        terms = self.terms[number]
        fixed = terms.spread_s + units * Fraction(one.overhead_s)
        seconds = fixed + terms.transfer_s * self._slowdown(own, rings)
        rate = Fraction(one.slot_s) / seconds
        return Fraction(floor(rate)) if one.progress == "floor" else rate

    def _slowdown(self, own: Links, rings: tuple[Links, ...]) -> Fraction:
        model = self.instance.contention
        if isinstance(model, FluidLinks):
            return 1 / self.fair_shares(rings)[own]
        most = max(sum(link in links for links in rings) for link in own)
        return slowdown(Fraction(model.share), Fraction(model.degradation), most)

    def _fair_shares(self, rings: tuple[Links, ...]) -> dict[Links, Fraction]:
        """Fill the tightest link, then the next, until all rings have their share."""
        rings_on = Counter(rings)
        load = Counter(link for links in rings for link in links)
        left = {link: self.widths[link] for link in load}
        shares: dict[Links, Fraction] = {}
        while len(shares) < len(rings_on):
            level, tightest = min((left[k] / n, k) for k, n in load.items() if n)
            for links in rings_on.keys() - shares.keys():
                if tightest in links:
                    shares[links] = level
                    for link in links:
                        left[link] -= level * rings_on[links]
                        load[link] -= rings_on[links]
        return shares
