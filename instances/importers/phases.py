"""A workload of Pollux or Sia as a `trace`, with a phase for each segment of training.

Times of steps are linear in the batch size of a GPU between measured ones. A GPU may also add up
the gradients of several batches before an exchange. Of the measured placements of a number of GPUs,
those on the fewest servers count, and of these the fastest. Batch sizes are retuned in every epoch
(`tuned`): the best of 50 between the smallest and the largest training, in equal ratios, as in
Pollux' simulator. Or a job has the batch size of the workload on all numbers of GPUs (`workload`).

Between two trainings, gradients are linear in the batch size. Without trainings, the work is
assumed, and an example has the same value in all batches.

If the servers have kinds of GPUs, as in Sia, steps were measured on each kind. A job then requests
GPUs of the first kind on which it was measured, and may run on all of them.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from functools import partial
from math import ceil
from pathlib import Path
from typing import Literal, NamedTuple

from ..draw import exact
from ..errors import ABSENT, InputError, plural, shown
from ..reading.files import validate
from ..rental.goodput import APPLICATIONS
from ..trace import Phase, RackServer, TraceInstance, TraceJob, TraceType, Width
from .clusters import in_words
from .pollux import Measured, lines_of, measured, remarks_on, work_of
from .reading import Cells, Record
from .training import GradientNoise, StepRate, fastest, segments

DIGITS = 6
"""Decimals of shares and speeds."""

TICK_S = Decimal("0.1")
"""Short, because phases end with a tick: half a tick is lost at the end of each on average."""

SIZES = 50
"""Batch sizes that are tried."""

CLOSE = 1e-8
"""By this, a batch size may miss a whole number."""

NEEDED = ("name", "time", "application")
SIZED = ("num_replicas", "batch_size")
"""Columns of a workload, the last two for `workload`."""

REMARK = "measured: times of steps, on the fewest servers for each number of GPUs"

Batches = Literal["tuned", "workload"]

Place = tuple[str | None, int]
"""A kind of GPUs, or None without kinds, and a number of GPUs."""


class Request(NamedTuple):
    """The application of a job, its number of GPUs, and its batch size, or 0 if that is tuned."""

    application: str
    gpus: int
    batch: int

    @property
    def name(self) -> str:
        """The name of its type."""
        return f"{self.application} {self.gpus}" + (f"x{self.batch}" if self.batch else "")


class Submission(NamedTuple):
    """A line of a workload."""

    name: str
    second: int
    request: Request


class Jobs(NamedTuple):
    """The result of a workload, and notes for users."""

    instance: TraceInstance
    remarks: tuple[str, ...]


def read_jobs(
    folder: Path,
    workload: Path,
    servers: str,
    *,
    name: str,
    batches: Batches = "tuned",
    stretches: int,
    restart_s: Decimal = Decimal(0),
    start_s: int = 0,
    source: str = "",
    licence: str = "",
    strict: bool = False,
) -> Jobs:
    """Return the jobs of a workload on servers such as 16x4, or 6x4:aws,2x8:dgx with kinds.

    Jobs request `num_replicas` GPUs, or if this column is missing, what users of their application
    ask for. If batch sizes are tuned, they request the next smaller number that was measured. The
    first segment of a training takes `start_s` longer.

    Raises:
        InputError: With all problems of a file, or if no job has a profile.
    """
    machines, left = in_words(servers), list[str]()
    kinds = _kinds(servers, machines)
    needed = (*NEEDED, *SIZED) if batches == "workload" else NEEDED
    read = partial(_submission, batches == "workload", max(kinds.values()))
    found = lines_of(workload, needed, read, strict, left)
    profiles = {kind: measured(folder, strict, kind) for kind in kinds}
    made = dict[Request, _Made]()
    for request in sorted({one.request for one in found}):
        table = _table(profiles, request, kinds, stretches, start_s)
        if table and (place := _requested(table[0], request)):
            made[request] = _type(request, table, place)
    known = sorted((one for one in found if one.request in made), key=lambda one: one.second)
    if not known:
        names = ", ".join(sorted({app for own in profiles.values() for app in own}))
        expected = f"jobs of {names}, on a number of GPUs that was measured"
        raise InputError.of(str(workload), "application", ABSENT, expected, "import their profiles")
    remarks = (REMARK, *remarks_on(_together(profiles.values()), timed=True))
    instance = TraceInstance(
        name=name,
        title=f"{plural(len(known), 'job')} of a workload with measured speeds",
        notes=shown("; ".join(remarks) + ".", 10_000),
        source=source,
        licence=licence,
        tick_s=TICK_S,
        servers=machines,
        jobs=tuple(_job(one, made[one.request]) for one in known),
        restart_s=restart_s,
        types=tuple(one.type for one in made.values()),
    )
    validate(instance)
    return Jobs(instance, (*remarks, *_left_out(found, made.keys()), *left))


def _together(profiles: Iterable[Mapping[str, Measured]]) -> dict[str, Measured]:
    """Return what was measured on some kind, with the lines left out for all kinds."""
    found = dict[str, Measured]()
    for own in profiles:
        for app, one in own.items():
            first = found.setdefault(app, one._replace(left=[]))
            first.left.extend(line for line in one.left if line not in first.left)
    return found


class _Made(NamedTuple):
    """The type of a request, the seconds of its jobs, and the GPUs for which they hold."""

    type: TraceType
    seconds: Decimal
    place: Place


def _kinds(servers: str, machines: Sequence[RackServer]) -> dict[str | None, int]:
    """Return the GPUs of each kind, or None and all GPUs.

    Raises:
        InputError: If only some servers have a kind.
    """
    found = Counter[str | None]()
    for one in machines:
        found[one.gpu] += one.gpus
    if len(found) > 1 and None in found:
        expected = "a kind of GPUs for every server, or for none, such as 6x4:aws,2x8:dgx"
        raise InputError.of("ringyard import", "--servers", servers, expected, "add the kinds")
    return dict(found)


def _job(one: Submission, made: _Made) -> TraceJob:
    """Return a job of the type of its request."""
    kind, gpus = made.place
    return TraceJob(
        name=one.name,
        arrival_s=Decimal(one.second),
        gpus=gpus,
        gpu=kind,
        duration_s=made.seconds,
        model=one.request.application,
        type=made.type.name,
    )


def _submission(sized: bool, total: int, _: Record, cells: Cells) -> Submission | None:
    second, gpus = cells.whole("time"), cells.whole("num_replicas")
    batch = cells.whole("batch_size") if sized else 0
    name, application = cells.text("name"), cells.text("application")
    if second is None or not name or not application or (sized and not (gpus and batch)):
        expected = f"a name, a time and an application{', GPUs and a batch size' * sized}"
        cells.reject("name", expected, "correct or remove the line")
        return None
    asks = APPLICATIONS[application].asks if application in APPLICATIONS else 1
    request = Request(application, min(total, gpus or asks), batch or 0)
    return Submission(name, second, request)


def _table(
    profiles: Mapping[str | None, Mapping[str, Measured]],
    request: Request,
    kinds: Mapping[str | None, int],
    stretches: int,
    start_s: int,
) -> list[dict[Place, float]]:
    """Return the time of each segment by GPUs. The first takes `start_s` longer."""
    table: list[dict[Place, float]] = []
    for kind, total in kinds.items():
        if one := profiles[kind].get(request.application):
            found = _seconds(one, request, stretches)
            table = table or [{} for _ in found]
            for k, (row, own) in enumerate(zip(table, found, strict=True)):
                fits = (gpus for gpus in sorted(found[0]) if gpus <= total)
                row |= {(kind, gpus): own[gpus] + (start_s if k == 0 else 0) for gpus in fits}
    return table


def _requested(places: Iterable[Place], request: Request) -> Place | None:
    """Return the GPUs that jobs request, or None if they were not measured.

    With tuned batch sizes, they are the most that were measured up to the request, or the least.
    """
    kind = next(iter(places), (None, 0))[0]
    numbers = sorted(gpus for own, gpus in places if own == kind)
    if request.batch:
        return (kind, request.gpus) if request.gpus in numbers else None
    return (kind, max((n for n in numbers if n <= request.gpus), default=numbers[0]))


def _seconds(one: Measured, request: Request, stretches: int) -> list[dict[int, float]]:
    """Return the time of each segment by number of GPUs."""
    if one.noise is None:
        best = {gpus: float(rate) for gpus, rate in fastest(one.rates).items()}
        work = float(work_of(request.application)) * 3600 * best[1]
        return [{gpus: work / rate for gpus, rate in best.items()}]
    steps = list(_steps(one.rates, one.noise, request.batch))
    return list(segments(one.noise, stretches, partial(_epoch, steps, one.noise)))


class Step(NamedTuple):
    """A step that a job may take: its GPUs, examples and seconds."""

    gpus: int
    batch: int
    seconds: float


def _steps(rates: Sequence[StepRate], noise: GradientNoise, batch: int) -> Iterator[Step]:
    """Yield the steps of a job with this batch size, or 0 for all batch sizes."""
    each_gpu = [one.batch / one.gpus for one in rates]
    least, most = float(min(each_gpu)), float(max(each_gpu))
    largest, best = max(noise.trainings), dict[tuple[int, int], float]()
    for own in _by_place(rates):
        gpus = own[0].gpus
        low = max(noise.smallest, least * gpus)
        ratio = (largest / low) ** (1 / (SIZES - 1))
        sizes = [batch] if batch else [low * ratio**k for k in range(SIZES)]
        for size in sizes if low <= largest else []:
            turns = max(1, ceil(size / gpus / most - CLOSE))
            if gpus == 1 and size > noise.smallest + CLOSE:
                turns = max(2, turns)  # One batch of one GPU does not show the noise of gradients.
            each = min(ceil(size / gpus / turns - CLOSE), largest // (gpus * turns))
            seconds = _duration(own, each, turns)
            key = gpus, gpus * turns * each
            if seconds is not None and key[1] >= noise.smallest:
                best[key] = min(seconds, best.get(key, seconds))
    return (Step(*key, seconds) for key, seconds in best.items())


def _by_place(rates: Iterable[StepRate]) -> Iterable[list[StepRate]]:
    """Return the steps on each placement on the fewest servers, smallest batches first."""
    fewest, found = dict[int, int](), dict[tuple[int, str], list[StepRate]]()
    for one in rates:
        fewest[one.gpus] = min(one.servers, fewest.get(one.gpus, one.servers))
    for one in sorted(rates, key=lambda one: one.batch):
        if one.servers == fewest[one.gpus]:
            found.setdefault((one.gpus, one.place), []).append(one)
    return found.values()


def _duration(own: Sequence[StepRate], each: int, turns: int) -> float | None:
    """Return the time of a step in which each GPU takes `turns` batches of `each` examples.

    It is None if that was not measured.
    """
    for one, other in zip(own, own[1:] or own, strict=False):
        small, large = one.batch / one.gpus, other.batch / other.gpus
        if small <= each <= large:
            part = float((each - small) / (large - small)) if large > small else 0.0
            times = [float(step.batch / step.rate) for step in (one, other)]
            seconds = times[0] + part * (times[1] - times[0])
            if turns == 1:
                return seconds
            if one.sync_s is None or other.sync_s is None:
                return None
            sync = float(one.sync_s) + part * float(other.sync_s - one.sync_s)
            return turns * seconds - (turns - 1) * sync
    return None


def _epoch(steps: Iterable[Step], noise: GradientNoise, epoch: int) -> dict[int, float]:
    """Return the time of an epoch by number of GPUs, each with its best step."""
    best, examples = dict[int, float](), noise.examples(epoch)
    worth = dict[int, float]()
    for one in steps:
        if one.batch not in worth:
            worth[one.batch] = noise.worth_between(one.batch, epoch)
        seconds = examples / (one.batch / one.seconds * worth[one.batch])
        best[one.gpus] = min(seconds, best.get(one.gpus, seconds))
    return best


def _type(request: Request, table: Sequence[Mapping[Place, float]], place: Place) -> _Made:
    """Return a type with a phase for each segment.

    A job takes its seconds on the GPUs that it requests, and shares are those of that time.
    """
    times = [own[place] for own in table]
    whole, seconds = sum(times), max(TICK_S, exact(sum(times), 1))
    ends = [exact(sum(times[:k]) / whole, DIGITS) for k in range(len(times))]
    shares = [end - start for start, end in zip(ends, [*ends[1:], Decimal(1)], strict=True)]
    phases = []
    for share, own in zip(shares, table, strict=True):
        if share:
            work = float(share * seconds)
            speeds = tuple(
                Width(gpus=gpus, speed=exact(work / time, DIGITS), gpu=kind)
                for (kind, gpus), time in own.items()
            )
            phases.append(Phase(share=share, speeds=speeds))
    return _Made(TraceType(name=request.name, phases=tuple(phases)), seconds, place)


def _left_out(found: Iterable[Submission], made: Iterable[Request]) -> Iterator[str]:
    """Yield notes on jobs without a profile."""
    known = set(made)
    lost = Counter(one.request for one in found if one.request not in known)
    for request, count in sorted(lost.items()):
        yield f"left out: {plural(count, 'job')} of {request.name}, which has no profile"
