"""The experiments of PD-ORS regenerated: utility, training time, ratio, and the gain factor.

The paper's own instances are not public. Ringyard's have the known ranges of its experiments
(`instances/online/mix.py`), so its curves are compared in shape only.

The pictures of the PD-ORS experiments: utility by number of jobs, and by gain factor.
"""

from collections.abc import Iterator, Mapping
from functools import cache, partial
from statistics import fmean

from ..analysis.figures.canvas import Figure, finished
from ..analysis.figures.categories import by_name, category_figure
from ..analysis.intervals import ABOVE, mean_share
from ..analysis.rows import BOUND
from ..analysis.tables import Table
from ..campaigns.reproductions import Answers, Known, Results, Run, Settings
from ..instances import OnlineInstance
from ..instances.generate import generate
from .study import Compared, RunsByName, answered, compared, flat, seeded, sound, table_of


def draw_utility(crowds: Mapping[int, Compared]) -> Figure:
    """Draw the methods' utility by number of jobs."""
    names = next(iter(crowds.values())).rows
    shares = {name: [mean_share(one.over_bound(name)) for one in crowds.values()] for name in names}
    about, up = "Utility / certified bound, by method", "utility / certified bound"
    figure, [axes] = category_figure(about, ("jobs", map(str, crowds), up))
    by_name(axes, shares, "line")
    return finished(figure)


def draw_gain(gains: Mapping[str, Compared]) -> Figure:
    """Draw the utility by gain factor."""
    factors, across = next(iter(gains.values())).rows, "gain factor before rounding"
    about = "Utility of PD-ORS by gain factor"
    figure, [axes] = category_figure(about, (across, factors, "utility"))
    by_name(axes, {name: map(one.mean, one.rows) for name, one in gains.items()}, "line")
    return finished(figure)


METHODS = {
    "PD-ORS": "pd-ors",
    "PD-ORS corrected": "pd-ors-corrected",
    "OASiS": "oasis",
    "FIFO": "fifo",
    "DRF": "drf",
    "Dorm": "dorm",
    "our best": "order-search",
}
"""Policies, and the methods that represent them here. The last knows all jobs in advance."""

SEARCH = "order-search"
"""The one that works until the time is up."""

CROWDS = (25, 50, 100, 200)
"""Numbers of jobs on 100 machines over 20 slots."""

GAINS = ("0.25", "0.5", "0.75", "1", "1.25", "1.5", "2")
"""Gain factors before rounding."""

REPAIRS = {"none": "thrown away", "greedy": "repaired"}
"""The treatment of plans that do not fit, in words."""

OPTIMUM = "offline"
"""The method that solves small instances with all jobs known in advance."""

TUNED = 50
"""The number of jobs for which gains are compared."""

SMALL = {"jobs": 6, "machines": 3, "slots": 6}


def runs(settings: Settings, _: Known | None = None) -> Iterator[Run]:
    """Yield every run that the report needs, the quick ones first."""
    crowds = settings.some(CROWDS)
    yield from flat(_runs(jobs, METHODS, settings) for jobs in crowds)
    yield from flat(_runs(TUNED, _tuned(repair, settings), settings) for repair in REPAIRS)
    yield from flat([_small_runs(settings)])
    for jobs in sorted({*crowds, TUNED}):
        yield from _bounds(jobs, settings)


def report(settings: Settings, answers: Answers) -> Results:
    """Make tables, charts and sentences of the rows."""
    answers = sound(answers)
    crowds = {jobs: _compared(jobs, METHODS, settings, answers) for jobs in settings.some(CROWDS)}
    gains = {
        words: _compared(TUNED, _tuned(repair, settings), settings, answers)
        for repair, words in REPAIRS.items()
    }
    small = answered(_small_runs(settings), answers)
    return Results(
        tables={
            "utility": _utility_table(crowds, settings),
            "gain": _gain_table(gains, settings),
            "ratio": _ratio_table(small, settings),
        },
        charts={"utility": partial(draw_utility, crowds), "gain": partial(draw_gain, gains)},
        statements=tuple(_statements(crowds, gains, small)),
    )


@cache
def drawn(jobs: int, seed: int) -> OnlineInstance:
    """Return the instance of a seed with so many jobs."""
    found: OnlineInstance = generate("pdors", seed=seed, jobs=jobs, name=f"pdors-{jobs}-s{seed}")
    return found


def _runs(jobs: int, methods: Mapping[str, str], settings: Settings) -> RunsByName:
    limits = {SEARCH: settings.time_limit}
    return seeded(methods, partial(drawn, jobs), range(settings.seeds), limits)


def _bounds(jobs: int, settings: Settings) -> list[Run]:
    limit, some = settings.time_limit, (drawn(jobs, seed) for seed in range(settings.seeds))
    return [Run(instance=one, method=BOUND, time_limit=limit) for one in some]


@cache
def _small(seed: int) -> OnlineInstance:
    made: OnlineInstance = generate("pdors-small", seed=seed, name=f"small-s{seed}", **SMALL)
    return made


def _small_runs(settings: Settings) -> RunsByName:
    """Return the runs of methods, and of the optimum, on small instances."""
    limits = dict.fromkeys((OPTIMUM, SEARCH), settings.time_limit)
    return seeded({**METHODS, OPTIMUM: OPTIMUM}, _small, range(settings.seeds), limits)


def _tuned(repair: str, settings: Settings) -> dict[str, str]:
    """Return the methods with a repair, by their gains, as their names are written in short."""
    more = ":repair=none" if repair == "none" else ""
    return {
        gain: f"pd-ors{'' if gain == '1' else f':gain={gain}'}{more}"
        for gain in settings.some(GAINS)
    }


def _compared(
    jobs: int, methods: Mapping[str, str], settings: Settings, answers: Answers
) -> Compared:
    runs, bounds = _runs(jobs, methods, settings), _bounds(jobs, settings)
    return compared(runs, answers, bounds, maximize=True)


def _ratios(small: Compared, name: str) -> list[float]:
    """Return optimum over utility, of the instances on which a method is worth anything."""
    pairs = zip(small.values(OPTIMUM), small.values(name), strict=True)
    return [best / value for best, value in pairs if value > 0]


def _utility_table(crowds: Mapping[int, Compared], settings: Settings) -> Table:
    return table_of(
        "Total utility, its part of the certified bound, and median training time "
        "(experiments of PD-ORS, regenerated)",
        {"jobs": 0, "method": None, "utility": 1, "utility / bound": 2, "median slots": 1},
        (
            (float(jobs), name, one.mean(name), mean_share(one.over_bound(name)), _slots(one, name))
            for jobs, one in crowds.items()
            for name in one.rows
        ),
        f"Means over {settings.seeds} seeds, with 95 % intervals ({ABOVE} 0, of shares on that of "
        "their mean's odds). 100 machines, 20 slots. Bounds by prices, "
        f"{settings.time_limit:g} s per instance. Ringyard's best by {SEARCH}, which knows "
        "all jobs in advance, in the same time.",
        shared=1,
    )


def _slots(one: Compared, name: str) -> float | None:
    """Return the mean of the median training times, where any job completed."""
    times = [float(row["median_slots"]) for row in one.rows[name] if row["median_slots"]]
    return fmean(times) if times else None


def _gain_table(gains: Mapping[str, Compared], settings: Settings) -> Table:
    return table_of(
        "PD-ORS by gain factor: total utility with plans that do not fit thrown away, "
        "as printed, or repaired",
        {"gain": None, **dict.fromkeys(gains, 1)},
        ((gain, *(one.mean(gain) for one in gains.values())) for gain in settings.some(GAINS)),
        f"Means over {settings.seeds} seeds of {TUNED} jobs on 100 machines.",
    )


def _ratio_table(small: Compared, settings: Settings) -> Table:
    optima = small.values(OPTIMUM)

    def cells(name: str) -> tuple[str, float, float | None, float | None]:
        ratios = _ratios(small, name)
        nothing = sum(
            value == 0 < best for best, value in zip(optima, small.values(name), strict=True)
        )
        mean = fmean(ratios) if ratios else None
        return name, float(nothing), mean, max(ratios, default=None)

    proved = sum(row["status"] == "optimal" for row in small.rows[OPTIMUM])
    return table_of(
        "Competitive ratio on small instances: offline optimum / utility",
        {"method": None, "worth nothing": 0, "mean ratio": 2, "largest ratio": 2},
        map(cells, METHODS),
        f"{settings.seeds} instances of {SMALL['jobs']} jobs on {SMALL['machines']} machines "
        f"over {SMALL['slots']} slots. The optimum comes from a complete search by the solver "
        f"on {proved} of them, otherwise it is the best schedule found. Instances on which a "
        "method has value 0 are listed and left out of its ratios.",
    )


def _statements(
    crowds: Mapping[int, Compared], gains: Mapping[str, Compared], small: Compared
) -> Iterator[str]:
    for jobs, one in crowds.items():
        means = {name: one.mean(name).mean for name in one.rows}
        ranked = sorted(means, key=means.__getitem__, reverse=True)
        yield f"{jobs} jobs, mean utility: {', '.join(f'{n} {means[n]:.0f}' for n in ranked)}"
    for words, one in gains.items():
        means = {gain: one.mean(gain).mean for gain in one.rows}
        best = max(means, key=means.__getitem__)
        yield f"plans that do not fit {words}: best gain {best}, utility {means[best]:.0f}"
    for name in METHODS:
        ratios = _ratios(small, name)
        if ratios:
            yield f"{name}: offline optimum over utility at most {max(ratios):.2f} where above 0"
