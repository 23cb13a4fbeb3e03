"""The kinds of figures of a campaign: for each a function that draws, and one that chooses rows.

`among` are all methods of the campaign, so that each keeps its look whichever are drawn.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate, groupby
from math import exp, inf, isfinite, log
from statistics import fmean
from typing import Any

from ...families import FAMILIES, family_of
from ...instances import AnySchedule, Instance
from ...instances.errors import InputError, Problem, Words
from ..check import check
from ..rows import BOUND, WHERE, Row, answered, listed, refuse_mixed, solved
from ..sources import Sources
from ..stats.cases import Common, common_set
from ..stats.comparisons import StepCurve, ratio_profiles, time_profiles
from ..stats.references import best_bounds, key_of, mark_wrong, ratio
from ..theorem_check import check_theorems
from .canvas import Figure, Point, draw, finished, guide, new_figure, whole_ticks
from .style import LOOKS, POINTS, STEPS, THIN, looks_for

INSTANT = 0.001
"""Minimum in seconds on a logarithmic time axis. Shorter times are drawn here."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Together:
    """Runs by method, all over the same cases, and a sentence that says which."""

    runs: dict[str, tuple[Row, ...]]
    common: Common
    note: str


def all_answered(rows: Iterable[Row], seedless: Collection[str]) -> Together:
    """Return the runs on the cases for which every method has a valid schedule.

    Methods in `seedless` are deterministic, and their single run is used for every seed.
    """
    common = common_set(rows, seedless=seedless, restrict=True)
    cases = list(zip(*common.runs.values(), strict=True))
    kept = [i for i, case in enumerate(cases) if all(answered(row) for row in case)]
    if not kept:
        found, expected = Words("no case"), "a case that every method answered"
        raise InputError("figure", [Problem("rows", found, expected, "choose other methods")])
    total = len(common.cases) + common.left_out
    return Together(
        runs={name: tuple(some[i] for i in kept) for name, some in common.runs.items()},
        common=common,
        note=f"over the {len(kept):,} of {total:,} cases that all methods answered",
    )


def completion_times(instance: Instance, verdict: Any) -> list[float]:
    """Return the times from release or arrival to completion for each job, inf if it never ends.

    The record of the family defines jobs and unit. The list is empty for families without
    individual completion times.
    """
    return list(family_of(instance).times(instance, verdict))


def unit_of(rows: Iterable[Row]) -> str:
    """Return the unit of completion times."""
    (family,) = {row["family"] for row in rows}
    return FAMILIES[family].unit or "slots"


def item_of(rows: Iterable[Row]) -> str:
    """Return the name of the completed item, such as a job or an update."""
    (family,) = {row["family"] for row in rows}
    return FAMILIES[family].item


def ecdf(
    times: Mapping[str, Sequence[float]],
    *,
    unit: str = "slots",
    item: str = "job",
    notes: tuple[str, ...] = (),
    among: Collection[str] = (),
) -> Figure:
    """Draw the empirical distribution function (ECDF) of each method's times.

    An infinite time is a job that never completes. It is part of the total, so the curve ends below
    1. Methods without finite times are left out.
    """
    known = {name: values for name, values in times.items() if values}
    finite = [value for values in known.values() for value in values if value != inf]
    ends = (min(finite, default=1.0), max(finite, default=1.0))
    figure, axes = new_figure(
        f"share of {item}s completed within a time, by method",
        across=f"{item} completion time ({unit})",
        up=f"share of {item}s completed",
        log="x",
    )
    looks = looks_for(known, among)
    for name, values in known.items():
        draw(axes, _shares(values, *ends), name, looks[name] | STEPS)
    axes.set_ylim(0, 1)
    return finished(figure, notes)


def _shares(values: Sequence[float], first: float, end: float) -> list[Point]:
    counts = sorted(Counter(value for value in values if value != inf).items())
    totals = accumulate(count for _, count in counts)
    steps = [(x, total / len(values)) for (x, _), total in zip(counts, totals, strict=True)]
    start = (steps[0][0] if steps else first, 0.0)
    return [start, *steps, (end, steps[-1][1] if steps else 0.0)]


def ecdf_of(
    rows: Iterable[Row],
    read: Callable[[Row], tuple[Instance, AnySchedule]],
    *,
    seedless: Collection[str] = (),
    among: Collection[str] = (),
) -> Figure:
    """Draw the completion times of all jobs of the cases that every method answered.

    `read` gives instance and schedule of a row.
    """
    scheduled_rows = [row for row in rows if row["schedule"]]
    together = all_answered(scheduled_rows, seedless)
    times: dict[str, list[float]] = {}
    for name, runs in together.runs.items():
        answers = [read(row) for row in runs]
        times[name] = [
            time
            for instance, schedule in answers
            for time in completion_times(instance, check(instance, schedule))
        ]
    if not any(times.values()):
        found, expected = Words("jobs without individual completion times"), "jobs with them"
        raise InputError("figure", [Problem("rows", found, expected, "choose other instances")])
    notes = (together.note,)
    return ecdf(
        times, unit=unit_of(scheduled_rows), item=item_of(scheduled_rows), notes=notes, among=among
    )


def profile(
    steps: Mapping[str, Sequence[Point]],
    *,
    across: str,
    up: str = "share of cases",
    notes: tuple[str, ...] = (),
    among: Collection[str] = (),
) -> Figure:
    """Draw performance profiles: the share of cases within a factor of the best, by method.

    Each profile is a list of steps (factor, share within it) with factors of 1 or more. A failure
    is a step at infinity and is not drawn. Source: Dolan and Moré 2002. One profile does not rank
    more than two methods (Gould and Scott 2016): a curve shows closeness to the best of the drawn
    methods.
    """
    known = {name: [p for p in points if isfinite(p[0])] for name, points in steps.items()}
    end = max((x for points in known.values() for x, _ in points), default=1.0)
    about = f"share of runs within a factor, by method: {across}"
    figure, axes = new_figure(about, across=across, up=up, log="x")
    looks = looks_for(known, among)
    for name, points in known.items():
        draw(axes, _rise(points, end), name, looks[name] | STEPS)
    axes.set_xlim(left=1)
    axes.set_ylim(0, 1)
    return finished(figure, notes)


def _rise(points: Sequence[Point], end: float) -> list[Point]:
    """Return steps that start at 0 without a value at factor 1, and end with a flat line."""
    first = [] if points and points[0][0] == 1 else [(1.0, 0.0)]
    last = points[-1][1] if points else 0.0
    return [*first, *points, (end, last)]


UNPROVED = "no optimum is proved: times are times to a valid schedule"


def time_profile_of(
    rows: Iterable[Row],
    *,
    seedless: Collection[str] = (),
    up: str = "share of cases",
    notes: tuple[str, ...] = (),
    among: Collection[str] = (),
) -> Figure:
    """Draw the profile of the times to a proof.

    If no run proved optimality, as for heuristics, draw the times to any valid schedule.
    """
    common = common_set(rows, seedless=seedless, restrict=True)
    proved = any(solved(row) for runs in common.runs.values() for row in runs)
    steps = _drawn_steps(time_profiles(common, success=solved if proved else answered))
    remarks = (_ran(common), *([] if proved else [UNPROVED]), *notes)
    return profile(steps, across="time / least time", up=up, notes=remarks, among=among)


def ratio_profile_of(
    rows: Iterable[Row], *, seedless: Collection[str] = (), among: Collection[str] = ()
) -> Figure:
    """Draw the profile of objectives over the best found of each instance."""
    common = common_set(rows, seedless=seedless, restrict=True)
    steps, notes = _drawn_steps(ratio_profiles(common, common.best)), (_ran(common),)
    return profile(steps, across="objective / best found", notes=notes, among=among)


def _drawn_steps(steps: Mapping[str, StepCurve]) -> dict[str, list[Point]]:
    """Return the steps of each method, and refuse profiles without any step."""
    if not any(one.places for one in steps.values()):
        found, expected = Words("no case"), "a case that some method answered"
        raise InputError("figure", [Problem("rows", found, expected, "choose other methods")])
    return {n: list(zip(one.places, one.heights, strict=True)) for n, one in steps.items()}


def _ran(common: Common) -> str:
    total = len(common.cases) + common.left_out
    return f"over the {len(common.cases):,} of {total:,} cases that all methods ran"


def convergence(
    rows: Sequence[Row], *, log_time: bool = False, among: Collection[str] = ()
) -> Figure:
    """Draw objective and bound of each run over time, for one instance.

    A method's bound is drawn if the method reported it during the run. The best proved bound is
    known only afterwards and is a horizontal line. Runs that only compute a bound have no curve.
    """
    runs = [row for row in rows if row["method"] != BOUND]
    instance = rows[0]["instance"] if rows else "nothing"
    figure, axes = new_figure(
        f"objective and bound over time: {instance}",
        across="seconds",
        up=f"objective on {instance}",
        log="x" if log_time else "",
    )
    names = list(_names(runs))
    looks, paths = looks_for(names, among), [_paths(row, log_time) for row in runs]
    ends = [x for pair in paths for path in pair for x, _ in path]
    for value in best_bounds(rows).values():
        guide(axes, [(min(ends), value), (max(ends), value)] if ends else [], "proved bound")
    for name, (found, bounds) in zip(names, paths, strict=True):
        draw(axes, found, name, looks[name] | STEPS)
        if bounds:
            draw(axes, bounds, "", looks[name] | STEPS | THIN)
    if all(y == int(y) for pair in paths for path in pair for _, y in path):
        whole_ticks(axes.yaxis)
    thin = any(bounds for _, bounds in paths)
    return finished(figure, ("thick: best found, thin: its bound",) if thin else ())


def _names(rows: Sequence[Row]) -> Iterator[str]:
    """Name each run by its method, with seed and repetition if necessary."""
    count = Counter(row["method"] for row in rows)
    for row in rows:
        again = f", run {row['repetition']}" if row["repetition"] else ""
        one = count[row["method"]] == 1
        yield row["method"] if one else f"{row['method']}, seed {row['seed']}{again}"


def _paths(row: Row, log_time: bool) -> tuple[list[Point], list[Point]]:
    """Return the steps of the objective and of the bound, held to the end of the run."""
    first = INSTANT if log_time else 0.0
    trajectory = row["trajectory"] or []
    found = [(max(first, s), value) for s, value, _ in trajectory if value is not None]
    bounds = [(max(first, s), bound) for s, _, bound in trajectory if bound is not None]
    if not found and row["objective"] is not None:
        found = [(max(first, row["seconds"]), row["objective"])]
    return _held(found, row["seconds"]), _held(bounds, row["seconds"])


def _held(points: list[Point], end: float | None) -> list[Point]:
    if points and end is not None and end > points[-1][0]:
        return [*points, (end, points[-1][1])]
    return points


def tradeoff(
    points: Mapping[str, Sequence[Point]],
    *,
    across: str,
    up: str,
    notes: tuple[str, ...] = (),
    among: Collection[str] = (),
) -> Figure:
    """Draw the points of each method, joined from left to right, and the Pareto front of all."""
    figure, axes = new_figure(f"{up} against {across}, by method", across=across, up=up, log="x")
    front = pareto_front([point for some in points.values() for point in some])
    if front:
        end = max(x for some in points.values() for x, _ in some)
        guide(axes, [*front, (end, front[-1][1])], "Pareto front", **STEPS)
    looks = looks_for(points, among)
    for name, some in points.items():
        draw(axes, sorted(some), name, looks[name])
    return finished(figure, notes)


def pareto_front(points: Iterable[Point]) -> list[Point]:
    """Return the Pareto-optimal points."""
    front: list[Point] = []
    for x, y in sorted(set(points)):
        if not front or y < front[-1][1]:
            front.append((x, y))
    return front


def tradeoff_of(
    rows: Iterable[Row], *, seedless: Collection[str] = (), among: Collection[str] = ()
) -> Figure:
    """Draw each method's mean time and mean distance from the best found.

    Times have their geometric mean. The distance is the relative excess over the best objective.
    Both are over the cases that every method answered. Lines join one method's options.
    """
    together = all_answered(rows, seedless)
    points: dict[str, list[Point]] = {}
    for chosen in together.runs.values():
        seconds = exp(fmean(log(max(INSTANT, row["seconds"])) for row in chosen))
        loss = fmean(_loss(row, together.common) for row in chosen)
        points.setdefault(_base(chosen[0]), []).append((seconds, 100 * loss))
    up = "worse than the best found, mean (%)"
    notes = (together.note,)
    return tradeoff(points, across="seconds (geometric mean)", up=up, notes=notes, among=among)


def _loss(row: Row, common: Common) -> float:
    """Return the relative loss of a schedule to the best objective."""
    best = common.best[row["digest"], row["horizon"]]
    return abs(row["objective"] - best) / best if best else 0.0


def _base(row: Row) -> str:
    """Return the name of a method without its options."""
    name: str = row["method"]
    return name.removesuffix(f":{row['options']}") if row["options"] else name


def _scatter(
    points: Mapping[str, Sequence[Point]],
    across: str,
    up: str,
    line: Sequence[Point],
    name_of_line: str,
    notes: tuple[str, ...] = (),
    among: Collection[str] = (),
) -> Figure:
    """Draw the points of each method around a reference line."""
    figure, axes = new_figure(f"{up} against {across}, by method", across=across, up=up, log="xy")
    guide(axes, line, name_of_line)
    looks = looks_for(sorted(points), among)
    for name, some in sorted(points.items()):
        draw(axes, some, name, looks[name] | POINTS)
    return finished(figure, notes)


def ratios_of(rows: Iterable[Row], *, among: Collection[str] = ()) -> Figure:
    """Draw the ratio to the best proved bound of every valid answer, against that bound.

    When maximizing, the ratio is bound over objective. A ratio of 1 is optimal. An answer of 0 has
    no ratio if more is possible, and a note gives the number of such answers.
    """
    marked = mark_wrong(rows)
    bounds = best_bounds(marked)
    valid = [row for row in marked if answered(row) and key_of(row) in bounds]
    points: dict[str, list[Point]] = {row["method"]: [] for row in valid}
    for row in valid:
        bound = bounds[key_of(row)]
        value = ratio(row["objective"], bound, row["sense"])
        if value is not None and bound > 0:
            points[row["method"]].append((bound, value))
    shown = [x for some in points.values() for x, _ in some]
    level = [(min(shown), 1.0), (max(shown), 1.0)] if shown else []
    missing = len(valid) - len(shown)
    notes = (f"left out: {missing} answers without a ratio",) if missing else ()
    across, up = "proved bound", "ratio to the bound"
    return _scatter(points, across, up, level, "optimal", notes, among)


def factors(points: Mapping[str, Sequence[Point]], *, among: Collection[str] = ()) -> Figure:
    """Draw (factor, ratio) of each run. Points above the diagonal violate a theorem."""
    ends = [value for some in points.values() for point in some for value in point]
    diagonal = [(end, end) for end in (min(ends), max(ends))] if ends else []
    across, up = "proved factor", "measured ratio"
    return _scatter(points, across, up, diagonal, "ratio = factor", among=among)


def factors_of(rows: Iterable[Row], sources: Sources, *, among: Collection[str] = ()) -> Figure:
    """Draw the measured ratio against the smallest proved factor of every run with one."""
    marked = mark_wrong(rows)
    points: dict[str, list[Point]] = {}
    for row, some in groupby(check_theorems(marked, marked, sources), key=lambda one: one[0]):
        known = [
            (float(one.factor), one.ratio)
            for _, guarantee, one in some
            if guarantee.proved and one.factor is not None and one.ratio is not None
        ]
        if known:
            points.setdefault(row["method"], []).append(min(known))
    if not points:
        found, expected = Words("no run"), "a run to which a proved theorem applies"
        raise InputError("figure", [Problem("rows", found, expected, "choose other methods")])
    return factors(points, among=among)


KINDS: dict[str, Callable[..., Figure]] = {
    "ecdf": ecdf_of,
    "profile": time_profile_of,
    "profile-ratio": ratio_profile_of,
    "convergence": convergence,
    "tradeoff": tradeoff_of,
    "ratios": ratios_of,
    "factors": factors_of,
}
"""The function that draws each kind from rows and `among` all methods. Some need more."""


def figure_of(
    kind: str, rows: Sequence[Row], sources: Sources, *, log_time: bool = False, lead: str = "--"
) -> Figure:
    """Draw the figure of a kind. Errors prefix column names with `lead`."""
    refuse_mixed(rows, "family", lead)
    rows = mark_wrong(rows)
    runs = [row for row in rows if row["method"] != BOUND]
    bounds = [row for row in rows if row["method"] == BOUND]
    if kind == "convergence":
        refuse_mixed(rows, "instance", lead)
        runs = first_runs([row for row in runs if row["trajectory"]])
    names = sorted({row["method"] for row in runs})
    if not 0 < len(names) <= len(LOOKS):
        found = Words(f"{len(names):,} of them: {listed(names)}" if names else "no run to draw")
        expected = f"1 to {len(LOOKS)} for a figure"
        raise InputError(WHERE, [Problem(f"{lead}method", found, expected, "choose some")])
    draw, methods = KINDS[kind], sources.methods
    match kind:
        case "convergence":
            return draw(runs + bounds, log_time=log_time, among=methods)
        case "ratios":
            return draw(rows, among=methods)
        case "factors":
            return draw(rows, sources, among=methods)
        case "ecdf":
            return draw(runs, sources.read, seedless=sources.seedless(runs), among=methods)
        case _:
            return draw(runs, seedless=sources.seedless(runs), among=methods)


def first_runs(rows: Sequence[Row]) -> list[Row]:
    """Return the first run of each method, by seed and repetition."""
    first: dict[str, Row] = {}
    for row in sorted(rows, key=lambda row: (row["method"], row["seed"], row["repetition"])):
        first.setdefault(row["method"], row)
    return list(first.values())


def scheduled(rows: Sequence[Row], lead: str = "--") -> Row:
    """Return the run whose schedule is drawn: the first of one method on one instance."""
    rows = [row for row in rows if row["schedule"]]
    if not rows:
        problem = Problem("rows", Words("no schedule"), "a run with one", "choose another run")
        raise InputError(WHERE, [problem])
    refuse_mixed(rows, "instance", lead)
    refuse_mixed(rows, "method", lead)
    return first_runs(rows)[0]


def bound_of(row: Row) -> Fraction | None:
    """Return the bound that a run knew."""
    return None if row["bound"] is None else Fraction(str(row["bound"]))
