"""`check_family`: do judge, bounds, methods and words of a problem family go together?"""

from collections.abc import Iterable, Iterator
from contextlib import redirect_stdout
from dataclasses import replace
from io import StringIO
from typing import Any

from ..analysis.check import check
from ..families import FAMILIES, Family
from ..instances import NO_LIMITS, InputError, digest, validate
from ..instances.reading.encode import to_text
from ..instances.reading.files import INSTANCES, SCHEDULES, parse
from .cases import cases
from .faults import asked, faults
from .report import CheckReport


def check_family(
    family: Family | str,
    *,
    instances: Iterable[Any] | None = None,
    draws: int = 10,
    seed: int = 0,
    time_limit: float | None = None,
) -> CheckReport:
    """Try a family on instances, or random ones of its own; raise `AssertionError` if it fails.

    Instances and schedules must come back from their files, judges notice other instances and false
    claims, bounds keep to what methods find, all methods agree with each other, and what the
    record names be there. `time_limit` is in seconds for each run.
    """
    home = FAMILIES[family] if isinstance(family, str) else family
    report = CheckReport(f"family {home.kind}")
    report.faults += [f"the record: {fault}" for fault in _record(home)]
    chosen = cases(home, draws=draws, seed=seed) if instances is None else instances
    for instance in [] if report.faults else chosen:
        report.tried += 1
        report.faults += [f"{instance.name}: {one}" for one in _wrong(home, instance, time_limit)]
    if not report.faults and not report.tried:
        report.faults.append("there are no instances: give presets, or drawn")
    return report.settled()


def _record(home: Family) -> Iterator[str]:
    for name in vars(home):
        try:
            getattr(home, name.removeprefix("_"))
        except Exception as error:
            yield f"{name.removeprefix('_')} is not there: {error}"
    if home.default not in {method.name for method in home.methods}:
        yield f"the default {home.default!r} is not among the methods"


def _wrong(home: Family, instance: Any, time_limit: float | None) -> Iterator[str]:
    """Yield what is wrong with an instance, its bounds and what all methods answer."""
    try:
        validate(instance)
        if parse(to_text(instance), INSTANCES, "file") != instance:
            yield "it is another one once it is written and read"
    except InputError as error:
        yield f"it is not valid: {error}"
        return
    if home.refusal(instance):
        return
    bounds = home.bounds(instance, NO_LIMITS)
    if [one.value for one in bounds] != [one.value for one in home.bounds(instance, NO_LIMITS)]:
        yield "bounds differ from one time to the next"
    answers = asked(instance, time_limit)
    # With little time, or on a large instance, the default need not be the best.
    even = time_limit is None and bool(home.small(instance))
    yield from faults(instance, answers, None, even=even)
    for answer in answers.answers.values():
        if answer.schedule is not None and answer.valid:
            yield from _judged(home, instance, answer)
            break


def _judged(home: Family, instance: Any, answer: Any) -> Iterator[str]:
    """Yield what is wrong with judge and words about a valid schedule."""
    schedule, verdict = answer.schedule, answer.verdict
    if parse(to_text(schedule), SCHEDULES, "file") != schedule:
        yield "its schedule is another one once it is written and read"
    if check(instance, schedule).objective != verdict.objective:
        yield "the judge says something else the second time"
    other = check(instance, replace(schedule, digest="0" * len(digest(instance))))
    if other.valid:
        yield "the judge accepts a schedule of another instance"
    unknown = {one.rule for one in other.violations} - set(home.rules)
    if unknown:
        yield f"the judge names rules that the record has not: {', '.join(sorted(unknown))}"
    for name in home.claims.values():
        if not hasattr(verdict, name):
            yield f"the verdict has no {name}, which claims name"
    with redirect_stdout(StringIO()):
        home.shown(instance, 3)
    home.said.beside(verdict)
    list(home.times(instance, verdict))
    dict(home.metrics(instance, verdict))
    home.extent(instance)
