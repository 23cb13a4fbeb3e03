"""`ringyard solve`: one checked answer."""

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from ..instances import Bound, BoundKind, Limits
from ..instances.arguments import at_least_one, seed_problems, time_limit_problems
from ..instances.catalogue import load
from ..instances.errors import raise_any
from ..interrupts import keeping, seeking
from .shared.options import AsJson, Whole, out_problems, place_problems, write_entity, written
from .shared.output import cell, emit, percent, say, valued
from .shared.progress import progress
from .shared.verdicts import print_certified, write_certificate

if TYPE_CHECKING:
    from ..run import Answer


EXIT = {"optimal": 0, "feasible": 0, "error": 1, "infeasible": 3, "unknown": 3}


def solve_command(
    instance: str,
    /,
    *,
    method: str | None = None,
    time_limit: float | None = None,
    seed: Whole = 0,
    threads: Whole = 1,
    horizon: Whole | None = None,
    start: Path | None = None,
    keep_before: Whole | None = None,
    gap: float | None = None,
    target: float | None = None,
    out: Path | None = None,
    certificate: Path | None = None,
    gantt: Path | None = None,
    json: AsJson = False,
) -> int:
    """Solve an instance and check the answer.

    Parameters
    ----------
    instance
        A catalogue name, or a file.
    method
        A name from `ringyard list methods` (default: the family's best). A program's name may
        include a solver and its options, as in linearised:highs:mip_rel_gap=0.01.
    time_limit
        Seconds after which the best schedule found is returned (default: no limit).
    seed
        Seed of the random steps. The same seed gives the same schedule.
    threads
        Threads a method may use.
    horizon
        Accept only schedules that end by this slot (default: the horizon of the instance, if any).
    start
        A file with a valid schedule to start from. `ringyard list methods` shows the methods that
        support it.
    keep_before
        Keep all jobs of --start that begin before this slot, and begin no other job earlier. The
        file may then lack jobs.
    gap
        Stop when the gap between schedule and proved bound is at most this: 0.01 is 1 %.
    target
        Stop when a valid schedule reaches this value of the objective.
    out
        Write the schedule to this file (.json or .json.gz).
    certificate
        Write a certificate, the proof of the best bound that has one, to this file, for `ringyard
        check`.
    gantt
        Draw servers, machines or rented GPUs against time to this file (.svg, .html, .png or .pdf).
    """
    problems = seed_problems(seed) + time_limit_problems(time_limit)
    problems += at_least_one("--threads", threads) + at_least_one("--horizon", horizon)
    raise_any("ringyard solve", problems)
    if gantt is not None:
        from ..analysis.gantt import gantt_format

        gantt_format(gantt)
    problems = out_problems(instance, out) + place_problems("--gantt", instance, gantt)
    problems += place_problems("--certificate", instance, certificate)
    raise_any("ringyard solve", problems)
    problem = load(instance)
    if gantt is not None:
        from ..analysis.gantt import chart_of

        chart_of(problem)  # Report a missing file or library before the work.
    from ..run import solve

    with seeking():
        with progress(f"solving {problem.name}") as watch:
            answer = solve(
                problem,
                method,
                seed=seed,
                time_limit=time_limit,
                threads=threads,
                horizon=horizon,
                start=start,
                keep_before=keep_before,
                gap=gap,
                target=target,
                watch=watch,
            )
        if out is not None and answer.schedule is not None:
            write_entity(answer.schedule, out)
        try:
            if gantt is not None:
                _draw(answer, gantt)
        finally:
            if json:
                emit({**answer.row(), **answer.metrics()})
            else:
                _print(answer)
    code = 130 if answer.outcome.termination == "interrupted" else EXIT[answer.status]
    if certificate is None:
        return code
    proved = _prove(answer, certificate, time_limit)
    if proved is not None and proved.kind is BoundKind.SEARCHED and not json:
        print_certified(answer.family, proved, certificate)
    return code or (3 if proved is None else 0)


def _prove(answer: "Answer", path: Path, time_limit: float | None) -> Bound | None:
    """Write the certificate of the bound, or otherwise of the best bound that has one."""
    family, found = answer.family, [answer.bound]
    if not answer.bound.proof or answer.bound.kind is BoundKind.SEARCHED:
        found += family.bounds(answer.instance, Limits())
        with suppress(KeyboardInterrupt), keeping():
            limits = Limits(time_s=time_limit)
            found += family.asked(answer.instance, limits, answer.objective).found
    return write_certificate(answer.instance, found, path)


def _draw(answer: "Answer", gantt: Path) -> None:
    from ..analysis.gantt import draw_gantt

    if answer.schedule is None or answer.verdict is None:
        return
    with written(gantt):
        draw_gantt(answer.instance, answer.schedule, answer.verdict, gantt, answer.bound.value)


def _print(answer: "Answer") -> None:
    made = f"{answer.instance.name} by {answer.method.name}, seed {answer.seed}"
    say(f"{made}: {answer.conclusion}")
    bound = f"{cell(answer.bound.value)} ({answer.bound.kind}: {answer.bound.argument})"
    if answer.verdict is None:
        say(f"  {answer.outcome.note}")
        if answer.status != "infeasible":
            say(f"  bound     {bound}")
        return
    say(f"  {answer.family.objective:<9} {valued(answer.family, answer.objective)}")
    say(f"  bound     {bound}")
    say(f"  gap       {percent(answer.gap)}")
    if known := answer.family.verdict_texts.beside(answer.verdict):
        say(f"  {known[0]:<9} {known[1]}")
    say(f"  took      {answer.seconds:.2f} s")
    if answer.outcome.note:
        say(f"  note      {answer.outcome.note}")
    say(f"  checked   {'valid' if answer.valid else 'INVALID'}")
    if answer.rejection:
        say(f"  rejected  {answer.rejection}")
    for violation in answer.verdict.violations:
        say(f"  violates {violation.rule} at {violation.where} by {cell(violation.amount)}")
    if answer.valid:
        answer.family.detailed(answer.instance, answer.verdict)
