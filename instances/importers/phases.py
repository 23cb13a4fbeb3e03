"""A workload of Pollux as a `trace`: jobs on a cluster, with a phase for each segment of training.

Times of steps are linear in the batch size of a GPU between measured ones. A GPU may also add up
the gradients of several batches before an exchange. Of the measured placements of a number of GPUs,
those on the fewest servers count, and of these the fastest. Batch sizes are retuned in every epoch
(`tuned`): the best of 50 between the smallest and the largest training, in equal ratios, as in
Pollux' simulator. Or a job has the batch size of the workload on all numbers of GPUs (`workload`).

Between two trainings, gradients are linear in the batch size. Without trainings, the work is
assumed, and an example has the same value in all batches.
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
from ..trace import Phase, TraceInstance, TraceJob, TraceType, Width
from .clusters import in_words
from .pollux import GradientNoise, Measured, StepRate, lines_of, measured, remarks_on, work_of
from .reading import Cells, Record

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


class Request(NamedTuple):
    """What a job trains, on how many GPUs, and with which batch size, 0 for any."""

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
    """Return the jobs of a workload on servers such as 16x4.

    Jobs request `num_replicas` GPUs, or if this column is missing, what users of their application
    ask for. The first segment of a training takes `start_s` longer.

    Raises:
        InputError: With all problems of a file, or if no job has a profile.
    """
    machines, left = in_words(servers), list[str]()
    total = sum(server.gpus for server in machines)
    needed = (*NEEDED, *SIZED) if batches == "workload" else NEEDED
    read = partial(_submission, batches == "workload", total)
    found = lines_of(workload, needed, read, strict, left)
    profiles = measured(folder, strict)
    made = dict[Request, tuple[TraceType, Decimal]]()
    for request in sorted({one.request for one in found if one.request.application in profiles}):
        one = profiles[request.application]
        if table := _seconds(one, request, stretches, total, start_s):
            made[request] = _type(request, table)
    known = sorted((one for one in found if one.request in made), key=lambda one: one.second)
    if not known:
        expected = f"jobs of {', '.join(profiles)}, on a number of GPUs that was measured"
        raise InputError.of(str(workload), "application", ABSENT, expected, "import their profiles")
    remarks = (REMARK, *remarks_on(profiles, timed=True))
    instance = TraceInstance(
        name=name,
        title=f"{plural(len(known), 'job')} of a workload with measured speeds",
        notes=shown("; ".join(remarks) + ".", 10_000),
        source=source,
        licence=licence,
        tick_s=TICK_S,
        servers=machines,
        jobs=tuple(_job(one, made[one.request][1]) for one in known),
        restart_s=restart_s,
        types=tuple(one for one, _ in made.values()),
    )
    validate(instance)
    return Jobs(instance, (*remarks, *_left_out(found, made.keys()), *left))


def _job(one: Submission, duration_s: Decimal) -> TraceJob:
    """Return a job of the type of its request."""
    return TraceJob(
        name=one.name,
        arrival_s=Decimal(one.second),
        gpus=one.request.gpus,
        duration_s=duration_s,
        model=one.request.application,
        type=one.request.name,
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


def _seconds(
    one: Measured, request: Request, stretches: int, total: int, start_s: int
) -> list[dict[int, float]]:
    """Return the time of each segment by number of GPUs, or nothing if the request has none."""
    if one.noise is None:
        best = _fastest(one.rates)
        work = float(work_of(request.application)) * 3600 * best[1]
        found = [{gpus: work / rate for gpus, rate in best.items()}]
    else:
        steps = list(_steps(one.rates, one.noise, request.batch))
        epochs = len(one.noise.trainings[one.noise.smallest])
        count = min(stretches, epochs)
        found = [
            _sums(_epoch(steps, one.noise, e) for e in range(k * epochs // count, end))
            for k in range(count)
            if (end := (k + 1) * epochs // count)
        ]
    widths = sorted(gpus for gpus in found[0] if gpus <= total)
    if request.gpus not in widths:
        return []
    first = {gpus: found[0][gpus] + start_s for gpus in widths}
    return [first, *({gpus: own[gpus] for gpus in widths} for own in found[1:])]


def _fastest(rates: Iterable[StepRate]) -> dict[int, float]:
    """Return the most examples per second by number of GPUs."""
    best: dict[int, float] = {}
    for one in rates:
        best[one.gpus] = max(float(one.rate), best.get(one.gpus, 0.0))
    return best


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
    """Return the time of a step of so many batches of a size per GPU, or None if it is unknown."""
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


def _sums(epochs: Iterable[Mapping[int, float]]) -> dict[int, float]:
    """Return the times of several epochs together, on numbers of GPUs that all of them have."""
    total: dict[int, float] | None = None
    for own in epochs:
        if total is None:
            total = dict(own)
        else:
            total = {gpus: total[gpus] + own[gpus] for gpus in total.keys() & own.keys()}
    return total or {}


def _type(request: Request, table: Sequence[Mapping[int, float]]) -> tuple[TraceType, Decimal]:
    """Return a type with a phase for each segment, and the seconds of its jobs.

    A job takes these seconds on the GPUs that it requests, and shares are those of that time.
    """
    times = [own[request.gpus] for own in table]
    whole, seconds = sum(times), max(TICK_S, exact(sum(times), 1))
    ends = [exact(sum(times[:k]) / whole, DIGITS) for k in range(len(times))]
    shares = [end - start for start, end in zip(ends, [*ends[1:], Decimal(1)], strict=True)]
    phases = []
    for share, own in zip(shares, table, strict=True):
        if share:
            speeds = {g: exact(float(share * seconds) / time, DIGITS) for g, time in own.items()}
            widths = (Width(gpus=gpus, speed=speed) for gpus, speed in speeds.items())
            phases.append(Phase(share=share, speeds=tuple(widths)))
    return TraceType(name=request.name, phases=tuple(phases)), seconds


def _left_out(found: Iterable[Submission], made: Iterable[Request]) -> Iterator[str]:
    """Yield notes on jobs without a profile."""
    known = set(made)
    lost = Counter(one.request for one in found if one.request not in known)
    for request, count in sorted(lost.items()):
        yield f"left out: {plural(count, 'job')} of {request.name}, which has no profile"
