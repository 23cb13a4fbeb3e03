"""Profiles measured for Pollux: steps timed on many numbers of GPUs, as a `rental` instance.

A folder holds, for each application, a placements.csv (its first column such as 12: one GPU of one
node and two of another) and perhaps a scalability.csv, both with batch size on a GPU and the time
of a step. The speed-up on k GPUs is the most examples in a second measured on k, over the most on
one, whatever the placement and the batch size. That an example is worth the same in a large batch
as in a small one is assumed; so are the rates and the work, which were not measured.
"""

from decimal import Decimal
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import NamedTuple

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
from .reading import Record, collecting

FILES = {"placements": "placement", "scalability": "num_replicas"}
"""What files are called, and the column that tells the number of GPUs."""

STRANGER = (10, Decimal(1))
"""Share of the jobs, and hours of work, of applications that are none of the six."""

REMARKS = (
    "measured: examples in a second, the most over placements and batch sizes",
    "speed never falls with more GPUs, for a job may leave some unused",
    "assumed: an example is worth the same in large batches; arrivals and work",
)


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
    source: str = "",
    licence: str = "",
    strict: bool = False,
) -> Profiles:
    """Read measured profiles; the budget, if not given, is twice the load.

    A faulty line is left out and reported, unless the reading is strict.

    Raises:
        InputError: With all faults of a file, or of what was asked.
    """
    with collecting("ringyard import") as faults:
        faults.value(shape_of(Positive), jobs_per_h, "--jobs-per-h")
        if budget_gpus is not None:
            faults.value(shape_of(Positive), budget_gpus, "--budget-gpus")
    found = {app: _rates(files, strict) for app, files in sorted(_files(folder).items())}
    rates = {app: best for app, (best, _) in found.items()}
    remarks = (*REMARKS, *(told for _, left in found.values() for told in left))
    mixes = [_mix(app) for app in rates]
    shares = sum(share for share, _ in mixes)
    types = tuple(
        JobType(
            name=app,
            rate_per_h=exact(float(jobs_per_h) * share / shares, 6),
            asks=APPLICATIONS[app].asks if app in APPLICATIONS else 1,
            epochs=(Epoch(work_h=work, speedup=_speedup(rates[app])),),
        )
        for app, (share, work) in zip(rates, mixes, strict=True)
    )
    load = sum((one.rate_per_h * one.epochs[0].work_h for one in types), Decimal(0))
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
        if kind in FILES:
            found.setdefault(app or folder.name, []).append(path)
    if not found:
        expected = "a folder with APPLICATION/placements.csv"
        problem = Problem("folder", ABSENT, expected, "give the folder of the profiles")
        raise InputError(str(folder), [problem])
    return found


def _rates(files: list[Path], strict: bool) -> tuple[dict[int, Fraction], list[str]]:
    """Return the most examples in a second by number of GPUs, and what is left out of the files."""
    best: dict[int, Fraction] = {}
    left: list[str] = []
    for path in files:
        column = FILES[path.stem.rpartition("__")[2]]
        layout = LineLayout(needed=(column, "local_bsz", "step_time"), headless=False)
        with collecting(str(path), strict=strict) as faults:
            text = read_text(path, decode=partial(decoded, faults=faults))
            for gpus, rate in faults.each(table(text, layout, faults), partial(_rate, column)):
                best[gpus] = max(rate, best.get(gpus, rate))
        for one in faults.left_out:
            left.append(f"left out of {path.name}: {one.count:,} ({one.reason}), first {one.line}")
    if 1 not in best:
        expected = "at least one step on 1 GPU, which speed-ups are relative to"
        advice = "; ".join(["measure it", *left])
        raise InputError.of(str(files[0]), "file", ABSENT, expected, advice)
    return best, left


def _rate(column: str, _: Record, cells: Cells) -> tuple[int, Fraction] | None:
    """Return the GPUs of a measurement, and the examples in a second."""
    gpus = _gpus(cells, column)
    batch, seconds = cells.number("local_bsz"), cells.number("step_time")
    if gpus and batch and seconds:
        return gpus, Fraction(gpus * batch) / seconds
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
