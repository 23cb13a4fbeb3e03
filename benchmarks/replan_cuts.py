"""Cut random plans at random moments, and check that what is left is what is left.

    python benchmarks/replan_cuts.py FAMILY [COUNT] [SEED]

Nothing lost and nothing late: the remaining plan and the waiting and repaired plans have the ends
of the old plan, earlier by the time that has passed. Servers lost and jobs late: all plans are
valid, and none that `replan` returns is worse than waiting. A part of the old plan is completed to
a valid one, and a cut of a cut is the cut at the later moment. One cut in four is given to a
method, chosen at random. Prints each fault, and how many cuts had which plans (10,000 if no count
is given). Ends with exit code 1 if there was a fault.
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
METHODS = {
    "makespan": (
        "gang-lpt",
        "whole-server-list",
        "sjf-bco",
        "sjf-bco:assign=ahead",
        "sjf-bco-proved",
        "first-fit",
        "list-scheduling",
        "random",
        "alpha-points",
        "midpoints",
        "raghavan-thompson:samples=5",
        "lenstra-shmoys-tardos",
        "local-search:work=20",
        "branch-and-bound",
        "nested",
    ),
    "trace": ("srsf", "fifo", "backfill", "tiresias-g"),
}
"""The methods that `replan` asks, one of them for one cut in four."""


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
    found += _in_parts(replanner, drawn, Random(f"parts {seed}/{index}"), seen)
    seen["cuts"] += 1
    try:
        rest = replanner.cut(instance, schedule, change)
    except (InputError, RefusedError) as reason:
        seen[_brief(reason)] += 1
        return found
    found += _changed(replanner, rest, seen)
    if index % 4 == 0:
        asked = Random(f"method {seed}/{index}").choice(METHODS[family])
        found += _replanned(asked, drawn, seen)
    return found


def _in_parts(replanner: Any, drawn: Cut, rng: Random, seen: Counter[str]) -> list[str]:
    """Return what is wrong with a part of the plan, or with a cut of a cut."""
    instance, schedule, change = drawn
    found, entries = [], "jobs" if hasattr(schedule, "jobs") else "assignments"
    part = tuple(one for one in getattr(schedule, entries) if rng.random() < 0.5)
    claims = {"makespan": None} if entries == "assignments" else {"mean_jct_s": None}
    whole = replanner.completed(instance, replace(schedule, **{entries: part}, **claims))
    if whole is None:
        seen["part not completed"] += 1
    elif not (verdict := check(instance, whole)).valid:
        found.append(f"a part is completed to an invalid plan: {verdict.brief()}")
    step = getattr(instance, "tick_s", Decimal(1))
    first = Decimal(rng.randint(0, int(change.now / step))) * step
    here = replanner.cut(instance, schedule, Change(now=first))
    again = replanner.cut(here.instance, here.plan, Change(now=change.now - first))
    at_once = replanner.cut(instance, schedule, Change(now=change.now))
    if again.instance.jobs != at_once.instance.jobs:
        found.append(f"cut at {first} and {change.now}, other jobs are left than at once")
    if getattr(again.plan, entries) != getattr(at_once.plan, entries):
        found.append(f"cut at {first} and {change.now}, another plan is left than at once")
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


def _replanned(method: str, drawn: Cut, seen: Counter[str]) -> list[str]:
    """Return whether the method's plan is valid, and the new plan no worse than waiting."""
    found = []

    def ask(rest: Any) -> Any:
        answer = solve(rest, method)
        seen[f"asked {method}"] += 1
        if answer.verdict is None or not answer.verdict.valid:
            found.append(f"{method} has no valid plan: {answer.outcome.note}")
        return answer

    try:
        made = replan(*drawn, ask)
    except RefusedError as reason:
        seen[f"replan: {str(reason)[:24]}"] += 1
        return found
    if made.refused:
        seen[f"{method} refuses"] += 1
    seen[f"new plan: {made.best.name}"] += 1
    values = [one.verdict.objective for one in made.candidates if one.name == "waiting"]
    best: Any = made.best.verdict.objective
    return found + [f"worse than waiting: {best} > {one}" for one in values if best > one]


if __name__ == "__main__":
    family, count, seed = (sys.argv[1:] + ["makespan", "10000", "0"][len(sys.argv) - 1 :])[:3]
    seen, bad = Counter[str](), 0
    for index in range(int(count)):
        for fault in faults_of(family, int(seed), index, seen):
            bad += 1
            print(f"{index}: {fault}")  # noqa: T201
    print(", ".join(f"{what} {number:,}" for what, number in sorted(seen.items())))  # noqa: T201
    sys.exit(bool(bad))
