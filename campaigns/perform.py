"""Execution of a run in this process, and checks of a row's schedule and certificate."""

import json
import time
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from ..analysis.check.certificates.checking import check_certificate
from ..analysis.check.certificates.reading import read_certificate
from ..analysis.check.judge import check
from ..analysis.rows import ACCEPTED, BOUND, REFUSED, Row
from ..analysis.sources import Sources
from ..families.registry import family_of
from ..instances import (
    Bound,
    BoundEvidence,
    InputError,
    Instance,
    Limits,
    SolutionStatus,
    TerminationReason,
    digest,
)
from ..instances.certificate import certificate_text
from ..instances.errors import plural
from ..instances.reading.encode import as_number, to_text
from ..instances.reading.files import INSTANCES, SCHEDULES, parse
from ..methods import find_method
from ..run import Answer, solve
from .code_digest import code_of, present_code
from .runs import AGAIN, METHOD_CHANGED, Columns, Task, environment, failure_of, now
from .store import Store, kept_text


def perform(task: Task) -> dict[str, Any]:
    """Return the `columns` of a run, also after a failure, and the texts of its files.

    The files are its `schedule` and, if requested, an accepted `certificate` of its bound.

    An interrupt ends the run without an answer, so that it is repeated later.
    """
    if "program" in task:
        from .perform_program import perform_program

        return perform_program(task)
    columns: Columns = {**environment(), "started": now(), "valid": False, "violations": 0}
    before, schedule, certificate = time.process_time(), None, None
    try:
        instance = _instance(task["digest"], task["text"], task["name"])
        if not _unchanged(task, instance.kind):
            return {"columns": {"status": METHOD_CHANGED, "note": AGAIN}, "schedule": None}
        if task["method"] == BOUND:
            found, bound, best = *_bounded(instance, task["time_limit"]), None
        else:
            answer = _answered(instance, task)
            found, bound, best = answer_columns(answer), answer.bound, answer.schedule
        if task.get("certificates") and bound.proof:
            checked, certificate = certified(instance, bound)
            found |= checked
        json.dumps(found, allow_nan=False)  # What no row can hold is an error of the method.
        schedule = None if best is None else to_text(best)
        columns |= found
    except Exception as error:  # Whatever a method does, the campaign goes on.
        columns |= failure_of(error)
    columns["cpu_seconds"] = round(time.process_time() - before, 6)
    if not _unchanged(task, instance.kind):
        return {"columns": {"status": METHOD_CHANGED, "note": AGAIN}, "schedule": None}
    return {"columns": columns, "schedule": schedule, "certificate": certificate}


def _unchanged(task: Task, kind: str) -> bool:
    """Return True if the code is the one that the run names, and no code was edited since."""
    name, certificates = task["method"], task["certificates"]
    try:
        if task["source"] and find_method(name, kind).digest != task["source"]:
            return False
        for look in (code_of, present_code):  # What was imported, and what would be now.
            found = task["code"] and look(name, kind, certificates=certificates).digest
            if found != task["code"]:
                return False
    except InputError:  # There is no such method, as the run itself says.
        return not task["source"]
    return True


@lru_cache(maxsize=4)
def _instance(digest: str, text: str, name: str) -> Instance:
    """Return an instance, cached because consecutive runs often share it."""
    del digest
    instance: Instance = parse(text, INSTANCES, name)
    return instance


def _answered(instance: Instance, task: Task) -> Answer:
    answer = solve(
        instance,
        task["method"],
        seed=task["seed"],
        time_limit=task["time_limit"],
        threads=task["threads"],
        horizon=task["horizon"],
        gap=task.get("gap_limit"),
        target=task.get("target"),
        start=parse(task["start"], SCHEDULES, "start") if "start" in task else None,
    )
    if answer.outcome.termination is TerminationReason.INTERRUPTED:
        raise KeyboardInterrupt
    return answer


def answer_columns(answer: Answer) -> Columns:
    """Return the columns that are known after a run."""
    row, phases = answer.row(), dict(answer.phases)
    broken = row["violations"]
    kept = (
        "status",
        "termination",
        "note",
        "objective",
        "bound",
        "bound_kind",
        "claimed_bound",
        "gap",
    )
    return {
        **{name: row[name] for name in (*kept, "seconds", "nodes", "valid")},
        "certificate": _rules(answer.bound),
        "solution_status": (answer.claim or answer.outcome).status.value,
        "violations": len(broken),
        "violation": f"{broken[0]['rule']}: {broken[0]['where']}" if broken else None,
        "rejection": answer.rejection or None,
        "seconds_bound": round(phases["bound"], 6),
        "seconds_check": round(phases["check"], 6),
        "phases": json.dumps({name: round(s, 6) for name, s in answer.outcome.seconds}),
        "trajectory": _trajectory(answer),
        **answer.metrics(),
    }


def _rules(bound: Bound) -> str:
    """Return the rules that prove a bound, or else its possible verification."""
    certified = bound.evidence is BoundEvidence.CERTIFIED
    return bound.rules if certified else bound.evidence.value


def _trajectory(answer: Answer) -> list[list[float]]:
    """Return the best value and bound over time, ending with the answer itself."""
    steps = list(answer.trajectory)
    if answer.valid:
        steps.append((answer.seconds, float(answer.objective or 0), float(answer.bound.value)))
    return [[round(seconds, 6), value, bound] for seconds, value, bound in steps]


def _bounded(instance: Instance, time_limit: float | None) -> tuple[Columns, Bound]:
    start = time.perf_counter()
    found = family_of(instance).strong(instance, Limits(time_s=time_limit), None)
    columns = {
        "status": "unknown",
        "termination": TerminationReason.DONE.value,
        "solution_status": SolutionStatus.NOTHING.value,
        "note": found.argument,
        "bound": as_number(found.value),
        "bound_kind": found.kind.value,
        "certificate": _rules(found),
        "seconds": round(time.perf_counter() - start, 6),
    }
    return columns, found


UNFOLLOWED = "not followed"
"""A search that the checker does not follow, which is no problem: it tries for a limited time."""


def certified(instance: Instance, bound: Bound) -> tuple[Columns, str | None]:
    """Return the verdict of the checker on a bound that has steps, and an accepted certificate."""
    text = certificate_text(instance, bound, family_of(instance).maximize)
    began = time.perf_counter()
    refused = check_certificate(instance, read_certificate(text, bound.name)).refused
    seconds: Columns = {"seconds_certificate": round(time.perf_counter() - began, 6)}
    if refused is None:
        return {"certificate": bound.rules, "checked": ACCEPTED, **seconds}, text
    word = UNFOLLOWED if bound.evidence is BoundEvidence.SEARCHED else REFUSED
    return {"checked": f"{word}, line {refused.line}: {refused.why}", **seconds}, None


def certificate_problems(row: Row, store: Store) -> Iterator[str]:
    """Yield reasons why a row's accepted certificate does not hold now."""
    if row["checked"] != ACCEPTED:
        return
    path = store.certificate_file(row["key"])
    try:
        instance = store.instance(row["digest"])
        certificate = read_certificate(kept_text(path), str(path))
    except InputError as error:
        yield f"its certificate: {error.source}: {error.problems[0]}"
        return
    refused = check_certificate(instance, certificate).refused
    claim = as_number(certificate.claim)
    if refused is not None:
        yield f"its certificate is refused at line {refused.line}: {refused.why}"
    elif claim is None or float(claim) != row["bound"]:
        yield f"its certificate claims {claim}, but the row {row['bound']}"


def title(row: Row) -> str:
    """Return a readable name of a row."""
    again = f", repetition {row['repetition']}" if row["repetition"] else ""
    return f"{row['method']} on {row['instance']}, seed {row['seed']}{again}"


def schedule_problems(row: Row, sources: Sources) -> Iterator[str]:
    """Yield differences between a row and the judge, given only the row's claims."""
    what = title(row)
    if row["valid"] and not row["schedule"]:
        yield f"{what}: objective {row['objective']} without a schedule"
    if not row["schedule"]:
        return
    try:
        instance, schedule = sources.read(row)
    except InputError as error:
        yield f"{what}: {error.source}: {error.problems[0]}"
        return
    if digest(instance) != row["digest"] or schedule.digest not in ("", row["digest"]):
        yield f"{what}: instance, schedule and row do not match"
    verdict = check(instance, schedule)
    value = as_number(verdict.objective)
    if verdict.violations and not row["violations"]:
        first = verdict.violations[0]
        yield f"{what}: the judge rejects it: {first.rule}: {first.where}"
    elif verdict.valid and not row["valid"]:
        yield f"{what}: valid according to the judge, invalid according to the row"
    elif len(verdict.violations) != row["violations"]:
        count, own = len(verdict.violations), row["violations"]
        yield f"{what}: the judge finds {plural(count, 'violation')}, the row has {own:,}"
    elif row["objective"] != (None if value is None else float(value)):
        yield f"{what}: objective {value} by the judge, {row['objective']} in the row"
