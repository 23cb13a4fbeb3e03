"""`ringyard replan`: repair a plan after a change, such as a lost server."""

from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from ..families import family_of
from ..instances import Instance, load_schedule
from ..instances.arguments import seed_problems, time_limit_problems
from ..instances.catalogue import load
from ..instances.errors import InputError, Problem, Words, plural, raise_any
from ..instances.lengths import length_of
from ..instances.reading.encode import as_number
from ..interrupts import seeking
from .shared.options import AsJson, Whole, out_problems, place_problems, write_entity, written
from .shared.output import cell, emit, percent, say, show_rows, valued
from .shared.progress import progress

if TYPE_CHECKING:
    from ..running.replan import Change, Replanned

Named = Annotated[tuple[str, ...], Parameter(negative=())]
"""An option that may be repeated."""

MOST_MOVES = 10
"""Moved jobs that are printed."""


def replan_command(
    instance: str,
    plan: Path | None = None,
    /,
    *,
    now: str | None = None,
    lost: Named = (),
    late: Named = (),
    redo: Whole | None = None,
    method: str | None = None,
    seed: Whole = 0,
    time_limit: float | None = 60.0,
    threads: Whole = 1,
    out: Path | None = None,
    instance_out: Path | None = None,
    gantt: Path | None = None,
    jobs: Whole = MOST_MOVES,
    json: AsJson = False,
) -> int:
    """Repair a plan: servers are lost, or jobs are late.

    The instance is cut at a moment. Jobs that run then hold their GPUs. The new plan for the rest
    is the best of four: the old plan if it is still possible, the one that waits for lost servers,
    a repaired one, and that of a method. Its time 0 is the cut.

    Parameters
    ----------
    instance
        A catalogue name, or a file.
    plan
        A file with a valid schedule of the instance. Jobs that it lacks wait behind it. Without a
        plan, jobs that hold GPUs at time 0 go on, and the others wait.
    now
        The moment of the change in the plan's own time: 5h, 20m, or a number of seconds or slots.
        Required with a plan, else 0.
    lost
        A server that is out of service from now on, and when it is back: s3, s3=8h (in the plan's
        time) or s3=+2h (from now). May be repeated.
    late
        A job that is late, as in job=+20m. If it has arrived, it has so much more work. If not, it
        arrives so much later. May be repeated.
    redo
        Iterations that a job on a lost server does again at most (default: all), for makespan.
    method
        A method for the rest (default: the family's). See `ringyard list methods`.
    seed
        Seed of its random steps.
    time_limit
        Seconds that it may take.
    threads
        Threads that it may use.
    out
        Write the new plan to this file (.json or .json.gz).
    instance_out
        Write the rest to this file, as an instance.
    gantt
        Draw the rest of the old plan and the new plan to this file (.svg, .png or .pdf).
    jobs
        How many changed jobs to print.
    """
    problems = seed_problems(seed) + time_limit_problems(time_limit)
    problems += out_problems(instance, out) + place_problems("--gantt", instance, gantt)
    problems += out_problems(instance, instance_out, "--instance-out")
    raise_any("ringyard replan", problems)
    problem = load(instance)
    schedule = plan and load_schedule(plan)
    if now is None and plan is not None:
        expected = "the moment of the change in the plan's own time"
        raise InputError.of("ringyard replan", "--now", Words("none"), expected, "write --now 20m")
    now = now or "0"
    change = _change(problem, now, lost, late, redo)
    if gantt is not None:
        from ..analysis.gantt import chart_of, gantt_format

        gantt_format(gantt)
        chart_of(problem)
    from ..run import solve
    from ..running.replan import replan

    with seeking(), progress(f"replanning {problem.name}") as watch:
        made = replan(
            problem,
            schedule,
            change,
            lambda rest: solve(
                rest, method, seed=seed, time_limit=time_limit, threads=threads, watch=watch
            ),
        )
    if out is not None:
        write_entity(made.best.schedule, out)
    if instance_out is not None:
        write_entity(made.rest.instance, instance_out)
    if gantt is not None:
        with written(gantt):
            _draw(made, gantt)
    if json:
        emit(_row(made))
    else:
        _print(made, jobs)
    return 0


def _change(
    instance: Instance,
    now: str,
    lost: tuple[str, ...],
    late: tuple[str, ...],
    redo: int | None,
) -> "Change":
    """Return what the options say."""
    from ..running.replan import Change

    clock = bool(family_of(instance).clock)
    moment, back = _amount("--now", now, clock), dict[str, Decimal | None]()
    for one in lost:
        name, given, text = one.rpartition("=") if "=" in one else (one, "", "")
        back[name] = _amount("--lost", text, clock) if given else None
        if text.startswith("+"):
            back[name] = moment + (back[name] or 0)
    more = {}
    for one in late:
        name, given, text = one.rpartition("=")
        if not given:
            expected, advice = "a job and its delay", f"write --late {one}=+20{'m' * clock}"
            raise InputError.of("ringyard replan", "--late", one, expected, advice)
        more[name] = _amount("--late", text, clock)
    redone = None if redo is None else Decimal(redo)
    return Change(now=moment, lost=back, late=more, redo=redone)


def _amount(option: str, text: str, clock: bool) -> Decimal:
    """Return a time in seconds, or in the family's unit if it has no clock."""
    found = length_of(text.strip().removeprefix("+"))
    if found is None or (found.unit and not clock):
        expected = "a time such as 5h, 20m or 300" if clock else "a number of slots"
        problem = Problem(option, text, expected, "correct it")
        raise InputError("ringyard replan", [problem])
    return found.seconds


def _draw(made: "Replanned", path: Path) -> None:
    from ..analysis.gantt import draw_change

    before = made.before.instance, made.before.plan, made.old
    after = made.rest.instance, made.best.schedule, made.best.verdict
    places = {one.job for one in made.moves if one.before != one.after}
    marks = {one.job: "other GPUs" if one.job in places else "other times" for one in made.moves}
    draw_change(before, after, marks, path)


def _row(made: "Replanned") -> dict[str, Any]:
    return {
        "instance": made.rest.instance.name,
        "jobs": len(made.rest.instance.jobs),
        "plan": made.best.name,
        "objective": as_number(made.best.verdict.objective),
        "planned": as_number(made.old.objective),
        "bound": as_number(made.bound.value),
        "plans": {one.name: as_number(one.verdict.objective) for one in made.candidates},
        "refused": made.refused,
        "added": made.added,
        "moves": [
            {
                "job": one.job,
                "before": one.before,
                "after": one.after,
                "ended": as_number(one.ended),
                "ends": as_number(one.ends),
                "cost": as_number(one.cost),
            }
            for one in made.moves
        ],
    }


def _print(made: "Replanned", most: int) -> None:
    family, rest = family_of(made.rest.instance), made.rest.instance
    say(f"{rest.name}: {plural(len(rest.jobs), 'job')} left. The new plan: {made.best.name}")
    say(f"  planned   {valued(family, made.old.objective)}, if nothing had changed")
    for one in made.candidates:
        say(f"  {one.name:<9} {valued(family, one.verdict.objective)}")
    say(f"  bound     {cell(made.bound.value)} ({made.bound.kind}: {made.bound.argument})")
    value = made.best.verdict.objective
    say(f"  gap       {percent(None if value is None else family.gap(value, made.bound.value))}")
    if made.added:
        say(f"  note      {plural(made.added, 'job')} without a run in the plan waited behind it")
    if made.refused:
        say(f"  note      {made.refused}")
    elsewhere = [one for one in made.moves if one.before != one.after]
    cost = sum((one.cost for one in made.moves), Fraction(0))
    unit = family.unit or "time"
    say(f"  moves     {plural(len(elsewhere), 'job')} to other GPUs")
    say(f"  restarts  {cell(cost)} {unit} more than planned, in all")
    if not made.moves:
        return
    say()
    rows = sorted(made.moves, key=lambda one: (one.before == one.after, -abs(one.cost)))
    heads = ("job", "planned on", "now on", "planned end", "end", "restarts")
    show_rows(
        heads,
        [
            (one.job, one.before or "-", one.after or "-", one.ended, one.ends, one.cost)
            for one in rows[:most]
        ],
        len(rows),
    )
