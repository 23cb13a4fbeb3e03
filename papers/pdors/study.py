"""The experiments of PD-ORS regenerated: utility, training time, ratio, and the gain factor.

The paper's own instances are not public; ours have the ranges of its experiments as far as they
are known (`instances/online/mix.py`), so its curves are compared in shape only.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import product
from statistics import fmean

from ...analysis.intervals import Interval, student
from ...analysis.tables import Column, Table
from ...campaigns.runs import BOUND, Run
from ...instances import OnlineInstance
from ...instances.generate import generate
from ..study import Answers, Known, Report, Settings, certified, sound
from .charts import draw

METHODS = {
    "PD-ORS": "pd-ors",
    "PD-ORS corrected": "pd-ors-corrected",
    "OASiS": "oasis",
    "FIFO": "fifo",
    "DRF": "drf",
    "Dorm": "dorm",
    "our best": "order-search",
}
"""What is compared, and the methods that stand for it here; the last knows all jobs beforehand."""

SEARCH = "order-search"
"""The one that works until the time is up."""

CROWDS = (25, 50, 100, 200)
"""Numbers of jobs on 100 machines over 20 slots."""

GAINS = ("0.25", "0.5", "0.75", "1", "1.25", "1.5", "2")
"""Gain factors before rounding; plans that do not fit are thrown away, or repaired."""

OPTIMUM = "offline"
"""The method that solves small instances with all jobs known beforehand."""

TUNED = 50
"""The number of jobs for which gains are compared."""

SMALL = {"jobs": 6, "machines": 3, "slots": 6}


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What one method, or setting, made of a set of instances, seed by seed."""

    name: str
    utilities: tuple[float, ...]
    slots: tuple[float, ...]
    """Median training times, of the instances of which any job completed."""
    bounds: tuple[float, ...]

    @property
    def utility(self) -> Interval:
        """The total utility."""
        return student(self.utilities)

    @property
    def share(self) -> Interval:
        """The total utility over the certified bound."""
        return student([u / b for u, b in zip(self.utilities, self.bounds, strict=True)])


def runs(settings: Settings, _: Known | None = None) -> Iterator[Run]:
    """Yield every run that the report asks for, the quick ones first."""
    crowds, gains = settings.some(CROWDS), settings.some(GAINS)
    for jobs, seed in product(crowds, range(settings.seeds)):
        for method in METHODS.values():
            yield _run(jobs, seed, method, settings)
    for gain, repair, seed in product(gains, ("none", "greedy"), range(settings.seeds)):
        yield _run(TUNED, seed, _tuned(gain, repair), settings)
    for seed in range(settings.seeds):
        for method in (*METHODS.values(), OPTIMUM):
            yield _small_run(seed, method, settings)
    for jobs, seed in product(sorted({*crowds, TUNED}), range(settings.seeds)):
        yield _bound(jobs, seed, settings)


def report(settings: Settings, answers: Answers) -> Report:
    """Make tables, charts and sentences of the rows."""
    factors, answers = settings.some(GAINS), sound(answers)
    crowds = {jobs: _crowd(jobs, settings, answers) for jobs in settings.some(CROWDS)}
    gains = {
        repair: [_seen(gain, TUNED, _tuned(gain, repair), settings, answers) for gain in factors]
        for repair in ("none", "greedy")
    }
    small = _small(settings, answers)
    return Report(
        tables={
            "utility": _utility_table(crowds, settings),
            "gain": _gain_table(gains, settings),
            "ratio": _ratio_table(small, settings),
        },
        charts=draw(crowds, gains, factors),
        statements=tuple(_statements(crowds, gains, small)),
    )


@cache
def _instance(jobs: int, seed: int) -> OnlineInstance:
    found: OnlineInstance = generate("pdors", seed=seed, jobs=jobs, name=f"pdors-{jobs}-s{seed}")
    return found


def _run(jobs: int, seed: int, method: str, settings: Settings) -> Run:
    limit = settings.time_limit if method == SEARCH else None
    return Run(instance=_instance(jobs, seed), method=method, seed=seed, time_limit=limit)


def _bound(jobs: int, seed: int, settings: Settings) -> Run:
    return Run(instance=_instance(jobs, seed), method=BOUND, time_limit=settings.time_limit)


def _small_run(seed: int, method: str, settings: Settings) -> Run:
    yard: OnlineInstance = generate("pdors-small", seed=seed, name=f"small-s{seed}", **SMALL)
    limit = settings.time_limit if method in (OPTIMUM, SEARCH) else None
    return Run(instance=yard, method=method, seed=seed, time_limit=limit)


def _tuned(gain: str, repair: str) -> str:
    """Return the method with a gain and a repair, as its name is written in short."""
    words = [f"gain={gain}"] if gain != "1" else []
    words += ["repair=none"] if repair == "none" else []
    return ":".join(["pd-ors", *words])


def _crowd(jobs: int, settings: Settings, answers: Answers) -> list[Seen]:
    return [_seen(name, jobs, method, settings, answers) for name, method in METHODS.items()]


def _seen(name: str, jobs: int, method: str, settings: Settings, answers: Answers) -> Seen:
    seeds = range(settings.seeds)
    rows = [answers(_run(jobs, seed, method, settings)) for seed in seeds]
    bounds = [answers(_bound(jobs, seed, settings)) for seed in seeds]
    return Seen(
        name=name,
        utilities=tuple(float(row["objective"]) for row in rows),
        slots=tuple(float(row["median_slots"]) for row in rows if row["median_slots"]),
        bounds=tuple(certified([a, b], most=True) for a, b in zip(rows, bounds, strict=True)),
    )


def _small(settings: Settings, answers: Answers) -> dict[str, list[tuple[float, float, bool]]]:
    """Return by method, for each seed, optimum and utility, and whether the first is proved."""
    found: dict[str, list[tuple[float, float, bool]]] = {name: [] for name in METHODS}
    for seed in range(settings.seeds):
        best = answers(_small_run(seed, OPTIMUM, settings))
        for name, method in METHODS.items():
            row = answers(_small_run(seed, method, settings))
            proved = best["status"] == "optimal"
            found[name].append((float(best["objective"]), float(row["objective"]), proved))
    return found


def _utility_table(crowds: dict[int, list[Seen]], settings: Settings) -> Table:
    return Table(
        caption="Total utility, its part of the certified bound, and median training time "
        "(experiments of PD-ORS, regenerated)",
        columns=(
            Column(head="jobs", digits=0),
            Column(head="method", digits=None),
            Column(head="utility", digits=1),
            Column(head="utility / bound", digits=2),
            Column(head="median slots", digits=1),
        ),
        rows=tuple(
            (float(jobs), one.name, one.utility, one.share, fmean(one.slots) if one.slots else None)
            for jobs, seen in crowds.items()
            for one in seen
        ),
        shared=1,
        notes=(
            f"Means over {settings.seeds} seeds, with 95 % intervals (Student's t). 100 machines, "
            f"20 slots. Bounds by prices, {settings.time_limit:g} s an instance; our best by "
            f"{SEARCH}, which knows all jobs beforehand, in as long.",
        ),
    )


def _gain_table(gains: dict[str, list[Seen]], settings: Settings) -> Table:
    return Table(
        caption="PD-ORS by gain factor: total utility with plans that do not fit thrown away, "
        "as printed, or repaired",
        columns=(
            Column(head="gain", digits=None),
            Column(head="thrown away", digits=1),
            Column(head="repaired", digits=1),
        ),
        rows=tuple(
            (none.name, none.utility, greedy.utility)
            for none, greedy in zip(gains["none"], gains["greedy"], strict=True)
        ),
        notes=(f"Means over {settings.seeds} seeds of {TUNED} jobs on 100 machines.",),
    )


def _ratio_table(small: dict[str, list[tuple[float, float, bool]]], settings: Settings) -> Table:
    def cells(name: str) -> tuple[str, float, float | None, float | None]:
        ratios = [best / value for best, value, _ in small[name] if value > 0]
        nothing = sum(value == 0 < best for best, value, _ in small[name])
        mean = fmean(ratios) if ratios else None
        return name, float(nothing), mean, max(ratios, default=None)

    proved = sum(proved for _, _, proved in next(iter(small.values())))
    return Table(
        caption="Competitive ratio on small instances: offline optimum over utility",
        columns=(
            Column(head="method", digits=None),
            Column(head="worth nothing", digits=0),
            Column(head="mean ratio", digits=2),
            Column(head="largest ratio", digits=2),
        ),
        rows=tuple(cells(name) for name in small),
        notes=(
            f"{settings.seeds} instances of {SMALL['jobs']} jobs on {SMALL['machines']} machines "
            f"over {SMALL['slots']} slots; the optimum is that of a complete search by the solver "
            f"on {proved} of them, else the best schedule found. Instances on which a method is "
            "worth nothing are counted and left out of its ratios.",
        ),
    )


def _statements(
    crowds: dict[int, list[Seen]],
    gains: dict[str, list[Seen]],
    small: dict[str, list[tuple[float, float, bool]]],
) -> Iterator[str]:
    for jobs, seen in crowds.items():
        ranked = sorted(seen, key=lambda one: one.utility.mean, reverse=True)
        told = ", ".join(f"{one.name} {one.utility.mean:.0f}" for one in ranked)
        yield f"{jobs} jobs, mean utility: {told}"
    for repair, words in (("none", "thrown away"), ("greedy", "repaired")):
        best = max(gains[repair], key=lambda one: one.utility.mean)
        yield (
            f"plans that do not fit {words}: best gain {best.name}, utility {best.utility.mean:.0f}"
        )
    for name, rows in small.items():
        ratios = [best / value for best, value, _ in rows if value > 0]
        if ratios:
            yield f"{name}: offline optimum over utility at most {max(ratios):.2f} where above 0"
