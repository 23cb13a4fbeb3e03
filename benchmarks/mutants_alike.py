"""Changes of the checker that leave every verdict as it is, each with why. Of `mutants.py`."""

# ruff: noqa: E501

WAYS = "fewer servers count as equal: the same ways are found, some of them more than once"

ALIKE = {
    "makespan/every.py:39: 0 -> 1: self.empty = tuple(ServerState(0, ()) "
    "for _ in self.paces.servers)": "at slot 0 no job is late: none is released before",
    "makespan/configurations.py:18: 1 -> 2: busiest = 1 if inside else max(n for n, own "
    "in zip(rings, held, strict=True) if own)": "inside a server a job earns the same beside any rings",
    "makespan/configurations.py:33: without if max(held) < sum(held): "
    "rings = [held for _, held in side.placed if max(held) < sum(held)]": WAYS,
    "makespan/configurations.py:48: max -> min: "
    "rings = [held for _, held in side.placed if max(held) < sum(held)]": WAYS,
    "makespan/servers.py:8: if False: if after == last:": "layers behind are equal, and the last one counts",
    "makespan/servers.py:16: 0 -> 1: held = [0, *accumulate(sizes)]": "read from the second on",
    "coded.py:11: Gt -> GtE: if after > before and longer": "a step up of 0 adds 0",
    "shuffle.py:74: 1 -> 2: wider = {_basis((*one, some)) for one in spaces "
    "for some in range(1, 1 << len(rows))}": "sums with a row that nobody lacks cost as much and say no more",
    "rental.py:11: GtE -> Gt: if point[0] >= width:": "at a point the lines on both sides meet",
    "rental.py:27: floor -> ceil: low = max(1, isqrt(floor(square)))": "they differ where `square` is between m m - 1 and m m; "
    "then m is best, as m (m - 1) is not above m m - 1, and both try it",
    "transfers.py:12: returns 1 more: return len(updates)": "there are no more moments than updates",
    "every_plan.py:39: 1 -> 2: for count in range(len(free) + 1):": "no set of copies is larger than all",
}
"""By file, column, change and line; mutants of this sort are not counted."""
