"""A second checker of certificates of `makespan`, in another style: rules `loads` and `servers`.

It shares no line with `analysis/check/certificates/` and imports nothing of Ringyard. It reads the
files of the instance and of the certificate afresh, with `json`. Where the first has tables, this
one recurs over what a GPU or a server may still hold, and tries all ways to cut a ring. It says
what follows from a step, or refuses it; whose instance a certificate is about it leaves to the
first, and so steps about `regions`.

    python tests/check/certificates/second.py INSTANCE.json CERTIFICATE.jsonl
"""

import json
import sys
from fractions import Fraction
from functools import cache
from math import ceil, floor
from pathlib import Path
from typing import Any

FEW, LONG = 4, 2000
"""Numbers of units that are told apart, and slots from which on runs are not rounded up: both are
in docs/theory/makespan-bounds-lp.md."""

Made, Slot, Cut = dict[str, Any], tuple[Fraction, int], tuple[int, ...]


GIVEN = {"loads": ("by", "prices", "places", "grain"), "servers": ("inside", "pieces")}
"""What the steps of each rule say."""


class Refused(Exception):  # noqa: N818
    """Nothing follows from a step."""


def need(holds: bool, why: str) -> None:
    """Refuse a step unless something holds."""
    if not holds:
        raise Refused(why)


def check(instance: str, certificate: str) -> tuple[Fraction, list[Fraction]]:
    """Return what is claimed, and what follows from each step; raise `Refused` at the first bad."""
    problem = json.loads(instance, parse_float=Fraction, parse_int=Fraction)
    head, *steps = [json.loads(line) for line in certificate.splitlines()]
    return Fraction(head["claim"]["at_least"]), [follows(problem, step) for step in steps]


def follows(problem: Made, step: Made) -> Fraction:
    """Return the slot before which no schedule ends, by one step."""
    bound = any(one.get("allowed_regions") for one in problem["jobs"])
    need("regions" not in step and not bound, "this checker leaves out regions")
    need(step.get("rule") in GIVEN, "this checker has two rules")
    need({*step} <= {"rule", *GIVEN[step["rule"]]}, "a key that the rule does not have")
    return (by_loads if step["rule"] == "loads" else by_servers)(problem, step)


def natural(value: Any) -> int:
    """Return a whole number that is not negative, which may be a text such as 6/3."""
    need(isinstance(value, int | str) and not isinstance(value, bool), "no number")
    if isinstance(value, str):
        parts = value.removeprefix("-").split("/")
        need(len(parts) < 3 and all(p.isascii() and p.isdecimal() for p in parts), "no number")
        need(len(value) < 1000 and parts[1:] != ["0" * len(parts[-1])], "no number")
        value = Fraction(value)
    need(value >= 0 and value == int(value), "not a natural number")
    return int(value)


# What a job takes.


def amount(some: Made, key: str, other: int = 0) -> Fraction:
    """Return a number of a file, or another if it is left out."""
    return Fraction(some.get(key, other))


def sent_gb(job: Made) -> Fraction:
    """Return what each GPU of a ring sends to add up gradients, and once more to share them."""
    return amount(job, "gradient_gb") * (job["gpus"] - 1) / job["gpus"]


def seconds(problem: Made, job: Made, units: int, inside: bool) -> Fraction:
    """Return equation (8) of docs/families/makespan.md, nothing being in the way."""
    cluster = problem["cluster"]
    total = 2 * sent_gb(job) / cluster["intra_bandwidth_gb_s" if inside else "inter_bandwidth_gb_s"]
    if cluster.get("reduce_gb_s"):
        total += sent_gb(job) / cluster["reduce_gb_s"]
    total += amount(job, "forward_s_per_sample") * amount(job, "batch_samples", 1)
    return total + amount(job, "backward_s") + units * amount(problem, "overhead_s")


def rate(problem: Made, each_s: Fraction) -> Fraction:
    """Return iterations in a slot."""
    done = amount(problem, "slot_s", 1) / each_s
    return Fraction(floor(done)) if problem.get("progress") == "floor" else done


def run_slots(problem: Made, job: Made, units: int, inside: bool) -> Fraction | None:
    """Return the slots of a run, None if it does nothing in one."""
    done = rate(problem, seconds(problem, job, units, inside))
    if not done:
        return None
    slots: Fraction = job["iterations"] / done
    return slots if problem.get("progress") == "continuous" else Fraction(ceil(slots))


def inside_slots(problem: Made, job: Made) -> Fraction | None:
    """Return the slots of a job inside one server."""
    return run_slots(problem, job, int(problem.get("overhead", "paper") == "paper"), inside=True)


def sizes_of(problem: Made) -> list[int]:
    """Return the GPUs of all servers, the largest first."""
    return sorted((int(one["gpus"]) for one in problem["cluster"]["servers"]), reverse=True)


def units_of(problem: Made, gpus: int) -> range:
    """Return the units of overhead that a ring across servers may have, from the fewest on."""
    sizes, form = sizes_of(problem), problem.get("overhead", "paper")
    if form == "step":
        return range(1, 2)
    if form == "paper":
        most = min(gpus, len(sizes))
        return range(min(n for n in range(2, most + 1) if sum(sizes[:n]) >= gpus), most + 1)
    most = min(gpus - 1, sizes[0])
    held = {m: sum(min(m, size) for size in sizes) for m in range(1, most + 1)}
    return range(min(m for m in held if held[m] >= gpus), most + 1)


def least_slots(problem: Made, job: Made) -> int:
    """Return the slots of a job where it is fastest: inside a server if one is large enough."""
    if job["gpus"] <= sizes_of(problem)[0]:
        slots = inside_slots(problem, job)
    else:
        slots = run_slots(problem, job, units_of(problem, int(job["gpus"]))[0], inside=False)
    need(slots is not None, "a job does nothing in a slot")
    assert slots is not None
    return int(slots)


# Loads: what one GPU can do by a slot.


def by_loads(problem: Made, step: Made) -> Fraction:
    """Return the slot after `by` if the prices are too high for all GPUs."""
    need(problem.get("progress") != "continuous", "not in slots")
    kinds: dict[tuple[int, int, int], int] = {}
    for job in problem["jobs"]:
        release = ceil(amount(job, "release_slot"))
        kind = release, least_slots(problem, job), int(job["gpus"])
        kinds[kind] = kinds.get(kind, 0) + 1
    end, grain = natural(step.get("by")), natural(step.get("grain", 1))
    places = natural(step.get("places", 1))
    need(grain > 0 and places > 0, "of at least 1")
    in_turn = max(r for r, _, _ in kinds) + sum(p * n for (_, p, _), n in kinds.items())
    need(end < in_turn, "one after the other all end in time")
    need(isinstance(step.get("prices"), list), "no prices")
    prices: dict[tuple[int, int, int], int] = {}
    for row in step["prices"]:
        need(isinstance(row, list) and len(row) == 4, "a price is of three numbers")
        r, p, w, price = map(natural, row)
        need((r, p, w) in kinds and (r, p, w) not in prices, "no such jobs, or twice")
        prices[r, p, w] = price
    gpus = sum(sizes_of(problem))

    def share(w: int) -> Fraction:
        """Return in how many sets a job counts, or what part of the only one it fills."""
        if "places" not in step:
            return Fraction(w)
        filled, rest = divmod((places + 1) * w, gpus)
        return Fraction(filled, places) if rest else Fraction(w, gpus)

    worth = sum(kinds[kind] * price * share(kind[2]) for kind, price in prices.items())
    order = sorted(kind for kind in prices if prices[kind] and kind[0] + kind[1] <= end)

    @cache
    def dearest(i: int, now: int) -> int:
        """Return the most that jobs from i on add on a GPU that is free at a moment, in grains."""
        if i == len(order):
            return 0
        r, p, _ = order[i]
        best = dearest(i + 1, now)
        for n in range(1, min(kinds[order[i]], (end - r) // p) + 1):
            after = max(now, r // grain) + n * (p // grain)
            if after > end // grain:
                break
            best = max(best, n * prices[order[i]] + dearest(i + 1, after))
        return best

    need(worth > (1 if "places" in step else gpus) * dearest(0, 0), "all may end by then")
    return Fraction(end + 1)


# Servers: what jobs pay for places, and what servers earn.


def by_servers(problem: Made, step: Made) -> Fraction:
    """Return what all jobs pay at least over what all servers earn at most in a slot."""
    sizes, top = sizes_of(problem), sizes_of(problem)[0]
    need(isinstance(step.get("inside"), list) and isinstance(step.get("pieces"), list), "lists")
    inside, calm, crowded = (dict.fromkeys(range(1, top + 1), 0) for _ in range(3))
    for row in step["inside"]:
        need(isinstance(row, list) and len(row) == 2, "GPUs and a price")
        need(natural(row[0]) in inside, "no such server")
        inside[natural(row[0])] = natural(row[1])
    for row in step["pieces"]:
        need(isinstance(row, list) and len(row) == 3, "GPUs and two prices")
        need(natural(row[0]) in calm and natural(row[2]) <= natural(row[1]), "no such piece")
        calm[natural(row[0])], crowded[natural(row[0])] = natural(row[1]), natural(row[2])
    model = problem.get("contention", {"model": "server_uplink"})
    uplinks, share = model.get("model", "server_uplink") == "server_uplink", model.get("share", 1)
    rings = sum(job["gpus"] > 1 for job in problem["jobs"])
    quiet = min(rings, floor(1 / Fraction(share))) if uplinks else rings

    @cache
    def earns(room: int, pieces: int, dear: bool) -> int:
        """Return the most that a server earns with so many GPUs and pieces left."""
        piece, best = calm if dear else crowded, 0
        for g in range(1, room + 1):
            best = max(best, inside[g] + earns(room - g, pieces, dear))
            if pieces:
                best = max(best, piece[g] + earns(room - g, pieces - 1, dear))
        return best

    total = sum(max(earns(s, quiet, True), earns(s, rings, False)) for s in sizes)
    need(total > 0, "servers earn nothing")
    prices = inside, calm, crowded, floor(1 / Fraction(share)) if uplinks else None
    paid = sum((pays(problem, job, prices) for job in problem["jobs"]), Fraction(0))
    return paid / total if problem.get("progress") == "continuous" else Fraction(ceil(paid / total))


def cuts(gpus: int, largest: int, pieces: int) -> list[Cut]:
    """Return all ways to cut GPUs into so many pieces or fewer, none above the largest."""
    if gpus == 0:
        return [()]
    parts = range(min(gpus, largest), 0, -1) if pieces else ()
    return [(part, *rest) for part in parts for rest in cuts(gpus - part, part, pieces - 1)]


def cut_kinds(problem: Made, gpus: int) -> list[tuple[int, list[Cut]]]:
    """Return units of overhead, each with all cuts that may have them, or with fewer."""
    sizes, form = sizes_of(problem), problem.get("overhead", "paper")
    every = [cut for cut in cuts(gpus, sizes[0], len(sizes)) if len(cut) > 1]
    units = units_of(problem, gpus)[:FEW] if every else ()
    size = {"paper": len, "max_workers_per_server": max}.get(form, lambda _: 0)
    some = [(n, [cut for cut in every if size(cut) <= n]) for n in units]
    return [*some[:-1], *((n, every) for n, _ in some[-1:])]


def pays(problem: Made, job: Made, prices: Any) -> Fraction:
    """Return the least that a job pays, in one server or cut in any way."""
    inside, calm, crowded, quiet = prices
    w, found = int(job["gpus"]), list[Fraction]()
    slots = inside_slots(problem, job) if w <= sizes_of(problem)[0] else None
    found += [] if slots is None else [slots * inside[w]]
    for units, some in cut_kinds(problem, w):
        alone = seconds(problem, job, units, inside=False)
        if rate(problem, alone) and some:
            dear, cheap = (min(sum(p[g] for g in cut) for cut in some) for p in (calm, crowded))
            slow = Fraction(0)
            if quiet is not None:
                model = problem.get("contention", {})
                k = max(Fraction(1), amount(model, "share", 1) * (quiet + 1))
                k += amount(model, "degradation") * (k - 1)
                crossing_s = 2 * sent_gb(job) / problem["cluster"]["inter_bandwidth_gb_s"]
                slow = rate(problem, alone + (k - 1) * crossing_s)
            found.append(mixed(problem, job, (rate(problem, alone), dear), (slow, cheap)))
    need(bool(found), "a job has no run that ends")
    return min(found)


def mixed(problem: Made, job: Made, calm: Slot, crowded: Slot) -> Fraction:
    """Return the price of the cheapest calm and crowded slots that do all iterations."""
    (fast, dear), (slow, cheap), todo = calm, crowded, job["iterations"]
    if problem.get("progress") == "continuous" or todo / fast > LONG:
        return min(todo / each * price for each, price in (calm, crowded) if each)
    most = ceil(todo / fast)
    best = Fraction(most * dear)
    for n in range(most if slow else 0):
        best = min(best, n * dear + ceil((todo - n * fast) / slow) * cheap)
    return best


if __name__ == "__main__":
    try:
        claim, values = check(*(Path(name).read_text(encoding="utf-8") for name in sys.argv[1:3]))
    except Refused as error:
        sys.exit(f"refused: {error}")
    print(f"claim {claim}, follows {max(values)}")  # noqa: T201
    sys.exit(int(max(values) < claim))
