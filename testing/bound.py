"""`check_bound`: the check that a bound never excludes a possible value."""

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
"""Limits that are exceeded."""


def check_bound(
    bound: str | Callable[..., Any],
    family: str,
    *,
    instances: Iterable[Any] | None = None,
    draws: int = 10,
    seed: int = 0,
    time_limit: float = 10.0,
) -> CheckReport:
    """Check a bound on named and random instances. Raise `AssertionError` if it fails.

    It must not exclude the value of a checked schedule, including ones of exact methods. It must
    return the same value twice, hold after its time limit, and leave instances unchanged.

    By default there are up to `draws` named instances and the same number of random ones.
    `time_limit` is in seconds for each method.
    """
    call = find_bound(bound)
    report = CheckReport(f"{call.label} for {family}")
    chosen = cases(FAMILIES[family], draws=draws, seed=seed) if instances is None else instances
    results = [_tried(report, call, one, time_limit) for one in chosen]
    if not any(results):
        report.problems.append("it gives no bound for any instance")
    return report.settled()


def _tried(report: CheckReport, call: Call, instance: Any, time_limit: float) -> bool:
    """Compute the bound of an instance, record errors, and return True if there is a bound."""
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
        report.problems.append(f"{instance.name}: two calls give different bounds")
    report.problems += _false(instance, [*found, *hurried], best_known(instance, time_limit))
    return bool(found)


def _false(instance: Any, found: list[Bound], best: Fraction | None) -> Iterator[str]:
    """Yield the bounds that exclude a possible value."""
    if best is None:
        return
    for one in {one.value: one for one in found}.values():
        if FAMILIES[instance.kind].better(best, one.value):
            yield f"{instance.name}: {one.name} claims {one.value}, but {best} is possible"


def best_known(instance: Any, time_limit: float | None) -> Fraction | None:
    """Return the best objective of a checked schedule, by exact methods within the time limit."""
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
