"""Plans of `makespan` are repaired: running jobs stay, and the others keep their order and places.

Times are slots. A job that runs at the cut holds its GPUs from slot 0 of the rest, with the
iterations left by the judge's timeline, exactly as far as a file can hold them. A job on a lost
server starts again: with all its iterations, or with those left and `Change.redo` more. A lost
server that is back later is held until then by a job whose name `out_name` gives, and whose end
counts like any other, if the plan uses it or another one that is never back. All other lost servers
are left out.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Context, Decimal
from fractions import Fraction
from itertools import product
from math import ceil, floor

from ...analysis.check.contention import RingRun, Verdict, pace_of, runs_of
from ...analysis.check.makespan import ALONE, SlotClock, check_makespan
from ...instances.cluster import FluidLinks, Server, tightest_fit
from ...instances.errors import InputError, RefusedError
from ...instances.makespan import FINEST_START, Assignment, MakespanInstance, RingJob, Schedule
from ...instances.reading.encode import digest
from ...instances.reading.files import validate
from ...instances.reading.vocabulary import MAX_FRACTION_DIGITS
from ...instances.regions import may_run
from . import Change, Move, Rest, places_text

FINE = 10**12
"""In continuous time, a start that decimals do not give waits for a multiple of 1 / FINE. Fractions
of too many digits for a file are rounded down to one."""


@dataclass(slots=True, kw_only=True)
class _Entry:
    """A job that is to start at a slot or later, on these GPUs, or anywhere if it is moved."""

    job: RingJob
    start: Fraction
    gpus: Mapping[str, int]
    moved: bool = False


def out_name(server: str) -> str:
    """Return the name of the job that holds a lost server until it is back."""
    return f"{server} is out"[-100:].lstrip()


def standing(instance: MakespanInstance) -> Schedule:
    """Return the plan that has only the jobs that hold GPUs at slot 0."""
    held = [job for job in instance.jobs if job.held]
    plan = [_assignment(job.name, Fraction(0), dict(job.held or ())) for job in held]
    return _schedule(instance, plan, "standing")


def completed(instance: MakespanInstance, schedule: Schedule) -> Schedule | None:
    """Return a schedule in which the jobs that a valid one lacks start after all others have."""
    entries = _entries(instance, schedule, frozenset())
    last = max((entry.start for entry in entries), default=Fraction(0))
    known = {entry.job.name for entry in entries}
    entries += [
        _Entry(job=job, start=max(last, Fraction(job.release_slot)), gpus={}, moved=True)
        for job in instance.jobs
        if job.name not in known
    ]
    return _follow(instance, schedule.method, entries, _placing(instance, False))


def cut(instance: MakespanInstance, schedule: Schedule, change: Change) -> Rest:
    """Return what is left of a valid schedule. Its jobs are in the order of the instance."""
    now = _moment(instance, "--now", change.now)
    ends = check_makespan(instance, schedule).ends
    old = {out_name(server) for server in change.lost}
    runs = {
        run.job.name: run
        for run in runs_of(instance, schedule)
        if ends[run.job.name] > now and run.job.name not in old
    }
    if not runs:
        last = max(ends.values())
        raise RefusedError(f"nothing is left: the plan ends at slot {float(last):g}, by {now}")
    begun = tuple(
        run
        for run in runs_of(instance, schedule)
        if run.start < now or (now == 0 and run.job.held is not None)
    )
    clock = SlotClock(instance, begun)
    clock.go(now)
    left = {run.job.name: owed for run, owed in clock.left(now).items()}
    jobs, plan = [], []
    for job in instance.jobs:
        if job.name in runs:
            run = runs[job.name]
            hit = not change.lost.keys().isdisjoint(run.gpus)
            jobs.append(_remaining(instance, job, run, left.get(job.name), hit, change))
            start = max(run.start - now, Fraction(0))
            plan.append(_assignment(job.name, start, run.gpus))
        elif job.name in change.late:
            raise InputError.of(
                "ringyard replan",
                f"--late {job.name}",
                f"a job that ends at slot {float(ends[job.name]):g}",
                f"a job that has not ended by {now}",
                "leave it out",
            )
    rest, outs = _without(instance, tuple(jobs), runs.values(), change, now)
    try:
        validate(rest)
    except InputError as error:
        raise RefusedError(f"the servers that are left are too small: {error}") from None
    plan += [_assignment(job.name, Fraction(0), dict(job.held or ())) for job in outs]
    remaining = _schedule(rest, plan, schedule.method)
    names = {server.name for server in rest.cluster.servers}
    waits = all(names >= run.gpus.keys() for run in runs.values())

    def wait() -> Schedule | None:
        return _follow(rest, "waiting", _entries(rest, remaining, frozenset()))

    return Rest(instance=rest, plan=remaining, wait=wait if waits else None)


def _moment(instance: MakespanInstance, option: str, slot: Decimal) -> Fraction:
    """Return a time as a fraction. It is whole unless time is continuous."""
    if instance.progress == "continuous":
        if (Fraction(slot) / Fraction(FINEST_START)).denominator != 1:
            expected = f"a multiple of {FINEST_START} slots"
            raise InputError.of("ringyard replan", option, slot, expected, "round it")
    elif slot != slot.to_integral_value():
        expected = f"a whole slot, because progress is {instance.progress!r}"
        raise InputError.of("ringyard replan", option, slot, expected, "round it")
    return Fraction(slot)


def _remaining(
    instance: MakespanInstance,
    job: RingJob,
    run: RingRun,
    left: Fraction | None,
    hit: bool,
    change: Change,
) -> RingJob:
    """Return what is left of a job at the cut. If it runs, `left` has its iterations."""
    now, late = change.now, change.late.get(job.name)
    work, release = Fraction(job.iterations), max(job.release_slot - now, Decimal(0))
    if left is not None:
        work = left
        if hit:
            work = Fraction(job.iterations)
            if change.redo is not None:
                work = min(work, left + Fraction(change.redo))
    if late is not None:
        more = _moment(instance, f"--late {job.name}", late)
        if job.release_slot > now:
            release += late
        else:
            work += more * pace_of(instance, run).iterations_per_slot(ALONE)
    if instance.progress == "floor":
        work = Fraction(ceil(work))
    if max(work.numerator, work.denominator) >= 10**MAX_FRACTION_DIGITS:
        work = max(Fraction(floor(work * FINE), FINE), Fraction(1, FINE))
    return replace(
        job,
        iterations=int(work) if work.denominator == 1 else work,
        release_slot=release,
        held=tuple(sorted(run.gpus.items())) if left is not None and not hit else None,
    )


def _without(
    instance: MakespanInstance,
    jobs: tuple[RingJob, ...],
    runs: Iterable[RingRun],
    change: Change,
    now: Fraction,
) -> tuple[MakespanInstance, list[RingJob]]:
    """Return the rest, and the jobs that hold lost servers until they are back."""
    used = {server for run in runs for server in run.gpus}
    short = any(back is None and name in used for name, back in change.lost.items())
    outs, gone = [], set()
    for server in instance.cluster.servers:
        if server.name not in change.lost:
            continue
        back = change.lost[server.name]
        if back is None or not (short or server.name in used):
            gone.add(server.name)
        else:
            slots = _moment(instance, f"--lost {server.name}", back) - now
            outs.append(_out(instance, server, slots))
    servers = tuple(one for one in instance.cluster.servers if one.name not in gone)
    if not servers:
        raise RefusedError("nothing is left: all servers are lost")
    contention = instance.contention
    if isinstance(contention, FluidLinks):
        leaves = tuple(
            replace(leaf, servers=own)
            for leaf in contention.leaves
            if (own := tuple(name for name in leaf.servers if name not in gone))
        )
        contention = replace(contention, leaves=leaves)
    rest = replace(
        instance,
        name=f"{instance.name[:95].rstrip()}-rest",
        title="",
        notes=f"What is left of {instance.name} at slot {change.now:f}.",
        cluster=replace(instance.cluster, servers=servers),
        contention=contention,
        jobs=(*jobs, *outs),
        horizon_slots=None,
    )
    return rest, outs


def _out(instance: MakespanInstance, server: Server, slots: Fraction) -> RingJob:
    """Return a job that holds a server for a number of slots: an iteration takes one of them."""
    overhead = instance.overhead_s if instance.overhead == "paper" else Decimal(0)
    length = instance.slot_s
    if overhead > length:
        raise RefusedError(
            f"server {server.name!r} cannot be waited for: the overhead {overhead} s is longer "
            f"than a slot of {length} s. Give no time at which it is back."
        )
    return RingJob(
        name=out_name(server.name),
        gpus=server.gpus,
        gpu=server.gpu,
        iterations=int(slots) if slots.denominator == 1 else slots,
        backward_s=length - overhead,
        held=((server.name, server.gpus),),
    )


def _assignment(job: str, start: Fraction, gpus: Mapping[str, int]) -> Assignment:
    exact = Context(prec=60).divide(Decimal(start.numerator), Decimal(start.denominator))
    return Assignment(job=job, start_slot=exact, gpus=tuple(sorted(gpus.items())))


def _schedule(
    instance: MakespanInstance, assignments: Sequence[Assignment], method: str
) -> Schedule:
    return Schedule(
        instance=instance.name,
        digest=digest(instance),
        method=method,
        assignments=tuple(assignments),
    )


def _entries(
    rest: MakespanInstance, plan: Schedule, outs: frozenset[str], last: bool = False
) -> list[_Entry]:
    """Return the plan in its order. Jobs on the servers in `outs` are moved, and may come last."""
    jobs = {job.name: job for job in rest.jobs}
    known = {server.name for server in rest.cluster.servers}
    back = {
        name: Fraction(job.iterations)
        for job in rest.jobs
        if job.held is not None
        for name, _ in job.held
        if job.name == out_name(name)
    }
    found = []
    for one in plan.assignments:
        job, gpus, start = jobs[one.job], dict(one.gpus), Fraction(one.start_slot)
        out = not gpus.keys() <= known or any(start < back.get(name, 0) for name in outs & {*gpus})
        start = max(start, Fraction(job.release_slot))
        found.append(_Entry(job=job, start=start, gpus=gpus, moved=job.held is None and out))
    found.sort(key=lambda entry: (entry.moved and last, entry.job.held is None, entry.start))
    return found


Choice = Callable[[RingJob, Mapping[str, int]], dict[str, int] | None]


def _nowhere(_: RingJob, __: Mapping[str, int]) -> None:
    return None


def _follow(
    rest: MakespanInstance, method: str, entries: Sequence[_Entry], choose: Choice = _nowhere
) -> Schedule | None:
    """Return the schedule in which jobs start in order, not before their slots, on idle GPUs.

    A job that is due claims its GPUs, so that no later one takes them. A moved job starts where
    `choose` finds a place for it. Returns None if some job never starts.
    """
    clock, waiting, found = SlotClock(rest, ()), list(entries), list[Assignment]()
    kinds = {server.name: server.gpu for server in rest.cluster.servers}
    idle = {server.name: server.gpus for server in rest.cluster.servers}
    now, running = Fraction(0), list[RingRun]()
    while waiting:
        claimed, left = Counter[str](), list[_Entry]()
        for entry in waiting:
            if entry.start > now:
                left.append(entry)
                continue
            free = {name: gpus - claimed[name] for name, gpus in idle.items()}
            gpus = choose(entry.job, free) if entry.moved else entry.gpus
            if gpus is None or any(free[name] < count for name, count in gpus.items()):
                if gpus is not None:
                    claimed.update(gpus)
                left.append(entry)
                continue
            run = _run(entry.job, now, gpus, kinds)
            clock.add(run)
            running.append(run)
            found.append(_assignment(entry.job.name, now, gpus))
            for name, count in gpus.items():
                idle[name] -= count
        clock.go(now)
        waiting = left
        coming = [entry.start for entry in left if entry.start > now]
        if clock.next is not None:
            coming.append(clock.next)
        if not waiting or not coming:
            break
        now = _start_at(rest, min(coming))
        clock.go(now)
        ended = [run for run in running if run in clock.ends]
        running = [run for run in running if run not in clock.ends]
        for run in ended:
            for name, count in run.gpus.items():
                idle[name] += count
    return None if waiting else _schedule(rest, found, method)


def _start_at(rest: MakespanInstance, moment: Fraction) -> Fraction:
    """Return the first moment, at or after another, that a schedule can name."""
    if rest.progress != "continuous":
        return moment
    return moment if (moment * 10**18).denominator == 1 else Fraction(ceil(moment * FINE), FINE)


def _run(
    job: RingJob,
    start: Fraction,
    gpus: Mapping[str, int],
    kinds: Mapping[str, str | None],
) -> RingRun:
    return RingRun(
        job=job,
        index=0,
        start=start,
        gpus=gpus,
        spread=tuple(name for name, count in gpus.items() if count < job.gpus),
        claimed_end=None,
        gpu=kinds[min(gpus)],
    )


def repaired(rest: Rest) -> Schedule | None:
    """Return the best of four plans that move only the jobs that lost their place.

    A moved job goes to the server that it fills best, of its fastest kind. If it finds none, it
    spreads, or it does so only if it is larger than every server. Moved jobs keep their turn, or
    they come after all others.
    """
    instance: MakespanInstance = rest.instance
    outs = frozenset(
        name for job in instance.jobs for name, _ in job.held or () if job.name == out_name(name)
    )
    plans, hit = [], any(entry.moved for entry in _entries(instance, rest.plan, outs))
    for last, eager in product((False, True), repeat=2) if hit else [(False, False)]:
        entries = _entries(instance, rest.plan, outs, last)
        plans.append(_follow(instance, "repaired", entries, _placing(instance, eager)))
    judged = [(check_makespan(instance, one).makespan, one) for one in plans if one is not None]
    ended = [(value, one) for value, one in judged if value is not None]
    return min(ended, key=lambda pair: pair[0])[1] if ended else None


def _placing(instance: MakespanInstance, eager: bool) -> Choice:
    def choose(job: RingJob, idle: Mapping[str, int]) -> dict[str, int] | None:
        for kind in sorted(instance.kinds, key=lambda kind: -(job.speed_on(kind) or 0)):
            own = [
                one
                for one in instance.cluster.servers
                if one.gpu == kind and may_run(job, one) and job.speed_on(kind) is not None
            ]
            pieces = tightest_fit({one.name: idle[one.name] for one in own}, job.gpus)
            spreads = pieces is not None and len(pieces) > 1
            if spreads and not eager and any(one.gpus >= job.gpus for one in own):
                continue
            if pieces is not None:
                return pieces
        return None

    return choose


def moved(before: Verdict, after: Verdict, rest: Rest) -> list[Move]:
    """Return the jobs that start elsewhere or at another slot than in the remaining plan.

    The cost of a job that starts again is the time of its additional iterations, alone.
    """
    new = {run.job.name: run for run in after.runs}
    return [
        Move(
            job=name,
            before=places_text(old.gpus),
            after=places_text(new[name].gpus),
            ended=before.ends.get(name),
            ends=after.ends.get(name),
            cost=_again(rest.instance, old, new[name]),
        )
        for old in before.runs
        for name in [old.job.name]
        if name in new and (dict(old.gpus), old.start) != (dict(new[name].gpus), new[name].start)
    ]


def _again(rest: MakespanInstance, old: RingRun, new: RingRun) -> Fraction:
    """Return the slots of the iterations that a job does again, if it ran and lost its GPUs."""
    if old.job.held is None or new.job.held is not None:
        return Fraction(0)
    more = Fraction(new.job.iterations) - Fraction(old.job.iterations)
    rate = pace_of(rest, new).iterations_per_slot(ALONE)
    return more / rate if rate else Fraction(0)
