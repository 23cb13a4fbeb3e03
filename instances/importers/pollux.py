"""Pollux' measurements: profiles as a `rental` instance, or as a `fleet` with a workload.

A folder holds a placements.csv for each application (the first column such as 12: one GPU of one
node and two of another) and optionally a scalability.csv. Both have the batch size per GPU and the
time of a step. The speed-up on k GPUs is the highest rate of examples measured on k, over the
highest on 1, over all placements and batch sizes. With trainings, validation-BATCH.csv, it is the
highest goodput, which discounts examples of large batches, in each segment of the training, whose
work is also measured. Otherwise an example is assumed to have the same value in all batches, and
the work is assumed. The rates are always assumed.

Each validation-BATCH.csv has a line for every epoch of a training with that batch size: the
progress in steps of the smallest batch (progress), the squared norm of gradients (grad_sqr) and
their variance (grad_var). With the noise scale n = smallest * grad_var / grad_sqr, an example of a
step of m has (n + smallest) / (n + m) times the value of one in a step of the smallest batch:
Pollux' statistical efficiency. Goodput is examples per second times that. Batch sizes are retuned
in every epoch.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import NamedTuple, TypeVar

from ..draw import exact
from ..errors import ABSENT, InputError, Problem, Words, plural, shown
from ..fleet import FleetInstance, FleetJob
from ..reading.decode import read_text
from ..reading.files import validate
from ..reading.vocabulary import Positive, shape_of
from ..rental import Epoch, JobType, RentalInstance
from ..rental.goodput import APPLICATIONS
from ..speedup import SpeedPoint, SpeedTable
from .lines import LineLayout, decoded, table
from .reading import Cells, Record, collecting
from .training import (
    COLUMNS,
    GradientNoise,
    StepRate,
    fastest,
    noise_line,
    noise_of,
    segments,
)


def stretches_of(
    noise: GradientNoise, rates: Sequence[StepRate], most: int
) -> Iterator[tuple[Decimal, dict[int, Fraction]]]:
    """Yield hours of work on one GPU and speeds by GPUs, for at most the given number of segments.

    The speed on some GPUs is the ratio of the times of a segment.
    """
    for total in segments(noise, most, partial(noise.seconds, rates)):
        speeds = {gpus: Fraction(total[1] / seconds) for gpus, seconds in total.items()}
        yield exact(total[1] / 3600, 6), speeds


FILES = {"placements": "placement", "scalability": "num_replicas"}
"""File names, before the kind of GPUs if there is one, and the column with their number."""

STRANGER = (10, Decimal(1))
"""Share of the jobs, and hours of work, of applications other than the six."""

TRAINING = re.compile(r"validation-([1-9]\d{0,8})")
"""File names of trainings, with the batch size."""

STRETCHES = 4
"""Epochs of types with measured trainings."""

REMARKS = (
    "measured: examples per second, the most over placements and batch sizes",
    "speed never falls with more GPUs, because a job may leave some unused",
)

Line = TypeVar("Line")


class Profiles(NamedTuple):
    """The result of measured profiles, and notes for users."""

    instance: RentalInstance
    remarks: tuple[str, ...]


def read_profiles(
    folder: Path,
    *,
    name: str,
    jobs_per_h: Decimal = Decimal(10),
    budget_gpus: Decimal | None = None,
    stretches: int = STRETCHES,
    timed: bool = False,
    source: str = "",
    licence: str = "",
    strict: bool = False,
) -> Profiles:
    """Read measured profiles. By default, the budget is twice the load.

    With measured trainings, a job has the given epochs, if its training has as many. With `timed`,
    arrivals are known and not reported as assumed. An invalid line is left out and reported, unless
    the reading is strict.

    Raises:
        InputError: With all problems of a file, or of the arguments.
    """
    with collecting("ringyard import") as reading:
        reading.value(shape_of(Positive), jobs_per_h, "--jobs-per-h")
        if budget_gpus is not None:
            reading.value(shape_of(Positive), budget_gpus, "--budget-gpus")
    found = measured(folder, strict)
    remarks = (*REMARKS, *remarks_on(found, timed))
    shares = sum(_mix(app)[0] for app in found)
    types = tuple(
        JobType(
            name=app,
            rate_per_h=exact(float(jobs_per_h) * _mix(app)[0] / shares, 6),
            asks=APPLICATIONS[app].asks if app in APPLICATIONS else 1,
            epochs=tuple(_epochs(one, work_of(app), stretches)),
        )
        for app, one in found.items()
    )
    work = ((one.rate_per_h, epoch.work_h) for one in types for epoch in one.epochs)
    load = sum((rate * hours for rate, hours in work), Decimal(0))
    made = RentalInstance(
        name=name,
        title=f"{len(types)} application{'s' if len(types) > 1 else ''} with measured speed-ups",
        notes=shown("; ".join(remarks) + ".", 10_000),
        source=source,
        licence=licence,
        types=types,
        budget_gpus=2 * load if budget_gpus is None else budget_gpus,
        widths="whole",
    )
    validate(made)
    return Profiles(made, remarks)


def _mix(app: str) -> tuple[int, Decimal]:
    known = APPLICATIONS.get(app)
    return (known.share, known.work_h) if known else STRANGER


def work_of(app: str) -> Decimal:
    """Return the hours of work on one GPU that are assumed."""
    return _mix(app)[1]


def _files(folder: Path, suffix: str) -> dict[str, list[Path]]:
    """Return the files of each application: APP/placements.csv, or names with __ for /."""
    found: dict[str, list[Path]] = {}
    timed = {kind + suffix for kind in FILES}
    for path in sorted(folder.rglob("*.csv")):
        *_, app, kind = [
            "",
            *str(path.relative_to(folder).with_suffix("")).replace("/", "__").split("__"),
        ]
        if kind in timed or TRAINING.fullmatch(kind):
            found.setdefault(app or folder.name, []).append(path)
    if not found:
        expected = f"a folder with APPLICATION/placements{suffix}.csv"
        problem = Problem("folder", ABSENT, expected, "give the folder of the profiles")
        raise InputError(str(folder), [problem])
    return found


class Measured(NamedTuple):
    """The data of an application's files, and the lines left out."""

    rates: list[StepRate]
    noise: GradientNoise | None
    left: list[str]


def measured(folder: Path, strict: bool, gpu: str | None = None) -> dict[str, Measured]:
    """Return what was measured of each application, on a kind of GPUs if one is given.

    Applications that were not measured on this kind are left out.

    Raises:
        InputError: With all problems of a file, or if nothing was measured.
    """
    suffix = f"-{gpu}" if gpu else ""
    found = {
        app: _measured(files, suffix, strict)
        for app, files in sorted(_files(folder, suffix).items())
        if not gpu or any(path.stem.endswith(suffix) for path in files)
    }
    if not found:
        expected = f"APPLICATION/placements{suffix}.csv for an application"
        raise InputError.of(str(folder), "file", ABSENT, expected, "correct the kind or measure it")
    return found


def _measured(files: list[Path], suffix: str, strict: bool) -> Measured:
    """Return the timed steps, and the trainings if there are any."""
    rates: list[StepRate] = []
    trainings = {}
    left: list[str] = []
    for path in files:
        kind = path.stem.rpartition("__")[2]
        if training := TRAINING.fullmatch(kind):
            trainings[int(training[1])] = lines_of(
                path, COLUMNS, noise_line, strict, left, regular=True
            )
            continue
        column = FILES[kind.removesuffix(suffix)]
        needed = (column, "local_bsz", "step_time")
        rates += lines_of(path, needed, partial(_rate, column), strict, left, regular=True)
    noise = noise_of(str(files[0].parent), trainings) if trainings else None
    least = noise.smallest if noise else 0
    if not (suffix and noise) and all(one.gpus > 1 or one.batch < least for one in rates):
        expected = "at least one step on 1 GPU, the reference of speed-ups"
        expected += f", of at least {least} examples" if least else ""
        advice = ". ".join(["measure it", *left])
        raise InputError.of(str(files[0]), "file", ABSENT, expected, advice)
    return Measured(rates, noise, left)


def lines_of(
    path: Path,
    needed: tuple[str, ...],
    read: Callable[[Record, Cells], Line | None],
    strict: bool,
    left: list[str],
    *,
    regular: bool = False,
) -> list[Line]:
    """Return the data of a file's lines, and record the lines left out.

    With `regular`, the file was found in a folder, and must be a regular one.
    """
    layout = LineLayout(needed=needed, headless=False)
    with collecting(str(path), strict=strict) as reading:
        text = read_text(path, decode=partial(decoded, reading=reading), regular=regular)
        found = list(reading.each(table(text, layout, reading), read))
    for one in reading.left_out:
        left.append(f"left out of {path.name}: {one.count:,} ({one.reason}), first {one.line}")
    return found


def remarks_on(found: dict[str, Measured], timed: bool) -> Iterator[str]:
    """Yield notes on measured, assumed and left-out data. Arrivals may be known."""
    noisy = [app for app, one in found.items() if one.noise]
    if noisy:
        apps = ", ".join(noisy)
        yield f"measured: the value of an example in a large batch, and the work, of {apps}"
    assumed = [] if timed else ["arrivals"]
    if len(noisy) < len(found):
        of = "of other applications, " if noisy else ""
        assumed.append(f"{of}that an example has the same value in all batches, and work")
    if assumed:
        yield f"assumed: {'; '.join(assumed)}"
    yield from (remark for one in found.values() for remark in one.left)


def _epochs(one: Measured, work: Decimal, stretches: int) -> Iterator[Epoch]:
    """Yield the epochs of an application, with goodput if trainings were measured."""
    if one.noise is not None:
        for hours, speeds in stretches_of(one.noise, one.rates, stretches):
            yield Epoch(work_h=hours, speedup=_speedup(speeds))
        return
    yield Epoch(work_h=work, speedup=_speedup(fastest(one.rates)))


def _rate(column: str, _: Record, cells: Cells) -> StepRate | None:
    """Return the GPUs of a measurement, the examples of its step, and those per second."""
    gpus = _gpus(cells, column)
    batch, seconds = cells.number("local_bsz"), cells.number("step_time")
    if gpus and batch and seconds:
        examples, place = Fraction(gpus * batch), cells.text("placement")
        servers = len(place.replace("0", "")) or cells.whole("num_nodes")
        sync = cells.reading.optional(cells.number, "sync_time")
        sync_s = None if sync is None else min(Fraction(sync), Fraction(seconds))
        return StepRate(gpus, examples, examples / seconds, sync_s, servers or gpus, place)
    expected = "GPUs, a batch size and a time, all above 0"
    cells.reading.reject("", Words("0, or nothing"), expected, "correct or remove the line")
    return None


def _gpus(cells: Cells, column: str) -> int:
    """Return a number of GPUs. A placement has a digit for each node."""
    if column == "placement":
        digits = cells.text(column)
        if not digits.isdecimal() or not digits.isascii():
            cells.reject(column, "digits, the GPUs of each node", "correct or remove the line")
            return 0
        return sum(map(int, digits))
    return cells.whole(column) or 0


def _speedup(rates: dict[int, Fraction]) -> SpeedTable:
    """Return the table up to its maximum, made nondecreasing."""
    top = max(rates, key=lambda gpus: (rates[gpus], -gpus))
    points: list[SpeedPoint] = []
    best = Fraction(0)
    for gpus in sorted(rates):
        if gpus <= top:
            best = max(best, rates[gpus])
            points.append(SpeedPoint(gpus=Decimal(gpus), speed=exact(float(best / rates[1]), 4)))
    return SpeedTable(points=tuple(points))


NEEDED = ("name", "time", "application")


class Submission(NamedTuple):
    """A line of a workload."""

    name: str
    second: int
    application: str


class Workload(NamedTuple):
    """The result of a workload, and notes for users."""

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
    """Return the jobs of a workload whose applications have profiles, with the profiles' work.

    By default, the budget is twice the load. GPUs are billed per second.

    Raises:
        InputError: With all problems of the file, or if no job has a profile.
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
        cells.reject("name", "a name, a time and an application", "correct or remove the line")
        return None
    return Submission(name, second, application)


def _job(one: Submission, kind: JobType) -> FleetJob:
    """Return a job with the measured work, in whole seconds."""
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
