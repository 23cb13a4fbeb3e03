"""Where the engine and the judge differ on the ends of a schedule; empty if they agree."""

from math import inf, isclose

from ringyard.analysis.check import check
from ringyard.instances import MakespanInstance, Schedule
from ringyard.simulation import build_model, evaluate, to_plan


def differences(instance: MakespanInstance, schedule: Schedule) -> list[str]:
    """Compare every end: equal in slotted time, within rounding in continuous time."""
    ends = check(instance, schedule).ends
    result = evaluate(build_model(instance), to_plan(instance, schedule))
    found = []
    for job, engine in zip(instance.jobs, result.end.tolist(), strict=True):
        exact = ends.get(job.name)
        if exact is None:
            same = engine == inf
        elif instance.progress == "continuous":
            same = isclose(float(exact), engine, rel_tol=1e-9)
        else:
            same = exact == engine
        if not same:
            found.append(f"{job.name}: judge {exact}, engine {engine}")
    return found
