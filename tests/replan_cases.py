"""Random plans of traces that are cut at random moments, and what has to hold then."""

from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from random import Random

from simulation.trace.drawn_instances import with_outages
from simulation.trace.test_trace_agreement import drawn_policy

from ringyard.analysis.check import check
from ringyard.instances import InputError, RefusedError, TraceInstance, TraceSchedule
from ringyard.instances.trace.mix import random_trace
from ringyard.running.replan import Change
from ringyard.running.replan.trace import cut, repaired
from ringyard.simulation.trace import simulate
from ringyard.simulation.trace.records import to_schedule


def drawn_plan(seed: int) -> tuple[TraceInstance, TraceSchedule]:
    """Return a random instance, in a third of the cases with outages, and a policy's schedule.

    Raises:
        RefusedError: If the policy lets some job wait for ever.
    """
    rng, instance = Random(f"plan {seed}"), random_trace(11, seed)
    if rng.random() < 0.3:
        instance = with_outages(instance, rng)
    policy, service = drawn_policy(seed, instance)
    return instance, to_schedule(instance, simulate(instance, policy, service).trace, "drawn")


def drawn_now(seed: int, instance: TraceInstance, plan: TraceSchedule) -> Decimal:
    """Return a tick before the last end."""
    last = max(check(instance, plan).ends.values()) / Fraction(instance.tick_s)
    return Random(f"now {seed}").randrange(int(last)) * instance.tick_s


def unchanged(seed: int) -> list[str]:
    """Cut a plan without any change, and return what differs in the rest."""
    instance, plan = drawn_plan(seed)
    now = drawn_now(seed, instance, plan)
    rest = cut(instance, plan, Change(now=now))
    before, after = check(instance, plan), check(rest.instance, rest.plan)
    left = {name: end - Fraction(now) for name, end in before.ends.items() if end > now}
    wrong = [str(violation) for violation in after.violations]
    wrong += [] if dict(after.ends) == left else [f"ends {after.ends} instead of {left}"]
    wrong += [] if rest.kept == rest.plan else ["the plan is not kept"]
    if rest.waiting is None or dict(check(rest.instance, rest.waiting).ends) != left:
        wrong.append("the plan that waits is another one")
    runs = {entry.job: entry.runs for entry in plan.jobs}
    for entry in rest.plan.jobs:
        whole = [run for run in runs[entry.job] if run.stop_s is None or run.stop_s > now]
        for old, new in zip(whole, entry.runs, strict=True):
            start = max(Decimal(0), old.start_s - now)
            stop = None if old.stop_s is None else old.stop_s - now
            if new != replace(old, start_s=start, stop_s=stop):
                wrong.append(f"{entry.job}: {new} instead of {old}")
    return wrong


def drawn_change(seed: int) -> tuple[TraceInstance, TraceSchedule, Change]:
    """Return a plan, and a change with lost servers and late jobs."""
    instance, plan = drawn_plan(seed)
    now, rng, tick = drawn_now(seed, instance, plan), Random(f"change {seed}"), instance.tick_s
    ends = check(instance, plan).ends
    names = [server.name for server in instance.servers]
    back = [None, *(now + rng.randint(1, 12) * tick for _ in range(2))]
    hit = rng.sample(names, rng.randint(0, min(2, len(names))))
    lost = {name: rng.choice(back) for name in hit}
    left = [job.name for job in instance.jobs if ends[job.name] > now]
    late = {name: rng.randint(1, 5) * tick for name in left if rng.random() < 0.2}
    return instance, plan, Change(now=now, lost=lost, late=late)


def changed(seed: int) -> tuple[str, list[str]]:
    """Lose servers or let jobs be late. Return what happened in a word, and what is wrong."""
    instance, plan, change = drawn_change(seed)
    lost = change.lost
    try:
        rest = cut(instance, plan, change)
    except (RefusedError, InputError):
        return "refused", []
    found = {"kept": rest.kept, "waiting": rest.waiting, "repaired": repaired(rest)}
    verdicts = {name: check(rest.instance, one) for name, one in found.items() if one is not None}
    wrong = [f"{name}: {one.brief()}" for name, one in verdicts.items() if not one.valid]
    if "repaired" not in verdicts:
        wrong.append("there is no repaired plan")
    elif "waiting" in verdicts and verdicts["repaired"].objective > verdicts["waiting"].objective:
        wrong.append("the repaired plan is worse than the one that waits")
    if "waiting" not in verdicts and None not in lost.values():
        wrong.append("there is no plan that waits")
    gained = "waiting" in verdicts and "repaired" in verdicts and not wrong
    gained = gained and verdicts["repaired"].objective < verdicts["waiting"].objective
    return "gained by moves" if gained else "kept" if rest.kept else "repaired", wrong
