"""Changes of the checker that leave every verdict as it is, each with why. Of `mutants.py`."""

# ruff: noqa: E501

WAYS = "fewer servers count as equal: the same ways are found, some of them more than once"
NO_MORE = "a job is worth no more later, so that it cannot gain more"
MEET = "where the one formula ends it gives the same as the next"
NO_WAY = "what has no way ends late in every set, as if it were dropped"
ONE_ALONE = "one that crosses a hop alone does so after it is applied alone"
TOO_LATE = "no end after that costs less"
SAID = "it only changes what an error says"
LAST = "a table is read, and lists are cut, at the last slot"
NO_SERVER = "no server has so many GPUs, and no price is of so many"
BEYOND = "what more parts than all cost is not asked for"

ALIKE = {
    "makespan/every.py:39: 0 -> 1: self.empty = tuple(ServerState(0, ()) "
    "for _ in self.paces.servers)": "at slot 0 no job is late: none is released before",
    "makespan/configurations.py:18: 1 -> 2: busiest = 1 if inside else max(n for n, own "
    "in zip(rings, held, strict=True) if own)": "inside a server a job earns the same beside any rings",
    "makespan/configurations.py:33: without if max(held) < sum(held): "
    "rings = [held for _, held in state.placed if max(held) < sum(held)]": WAYS,
    "makespan/configurations.py:49: max -> min: "
    "rings = [held for _, held in state.placed if max(held) < sum(held)]": WAYS,
    "makespan/servers.py:8: if False: if after == last:": "layers behind are equal, and the last one counts",
    "makespan/servers.py:16: 0 -> 1: held = [0, *accumulate(sizes)]": "read from the second on",
    "coded.py:11: Gt -> GtE: if after > before and longer": "a step up of 0 adds 0",
    "shuffle.py:77: 1 -> 2: wider = {_basis((*one, some)) for one in spaces "
    "for some in range(1, 1 << len(rows))}": "sums with a row that nobody lacks cost as much and say no more",
    "rental.py:11: GtE -> Gt: if point[0] >= width:": "at a point the lines on both sides meet",
    "rental.py:27: floor -> ceil: low = max(1, isqrt(floor(square)))": "they differ where `square` is between m m - 1 and m m; "
    "then m is best, as m (m - 1) is not above m m - 1, and both try it",
    "transfers/__init__.py:12: returns 1 more: return len(updates)": "there are no more moments than updates",
    "shuffle.py:20: 1 -> 2: return Fraction(1) if len(instance.workers) == 1 "
    "else Fraction(instance.multicast)": "no sum pays where each row costs 1 alone",
    "shuffle.py:64: LtE -> Lt: return cost(bisect_left(range(most), True, "
    "key=lambda some: cost(some) <= cost(some + 1)))": "at the end of a level stretch it costs as much",
    "coded.py:79: 0 -> 1: steps = [(Fraction(law.fast_s), slow), (Fraction(law.slow_s), "
    "Fraction(0))]": "behind the last step nothing is summed",
    "coded.py:17: LShift -> RShift: whole = (above << FINE) // below": "all are then compared in full",
    "coded.py:20: min -> max: if whole <= min(least, default=whole):": "there is one of them",
    "online.py:11: LtE -> Lt: if worth <= best:": NO_MORE,
    "online.py:8: if False: if worth <= best:": NO_MORE,
    "online.py:76: 1 -> 2: reached = [cost] * some + "
    "[cost + one for one in least[: goal + 1 - some]]": BEYOND,
    "online.py:69: Sub -> Add: reached = [cost] * some + "
    "[cost + one for one in least[: goal + 1 - some]]": BEYOND,
    "online.py:11: Lt -> LtE: return (q - y) * (u - x) < (v - y) * (p - x)": "a point on the line makes two pieces of one",
    "online.py:23: FloorDiv -> Mult: return min(most, -(-buyer.work // rate))": "more workers than are needed cost no less",
    "rental.py:25: Lt -> LtE: if not whole and 1 < square < WIDTHS:": MEET,
    "rental.py:46: Lt -> LtE: best = max(Fraction(1), above / below) "
    "if above < below * MOST_GPUS else Fraction(MOST_GPUS)": MEET,
    "rental.py:32: 1 -> 2: if base == 1 or exponent == 1:": "then the base is whole, and so its power is found to be",
    "rental.py:33: LtE -> Lt: if base.denominator == 1 and degree <= MOST_DEGREE "
    "and nearest**degree == base**times:": "1 is the only thousandth power up to the most GPUs",
    "transfers/__init__.py:8: without USub: -1 if not paths else stale - one.behind "
    "if tied and stale is not None else n": NO_WAY,
    "transfers/__init__.py:9: 1 -> 2: -1 if not paths else stale - one.behind "
    "if tied and stale is not None else n": NO_WAY,
    "transfers/__init__.py:8: if False: -1 if not paths else stale - one.behind "
    "if tied and stale is not None else n": NO_WAY,
    "transfers/__init__.py:8: returns 1 more: return low * low / 2 + (moment - low) * cap": "differences count",
    "transfers/__init__.py:62: Sub -> Add: crossed = ends[:most] + "
    "[max(ends[-1], self.late)] * (len(ends) - most)": "the list is cut to the other's length",
    "transfers/__init__.py:29: 1 -> 2: for members in range(1, 1 << n) if len(own) > 1 else ():": ONE_ALONE,
    "transfers/__init__.py:43: Gt -> GtE: for members in range(1, 1 << n) if len(own) > 1 else ():": ONE_ALONE,
    "trace/__init__.py:75: without USub: taken, done = min(more, "
    "key=lambda one: (Fraction(one[0], one[1]), -one[1]))": "a side of the hull comes in two parts",
    "trace/__init__.py:11: GtE -> Gt: if tick * start >= best:": TOO_LATE,
    "trace/__init__.py:8: if False: if tick * start >= best:": TOO_LATE,
    "trace/__init__.py:63: 1 -> 2: if not starts or starts[0] > first or min(lengths, default=1) < 1:": "without intervals none is too short",
    "trace/__init__.py:11: GtE -> Gt: if since >= until:": "no job can run in an interval that ends when it arrives",
    "trace/__init__.py:30: Lt -> LtE: if least <= until and cost(until) - tick * (until - least) < best:": "what cannot be less need not be looked for",
    "trace/__init__.py:19: LtE -> Lt: if cost(middle) <= cost(middle + 1):": "on a level stretch each end costs as much",
    'checking.py:11: if False: return "at most" if maximize else "at least"': SAID,
    "checking.py:36: 12 -> 13: other = certificate.digest[:12]": SAID,
    "checking.py:24: Or -> And: claimed, reached = (exact_text(one) or fraction_text(one) "
    "for one in (claim, best))": SAID,
    'makespan/__init__.py:18: if False: why = "priced twice" if kind in prices else "no such jobs"': SAID,
    "makespan/__init__.py:39: 0 -> 1: some = [(kind, min(jobs[kind], "
    "max(0, end - kind[0]) // kind[1])) for kind in sorted(prices)]": "what is released after the end has no place in the table",
    "makespan/__init__.py:24: 1 -> 2: if (last + 1) * max(1, sum(count for _, count in some)) "
    "> MOST_CELLS:": "as the number itself, this only says how much work is allowed",
    "makespan/__init__.py:25: 1 -> 2: most = [0] * (last + 1)": LAST,
    "makespan/__init__.py:62: Sub -> Add: more = [price + before for before in "
    "most[start : last + 1 - length]]": LAST,
    "makespan/__init__.py:69: 1 -> 2: more = [price + before for before in "
    "most[start : last + 1 - length]]": LAST,
    "makespan/uplinks.py:30: 1 -> 2: n = min(most, (size + 1) // 2)": "n and size + 1 - n change places",
    "makespan/uplinks.py:13: GtE -> Gt: elif count * fast.rate >= iterations:": "where all slots are fast, that pair has the fast level twice",
    "makespan/configurations.py:41: without USub: order = sorted(jobs, key=lambda job: -job.gpus)": "in any order all are tried",
    "makespan/configurations.py:44: 1 -> 2: optimistic = [[0] * (sum(nobody.free) + 1)]": "more GPUs than all are never free",
    "makespan/configurations.py:95: 0 -> 1: own = max((gain(job, held, 1) "
    "for held in _placements(instance, nobody, job)), default=0)": "optimistic values that are too high only make work",
    "makespan/configurations.py:22: max -> min: before.append(max((r for r in range(s) "
    "if alike[r] == kind), default=None))": WAYS,
    "makespan/configurations.py:29: 0 -> 1: best, looked, stack = 0, 0, [nobody]": "one way less is tried before it is refused",
    "makespan/configurations.py:11: Gt -> GtE: if looked > MOST_PLACEMENTS:": "one way less is tried before it is refused",
    "makespan/servers.py:40: 1 -> 2: inside, quiet, loud = [0] * (size + 1), [0] * (size + 1), "
    "[0] * (size + 1)": NO_SERVER,
    "makespan/servers.py:58: 1 -> 2: inside, quiet, loud = [0] * (size + 1), [0] * (size + 1), "
    "[0] * (size + 1)": NO_SERVER,
    "makespan/servers.py:76: 1 -> 2: inside, quiet, loud = [0] * (size + 1), [0] * (size + 1), "
    "[0] * (size + 1)": NO_SERVER,
    "transfers/every.py:39: 1 -> 2: for count in range(len(free) + 1):": "no set of copies is larger than all",
}
"""By file, column, change and line; mutants of this sort are not counted."""
