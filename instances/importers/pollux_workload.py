"""A public workload of Pollux beside measured profiles: which jobs came when, as a `fleet`."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import NamedTuple

from ..draw import exact
from ..errors import ABSENT, InputError, plural
from ..fleet.instance import FleetInstance, FleetJob
from ..reading.files import validate
from ..rental.instance import JobType, RentalInstance
from .cells import Cells
from .pollux import lines_of
from .reading import Record

NEEDED = ("name", "time", "application")


class Submission(NamedTuple):
    """A line of a workload."""

    name: str
    second: int
    application: str


class Workload(NamedTuple):
    """What is made of a workload, and what users have to know of it."""

    instance: FleetInstance
    remarks: tuple[str, ...]


def read_workload(
    profiles: RentalInstance,
    path: Path,
    *,
    budget_gpus: Decimal | None = None,
    rescale_s: Decimal = Decimal(0),
    strict: bool = False,
) -> Workload:
    """Return the jobs of a workload whose applications have profiles, with the work of these.

    The budget, if not given, is twice the load; GPUs come and go by the second.

    Raises:
        InputError: With all faults of the file, or if no job has a profile.
    """
    left: list[str] = []
    found = lines_of(path, NEEDED, _submission, strict, left)
    types = {one.name: one for one in profiles.types}
    known = sorted((one for one in found if one.application in types), key=lambda one: one.second)
    if not known:
        expected = f"jobs of {', '.join(types)}"
        raise InputError.of(str(path), "application", ABSENT, expected, "import their profiles")
    span = known[-1].second + 1
    counts = Counter(one.application for one in known)
    made = FleetInstance(
        name=profiles.name,
        title=f"{plural(len(known), 'job')} of a workload with measured speed-ups",
        notes=profiles.notes,
        source=profiles.source,
        licence=profiles.licence,
        types=tuple(
            replace(types[name], rate_per_h=exact(3600 * count / span, 6))
            for name, count in sorted(counts.items())
        ),
        jobs=tuple(_job(one, types[one.application]) for one in known),
        span_s=Decimal(span),
        budget_gpus=Decimal(1) if budget_gpus is None else budget_gpus,
        widths="whole",
        rescale_s=rescale_s,
    )
    if budget_gpus is None:
        load = float(sum(map(sum, made.loads)))
        made = replace(made, budget_gpus=exact(2 * load, 3))
    validate(made)
    return Workload(made, (*_left_out(found, types), *left))


def _submission(_: Record, cells: Cells) -> Submission | None:
    second = cells.whole("time")
    name, application = cells.text("name"), cells.text("application")
    if second is None or not name or not application:
        cells.fault("name", "a name, a time and an application", "correct or remove the line")
        return None
    return Submission(name, second, application)


def _job(one: Submission, kind: JobType) -> FleetJob:
    """Return a job with the work that was measured, in whole seconds."""
    work = (max(1, round(float(epoch.work_h) * 3600)) for epoch in kind.epochs)
    return FleetJob(
        name=one.name,
        type=kind.name,
        arrival_s=Decimal(one.second),
        work_s=tuple(map(Decimal, work)),
    )


def _left_out(found: list[Submission], types: dict[str, JobType]) -> Iterator[str]:
    for name, count in sorted(Counter(one.application for one in found).items()):
        if name not in types:
            yield f"left out: {plural(count, 'job')} of {name}, which has no profile"
