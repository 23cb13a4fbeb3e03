"""A workload whose applications were measured on several kinds of GPUs, as for Sia: a `trace`.

A folder holds for each application a placements-KIND.csv of each kind of GPU and optionally a
scalability-KIND.csv, with the columns of Pollux' measurements, and trainings validation-BATCH.csv.
A number of GPUs of a kind counts as measured on the fewest servers.

Goodput is Pollux': examples per second times the value of an example, which falls with the batch
size b. With the squared norm s of gradients and their variance v, linear between the batch sizes of
trainings, and the smallest batch m, it is (v + s) / (v + s b / m). A step may add up the gradients
of several passes before they are exchanged. The batch size of every epoch is the best one on the
GPUs. A single GPU makes at least two passes for a batch above the smallest one, as in Pollux.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from ..draw import exact
from ..errors import ABSENT, InputError, Words, plural
from ..reading.files import validate
from ..trace import Phase, RackServer, TraceInstance, TraceJob, TraceType, Width
from .clusters import in_words
from .pollux import COLUMNS, TRAINING, lines_of
from .reading import Cells, Record

DIGITS = 6
"""Decimals of shares and speeds."""

MEASURED = "measured: goodput on the fewest servers, with the best batch size in every epoch"
"""A note for users."""

NEEDED = ("name", "time", "application", "num_replicas")
"""Columns of a workload."""

MOST_PASSES = 1000
"""Most passes of a step."""

Place = tuple[str, int]
"""A kind and a number of GPUs."""


class Step(NamedTuple):
    """A measured step: its GPUs and servers, the batch of each GPU, and seconds."""

    gpus: int
    servers: int
    batch: int
    whole_s: float
    exchange_s: float


class Gradients(NamedTuple):
    """An epoch of a training: progress in smallest steps, norm and variance of gradients."""

    progress: float
    square: float
    variance: float


class Submitted(NamedTuple):
    """A line of a workload."""

    name: str
    second: int
    application: str
    gpus: int


class KindsTrace(NamedTuple):
    """The result of a workload, and notes for users."""

    instance: TraceInstance
    remarks: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Application:
    """The seconds of each epoch of an application on the GPUs where it was measured."""

    seconds: Mapping[Place, Sequence[float]]

    def requested(self, gpus: int, kinds: Iterable[str]) -> Place:
        """Return the most measured GPUs of the first kind, at most those requested if there are."""
        order = {kind: k for k, kind in enumerate(kinds)}

        def rank(place: Place) -> tuple[bool, int, int]:
            kind, own = place
            return own > gpus, abs(own - gpus), order[kind]

        return min(self.seconds, key=rank)


def has_kinds(words: str) -> bool:
    """Return True if a text such as 6x4:aws,2x8:dgx names kinds of GPUs."""
    return any(server.gpu for server in in_words(words))


def read_kinds_workload(
    folder: Path,
    path: Path,
    words: str,
    *,
    name: str,
    stretches: int,
    restart_s: Decimal = Decimal(0),
    source: str = "",
    licence: str = "",
    strict: bool = False,
) -> KindsTrace:
    """Return the jobs of a workload on servers such as 6x4:aws,2x8:dgx. Ticks are seconds.

    A job has a type for its application and requested GPUs, with at most `stretches` phases. Its
    duration is the time on these GPUs, of the first kind on which they were measured.

    Raises:
        InputError: With all problems of a file, if a server has no kind, or no job was measured.
    """
    servers, left = _in_kinds(words), list[str]()
    kinds = dict(Counter(k for server in servers for k in [server.gpu or ""] * server.gpus))
    found = lines_of(path, NEEDED, _submitted, strict, left)
    apps = {
        app: one
        for app in sorted({job.application for job in found})
        if (one := _application(folder / app, kinds, strict, left))
    }
    measured = [job for job in found if job.application in apps]
    if not measured:
        expected = f"an application with measurements on {' or '.join(kinds)} in {folder}"
        advice = "give the folder with APPLICATION/placements-KIND.csv and validation-BATCH.csv"
        raise InputError.of(str(path), "application", ABSENT, expected, advice)
    jobs, types = _with_types(measured, apps, list(kinds), stretches)
    made = TraceInstance(
        name=name,
        title=f"{plural(len(jobs), 'job')} with goodput measured on {', '.join(kinds)}",
        source=source,
        licence=licence,
        servers=servers,
        jobs=jobs,
        restart_s=restart_s,
        types=types,
    )
    validate(made)
    return KindsTrace(made, (MEASURED, *left, *_missing(found, apps)))


def _in_kinds(words: str) -> tuple[RackServer, ...]:
    """Return the servers of a text.

    Raises:
        InputError: If a server has no kind of GPUs.
    """
    servers = in_words(words)
    if not all(server.gpu for server in servers):
        expected = "a kind of GPUs for every server, or for none, such as 6x4:aws,2x8:dgx"
        raise InputError.of("ringyard import", "--servers", words, expected, "add the kinds")
    return servers


def _with_types(
    measured: Iterable[Submitted],
    apps: Mapping[str, Application],
    kinds: Sequence[str],
    stretches: int,
) -> tuple[tuple[TraceJob, ...], tuple[TraceType, ...]]:
    """Return jobs in order of arrival, and their types."""
    types, jobs = dict[tuple[str, Place], tuple[TraceType, Decimal]](), list[TraceJob]()
    for one in sorted(measured, key=lambda one: one.second):
        app = apps[one.application]
        kind, gpus = place = app.requested(one.gpus, kinds)
        key = one.application, place
        if key not in types:
            types[key] = _type(f"{one.application}-{gpus}-{kind}", app, place, stretches)
        jobs.append(
            TraceJob(
                name=one.name,
                arrival_s=Decimal(one.second),
                gpus=gpus,
                gpu=kind,
                duration_s=types[key][1],
                model=one.application,
                type=types[key][0].name,
            )
        )
    return tuple(jobs), tuple(one for _, (one, _) in sorted(types.items()))


def _type(name: str, app: Application, place: Place, most: int) -> tuple[TraceType, Decimal]:
    """Return a type with at most the given number of phases, and its seconds on a place.

    Speeds are relative to this place. Phases have equally many epochs, up to one.
    """
    epochs = len(app.seconds[place])
    count = min(most, epochs)
    cuts = [k * epochs // count for k in range(count + 1)]
    whole, phases, before = sum(app.seconds[place]), list[Phase](), Decimal(0)
    for start, end in pairwise(cuts):
        own = sum(app.seconds[place][start:end])
        until = exact(sum(app.seconds[place][:end]) / whole, DIGITS) if end < epochs else Decimal(1)
        speeds = tuple(
            Width(gpus=gpus, speed=exact(own / sum(seconds[start:end]), DIGITS), gpu=kind)
            for (kind, gpus), seconds in sorted(app.seconds.items())
        )
        if until > before:
            phases.append(Phase(share=until - before, speeds=speeds))
        before = until
    return TraceType(name=name, phases=tuple(phases)), Decimal(max(1, round(whole)))


def _application(
    folder: Path, kinds: Mapping[str, int], strict: bool, left: list[str]
) -> Application | None:
    """Return the seconds of an application by kind and GPUs, or None without measurements."""
    trainings = _trainings(folder, strict, left)
    if not trainings:
        return None
    epochs = min(map(len, trainings.values()))
    worth = _Worth(trainings)
    seconds = dict[Place, Sequence[float]]()
    for kind, total in kinds.items():
        steps = list[Step]()
        for file, column in (("placements", "placement"), ("scalability", "num_replicas")):
            path = folder / f"{file}-{kind}.csv"
            if path.is_file():
                needed = (column, "local_bsz", "step_time", "sync_time")
                read = partial(_step, column)
                steps += lines_of(path, needed, read, strict, left, regular=True)
        for gpus in sorted({step.gpus for step in steps if step.gpus <= total}):
            own = _batches([step for step in steps if step.gpus == gpus], worth)
            if own:
                seconds[kind, gpus] = [worth.seconds(own, epoch) for epoch in range(epochs)]
    return Application(seconds=seconds) if seconds else None


def _batches(steps: Sequence[Step], worth: "_Worth") -> dict[int, float]:
    """Return the seconds of a step by batch size, on the fewest servers of these steps.

    Further passes are made if a batch does not fit, with the larger batch sizes of a GPU.
    """
    servers = min(step.servers for step in steps)
    here = [step for step in steps if step.servers == servers]
    largest = max(step.batch for step in here)
    found = dict[int, float]()
    for step in here:
        each, further_s = step.gpus * step.batch, step.whole_s - step.exchange_s
        for passes in range(1, min(MOST_PASSES, worth.largest // each) + 1):
            batch = passes * each
            alone = step.gpus == 1 and batch > worth.smallest
            needed = alone or 2 * step.batch > largest
            if batch >= worth.smallest and (needed if passes > 1 else not alone):
                took = step.whole_s + (passes - 1) * further_s
                found[batch] = min(took, found.get(batch, took))
    return found


class _Worth:
    """The value of examples by batch size and epoch."""

    def __init__(self, trainings: Mapping[int, Sequence[Gradients]]) -> None:
        self._trainings, self._known = trainings, dict[tuple[int, int], float]()
        self._sizes = sorted(trainings)
        self.smallest, self.largest = self._sizes[0], self._sizes[-1]

    def seconds(self, steps: Mapping[int, float], epoch: int) -> float:
        """Return the time of an epoch with its best batch size."""
        goodput = max(batch * self.of(batch, epoch) / took for batch, took in steps.items())
        return self.examples(epoch) / goodput

    def examples(self, epoch: int) -> float:
        """Return the work of an epoch, in examples of full value."""
        lines = self._trainings.values()
        ends = [min(own[k].progress for own in lines) for k in (epoch - 1, epoch) if k >= 0]
        return self.smallest * (ends[-1] - (ends[0] if epoch else 0.0))

    def of(self, batch: int, epoch: int) -> float:
        """Return the value of an example, 1 in a batch of the smallest size."""
        if (batch, epoch) not in self._known:
            above = bisect_left(self._sizes, batch)
            high = self._sizes[above]
            low = high if batch == high else self._sizes[above - 1]
            part = (batch - low) / (high - low) if high > low else 0.0
            a, b = self._trainings[low][epoch], self._trainings[high][epoch]
            square = a.square + part * (b.square - a.square)
            variance = a.variance + part * (b.variance - a.variance)
            full = variance + square * batch / self.smallest
            self._known[batch, epoch] = (variance + square) / full if full > 0 else 1.0
        return self._known[batch, epoch]


def _trainings(folder: Path, strict: bool, left: list[str]) -> dict[int, Sequence[Gradients]]:
    """Return the trainings in a folder by batch size.

    Raises:
        InputError: If an epoch makes no progress in some training.
    """
    found = dict[int, Sequence[Gradients]]()
    for path in sorted(folder.glob("validation-*.csv")):
        if size := TRAINING.fullmatch(path.stem):
            lines = lines_of(path, COLUMNS, _gradients, strict, left, regular=True)
            steps = [0.0, *(line.progress for line in lines)]
            if len(steps) == 1 or any(b <= a for a, b in pairwise(steps)):
                expected, advice = "progress that rises from line to line", "correct the lines"
                raise InputError.of(str(path), "progress", Words(f"{steps[1:4]}"), expected, advice)
            found[int(size[1])] = lines
    return found


def _gradients(_: Record, cells: Cells) -> Gradients | None:
    """Return the epoch in a line of a training."""
    values = [cells.number(column) for column in COLUMNS]
    if any(value is None for value in values):
        return None
    return Gradients(*(float(value or 0) for value in values))


def _step(column: str, _: Record, cells: Cells) -> Step | None:
    """Return the measurement in a line. A placement has a digit for each server."""
    batch = cells.number("local_bsz")
    whole, exchange = cells.number("step_time"), cells.number("sync_time")
    if column == "placement":
        text = cells.text(column)
        digits = text.replace("0", "") if text.isdecimal() and text.isascii() else ""
        gpus, servers = sum(map(int, digits)), len(digits)
    else:
        gpus, servers = cells.whole(column) or 0, cells.whole("num_nodes") or 1
    if not (gpus and batch and batch >= 1 and whole) or exchange is None or exchange >= whole:
        expected = "GPUs, a batch size and a time, all above 0, and less time for the exchange"
        cells.reject(column, expected, "correct or remove the line")
        return None
    return Step(gpus, servers, int(batch), float(whole), float(exchange))


def _submitted(_: Record, cells: Cells) -> Submitted | None:
    """Return the job in a line of a workload."""
    second, gpus = cells.whole("time"), cells.whole("num_replicas")
    name, application = cells.text("name"), cells.text("application")
    if second is None or not gpus or not name or not application:
        expected = "a name, a time, an application and GPUs"
        cells.reject("name", expected, "correct or remove the line")
        return None
    return Submitted(name, second, application, gpus)


def _missing(found: Iterable[Submitted], apps: Mapping[str, Application]) -> Iterator[str]:
    """Yield notes on jobs without measurements."""
    for name, count in sorted(Counter(job.application for job in found).items()):
        if name not in apps:
            yield f"left out: {plural(count, 'job')} of {name}, which was not measured"
