"""Cut random plans at random moments, and check that what is left is what is left.

    python benchmarks/replan_cuts.py FAMILY [COUNT] [SEED]

Nothing lost and nothing late: the remaining plan and the waiting and repaired plans have the ends
of the old plan, earlier by the time that has passed. Servers lost and jobs late: all plans are
valid, and none that `replan` returns is worse than waiting. Prints each fault, and how many cuts
had which plans (10,000 if no count is given). Ends with exit code 1 if there was a fault.
"""

import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from ringyard import check, solve
from ringyard.families import FAMILIES
from ringyard.instances import InputError, RefusedError
from ringyard.running.replan import Change, Rest, replan

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from agreement import differences
from replan_cases import drawn_change


class Cut(NamedTuple):
    """A valid plan, a moment before its end, and what happens then."""

    instance: Any
    schedule: Any
    change: Change


def draw_makespan(seed: int, index: int) -> Cut | None:
    """Return a plan of a list scheduler, at a slot or, in continuous time, inside one."""
    rng = Random(f"{seed}/{index}")
    instance: Any = FAMILIES["makespan"].drawn(seed, index)
    if rng.random() < 0.25:
        instance = replace(instance, progress="continuous")
    if rng.random() < 0.25:
        late = (Decimal(rng.randint(0, 9)) for _ in instance.jobs)
        jobs = zip(instance.jobs, late, strict=True)
        instance = replace(
            instance, jobs=tuple(replace(job, release_slot=slot) for job, slot in jobs)
        )
    try:
        found = solve(instance, rng.choice(("gang-lpt", "random", "whole-server-list")), seed=index)
    except RefusedError:
        return None
    if found.verdict is None:
        return None
    slots = int(found.verdict.makespan)
    now = Decimal(rng.randint(0, max(0, slots - 1)))
    if instance.progress == "continuous":
        now += Decimal(rng.randint(0, 999)) / 1000
    if now >= found.verdict.makespan:
        return None
    left = [job for job, end in found.verdict.ends.items() if end > now]
    change = Change(
        now=now,
        lost={
            server.name: now + rng.randint(1, 20) if rng.random() < 0.6 else None
            for server in instance.cluster.servers
            if rng.random() < 0.4
        },
        late={job: Decimal(rng.randint(1, 5)) for job in left if rng.random() < 0.2},
        redo=rng.choice((None, Decimal(0), Decimal(2))),
    )
    return Cut(instance, found.schedule, change)


def draw_trace(seed: int, index: int) -> Cut | None:
    """Return a plan of some policy, with groups, kinds, outages and jobs that have begun."""
    try:
        return Cut(*drawn_change(10**6 * seed + index))
    except RefusedError:
        return None


DRAWS: dict[str, Callable[[int, int], Cut | None]] = {
    "makespan": draw_makespan,
    "trace": draw_trace,
}
METHODS = {"makespan": "gang-lpt", "trace": "srsf"}
"""The method that `replan` asks, for one cut in four."""


def faults_of(family: str, seed: int, index: int, seen: Counter[str]) -> list[str]:
    """Return what is wrong with cut number `index`, and count the plans."""
    drawn = DRAWS[family](seed, index)
    if drawn is None:
        seen["not drawn"] += 1
        return []
    instance, schedule, change = drawn
    replanner: Any = FAMILIES[family].replanner
    found, now = [], Fraction(change.now)
    ends = {job: end - now for job, end in check(instance, schedule).ends.items() if end > now}
    same = replanner.cut(instance, schedule, Change(now=change.now))
    if same.kept != same.plan:
        found.append("the remaining plan is not kept")
    plans = {"kept": same.plan, "waiting": same.waiting, "repaired": replanner.repaired(same)}
    for name, plan in plans.items():
        verdict = check(same.instance, plan)
        if not verdict.valid or verdict.ends != ends:
            found.append(f"nothing lost: {name} is another plan, {verdict.brief()}")
    if family == "makespan":
        found += differences(same.instance, same.plan)
    seen["cuts"] += 1
    try:
        rest = replanner.cut(instance, schedule, change)
    except (InputError, RefusedError) as reason:
        seen[_brief(reason)] += 1
        return found
    found += _changed(replanner, rest, seen)
    if index % 4 == 0:
        found += _replanned(family, drawn, seen)
    return found


def _brief(reason: Exception) -> str:
    """Return what a refusal is about."""
    return "a job has no place" if isinstance(reason, InputError) else str(reason)[:32]


def _changed(replanner: Any, rest: Rest, seen: Counter[str]) -> list[str]:
    plans = {"kept": rest.kept, "waiting": rest.waiting, "repaired": replanner.repaired(rest)}
    found = []
    for name, plan in plans.items():
        if plan is None:
            continue
        seen[name] += 1
        verdict = check(rest.instance, plan)
        if not verdict.valid:
            found.append(f"{name} is invalid: {verdict.brief()}")
    return found


def _replanned(family: str, drawn: Cut, seen: Counter[str]) -> list[str]:
    """Return whether the new plan is valid and no worse than waiting."""
    try:
        made = replan(*drawn, lambda one: solve(one, METHODS[family]))
    except RefusedError as reason:
        seen[f"replan: {str(reason)[:24]}"] += 1
        return []
    seen[f"new plan: {made.best.name}"] += 1
    values = [one.verdict.objective for one in made.candidates if one.name == "waiting"]
    best: Any = made.best.verdict.objective
    return [f"worse than waiting: {best} > {one}" for one in values if best > one]


if __name__ == "__main__":
    family, count, seed = (sys.argv[1:] + ["makespan", "10000", "0"][len(sys.argv) - 1 :])[:3]
    seen, bad = Counter[str](), 0
    for index in range(int(count)):
        for fault in faults_of(family, int(seed), index, seen):
            bad += 1
            print(f"{index}: {fault}")  # noqa: T201
    print(", ".join(f"{what} {number:,}" for what, number in sorted(seen.items())))  # noqa: T201
    sys.exit(bool(bad))
