"""Do one run, in whatever process this is: its task goes in, the columns of its row come out."""

import json
import time
from functools import lru_cache
from typing import Any

from ..families import family_of
from ..instances import Bound, BoundEvidence, Instance, Limits, SolutionStatus, TerminationReason
from ..instances.errors import InputError
from ..instances.reading.encode import as_number, to_text
from ..instances.reading.files import INSTANCES, SCHEDULES, parse
from ..methods import find_method
from ..run import Answer, solve
from .code_digest import code_of, present_code
from .recheck import certified
from .runs import AGAIN, BOUND, METHOD_CHANGED, Columns, Task, environment, failure_of, now


def perform(task: Task) -> dict[str, Any]:
    """Return the `columns` of a run and the texts of its files; failures are columns too.

    These are its `schedule` and, if asked for, a `certificate` of its bound that was accepted.

    An interrupt ends the run without an answer: it is to be done again.
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
    """Say whether the code is what the run is about, and neither it nor ours was edited since."""
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
    """Read an instance; neighbouring runs are often about the same one."""
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
    row, phases, verdict = answer.row(), dict(answer.phases), answer.verdict
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
        **(family_of(answer.instance).metrics(answer.instance, verdict) if verdict else {}),
    }


def _rules(bound: Bound) -> str:
    """Name the rules from which a proved bound follows, or else say who can check it."""
    certified = bound.evidence is BoundEvidence.CERTIFIED
    return bound.rules if certified else bound.evidence.value


def _trajectory(answer: Answer) -> list[list[float]]:
    """Return what was known when; the last step is the answer itself."""
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
