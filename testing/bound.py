"""`check_bound`: does a bound keep to what is possible?"""

from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from typing import Any

from ..extensions.bounds import bounds_by, find_bound
from ..extensions.calling import Call
from ..families import FAMILIES
from ..instances import Bound, Limits, RefusedError, digest
from ..instances.catalogue import entries
from ..instances.errors import RingyardError
from ..methods import all_methods
from ..run import solve
from .cases import cases
from .report import CheckReport

AT_ONCE = Limits(time_s=0.0)
"""Limits that are over."""


def check_bound(
    bound: str | Callable[..., Any],
    family: str,
    *,
    instances: Iterable[Any] | None = None,
    draws: int = 10,
    seed: int = 0,
    time_limit: float = 10.0,
) -> CheckReport:
    """Try a bound on named and random instances; raise `AssertionError` if it fails.

    It must never exclude what a checked schedule shows to be possible, those of exact methods among
    them; say the same twice; hold when its time is up as well; and leave instances as they are.

    Without `instances` there are up to `draws` named ones and as many random ones. `time_limit` is
    in seconds for each method.
    """
    call = find_bound(bound)
    report = CheckReport(f"{call.label} for {family}")
    chosen = cases(FAMILIES[family], draws=draws, seed=seed) if instances is None else instances
    results = [_tried(report, call, one, time_limit) for one in chosen]
    if not any(results):
        report.problems.append("it says nothing about any instance")
    return report.settled()


def _tried(report: CheckReport, call: Call, instance: Any, time_limit: float) -> bool:
    """Ask it about an instance, take down what is wrong, and return whether it says something."""
    if FAMILIES[instance.kind].refusal(instance):
        return False
    before, limits = digest(instance), Limits(time_s=time_limit)
    try:
        found, again = (bounds_by(call, instance, limits) for _ in range(2))
        hurried = bounds_by(call, instance, AT_ONCE)
    except RefusedError:
        report.refused += 1
        return False
    except RingyardError as error:
        report.problems.append(f"{instance.name}: {error}")
        return False
    report.tried += 1
    if digest(instance) != before:
        report.problems.append(f"{instance.name}: it changes the instance")
    if [one.value for one in found] != [one.value for one in again]:
        report.problems.append(f"{instance.name}: asked twice it says two things")
    report.problems += _false(instance, [*found, *hurried], best_known(instance, time_limit))
    return bool(found)


def _false(instance: Any, found: list[Bound], best: Fraction | None) -> Iterator[str]:
    """Yield the bounds that exclude what is possible."""
    if best is None:
        return
    for one in {one.value: one for one in found}.values():
        if FAMILIES[instance.kind].better(best, one.value):
            yield f"{instance.name}: {one.name} says {one.value}, but {best} is possible"


def best_known(instance: Any, time_limit: float | None) -> Fraction | None:
    """Return the best objective of a checked schedule, by exact methods where they have time."""
    home = FAMILIES[instance.kind]
    known = entries().get(instance.name)
    catalogued = known is not None and known.upper and known.digest == digest(instance)
    best = known.upper[0].value if known and catalogued else None
    exact = [m.name for m in all_methods(home.kind) if m.guarantee == "optimal" and not m.solver]
    for name in (home.default, *exact):
        try:
            answer = solve(instance, name, time_limit=time_limit)
        except RingyardError:
            continue
        value = answer.objective if answer.valid else None
        if value is not None and (best is None or home.better(value, best)):
            best = value
        if answer.status == "optimal":
            break
    return best
