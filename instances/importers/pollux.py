"""Profiles measured for Pollux: steps timed on many numbers of GPUs, as a `rental` instance.

A folder holds, for each application, a placements.csv (its first column such as 12: one GPU of one
node and two of another) and perhaps a scalability.csv, both with batch size on a GPU and the time
of a step. The speed-up on k GPUs is the most examples in a second measured on k, over the most on
one, whatever the placement and the batch size. Where there are trainings, validation-BATCH.csv, it
is the most goodput, which counts an example of a large batch for less (`pollux_noise.py`), in one
stretch of the training after another, whose work is measured, too. Elsewhere it is assumed that an
example is worth the same in all batches; so is the work. The rates are assumed everywhere.
"""

import re
from collections.abc import Callable, Iterator
from decimal import Decimal
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import NamedTuple, TypeVar

from ..draw import exact
from ..errors import ABSENT, InputError, Problem, Words, shown
from ..reading.files import validate
from ..reading.parse import read_text
from ..reading.shape import shape_of
from ..reading.vocabulary import Positive
from ..rental.goodput import APPLICATIONS
from ..rental.instance import Epoch, JobType, RentalInstance
from ..speedup import SpeedPoint, SpeedTable
from .cells import Cells
from .lines import LineLayout, decoded, table
from .pollux_noise import COLUMNS, GradientNoise, StepRate, noise_line, noise_of, stretches_of
from .reading import Record, collecting

FILES = {"placements": "placement", "scalability": "num_replicas"}
"""What files are called, and the column that tells the number of GPUs."""

STRANGER = (10, Decimal(1))
"""Share of the jobs, and hours of work, of applications that are none of the six."""

TRAINING = re.compile(r"validation-([1-9]\d{0,8})")
"""What files of trainings are called, with the batch size."""

STRETCHES = 4
"""Epochs of types whose trainings were measured."""

REMARKS = (
    "measured: examples in a second, the most over placements and batch sizes",
    "speed never falls with more GPUs, for a job may leave some unused",
)

Line = TypeVar("Line")


class Profiles(NamedTuple):
    """What is made of measured profiles, and what users have to know of it."""

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
    """Read measured profiles; the budget, if not given, is twice the load.

    Where trainings were measured, a job has so many epochs, if its training has. If it is timed,
    somebody knows when jobs come, and that is not said to be assumed.
    A faulty line is left out and reported, unless the reading is strict.

    Raises:
        InputError: With all faults of a file, or of what was asked.
    """
    with collecting("ringyard import") as faults:
        faults.value(shape_of(Positive), jobs_per_h, "--jobs-per-h")
        if budget_gpus is not None:
            faults.value(shape_of(Positive), budget_gpus, "--budget-gpus")
    found = {app: _measured(files, strict) for app, files in sorted(_files(folder).items())}
    remarks = tuple(_remarks(found, timed))
    shares = sum(_mix(app)[0] for app in found)
    types = tuple(
        JobType(
            name=app,
            rate_per_h=exact(float(jobs_per_h) * _mix(app)[0] / shares, 6),
            asks=APPLICATIONS[app].asks if app in APPLICATIONS else 1,
            epochs=tuple(_epochs(one, _mix(app)[1], stretches)),
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


def _files(folder: Path) -> dict[str, list[Path]]:
    """Return the files of each application: APP/placements.csv, or such a name with __ for /."""
    found: dict[str, list[Path]] = {}
    for path in sorted(folder.rglob("*.csv")):
        *_, app, kind = [
            "",
            *str(path.relative_to(folder).with_suffix("")).replace("/", "__").split("__"),
        ]
        if kind in FILES or TRAINING.fullmatch(kind):
            found.setdefault(app or folder.name, []).append(path)
    if not found:
        expected = "a folder with APPLICATION/placements.csv"
        problem = Problem("folder", ABSENT, expected, "give the folder of the profiles")
        raise InputError(str(folder), [problem])
    return found


class _Measured(NamedTuple):
    """What files say of an application, and what is left out of them."""

    rates: list[StepRate]
    noise: GradientNoise | None
    left: list[str]


def _measured(files: list[Path], strict: bool) -> _Measured:
    """Return the steps that were timed, and the trainings if there are any."""
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
        column = FILES[kind]
        needed = (column, "local_bsz", "step_time")
        rates += lines_of(path, needed, partial(_rate, column), strict, left, regular=True)
    noise = noise_of(str(files[0].parent), trainings) if trainings else None
    least = noise.smallest if noise else 0
    if all(one.gpus > 1 or one.batch < least for one in rates):
        expected = "at least one step on 1 GPU, which speed-ups are relative to"
        expected += f", of {least} examples or more" if least else ""
        advice = "; ".join(["measure it", *left])
        raise InputError.of(str(files[0]), "file", ABSENT, expected, advice)
    return _Measured(rates, noise, left)


def lines_of(
    path: Path,
    needed: tuple[str, ...],
    read: Callable[[Record, Cells], Line | None],
    strict: bool,
    left: list[str],
    *,
    regular: bool = False,
) -> list[Line]:
    """Return what the lines of a file say; add what is left out of it.

    With `regular`, the file was found in a folder, and must be a regular one.
    """
    layout = LineLayout(needed=needed, headless=False)
    with collecting(str(path), strict=strict) as faults:
        text = read_text(path, decode=partial(decoded, faults=faults), regular=regular)
        found = list(faults.each(table(text, layout, faults), read))
    for one in faults.left_out:
        left.append(f"left out of {path.name}: {one.count:,} ({one.reason}), first {one.line}")
    return found


def _remarks(found: dict[str, _Measured], timed: bool) -> Iterator[str]:
    """Yield what is measured, what is assumed, and what is left out; arrivals may be known."""
    yield from REMARKS
    noisy = [app for app, one in found.items() if one.noise]
    if noisy:
        apps = ", ".join(noisy)
        yield f"measured: what an example is worth in a large batch, and the work, of {apps}"
    assumed = [] if timed else ["arrivals"]
    if len(noisy) < len(found):
        of = "of the others, " if noisy else ""
        assumed.append(f"{of}that an example is worth the same in all batches; work")
    if assumed:
        yield f"assumed: {'; '.join(assumed)}"
    yield from (told for one in found.values() for told in one.left)


def _epochs(one: _Measured, work: Decimal, stretches: int) -> Iterator[Epoch]:
    """Yield the epochs of an application, with goodput if trainings were measured."""
    if one.noise is not None:
        for hours, speeds in stretches_of(one.noise, one.rates, stretches):
            yield Epoch(work_h=hours, speedup=_speedup(speeds))
        return
    best: dict[int, Fraction] = {}
    for step in one.rates:
        best[step.gpus] = max(step.rate, best.get(step.gpus, step.rate))
    yield Epoch(work_h=work, speedup=_speedup(best))


def _rate(column: str, _: Record, cells: Cells) -> StepRate | None:
    """Return the GPUs of a measurement, the examples of its step, and those in a second."""
    gpus = _gpus(cells, column)
    batch, seconds = cells.number("local_bsz"), cells.number("step_time")
    if gpus and batch and seconds:
        return StepRate(gpus, Fraction(gpus * batch), Fraction(gpus * batch) / seconds)
    expected = "GPUs, a batch size and a time, all above 0"
    cells.faults.fault("", Words("0, or nothing"), expected, "correct or remove the line")
    return None


def _gpus(cells: Cells, column: str) -> int:
    """Return a number of GPUs; a placement has a digit for each node."""
    if column == "placement":
        digits = cells.text(column)
        if not digits.isdecimal() or not digits.isascii():
            cells.fault(column, "digits, the GPUs of each node", "correct or remove the line")
            return 0
        return sum(map(int, digits))
    return cells.whole(column) or 0


def _speedup(rates: dict[int, Fraction]) -> SpeedTable:
    """Return the table up to where it is highest, made level where it falls before."""
    top = max(rates, key=lambda gpus: (rates[gpus], -gpus))
    points: list[SpeedPoint] = []
    best = Fraction(0)
    for gpus in sorted(rates):
        if gpus <= top:
            best = max(best, rates[gpus])
            points.append(SpeedPoint(gpus=Decimal(gpus), speed=exact(float(best / rates[1]), 4)))
    return SpeedTable(points=tuple(points))
