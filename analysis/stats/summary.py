"""One line per method over common cases, as in tables of solver comparisons."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from statistics import fmean, median

from ...instances.errors import InputError
from ...instances.outcome import TerminationReason
from ..rows import Row, Success, answered, solved
from .cases import Common, Counts, common_set, count
from .means import (
    SHIFT_S,
    ShiftedMean,
    charged_times,
    geometric_mean,
    primal_integral,
    relative_gap,
    scaled,
    shifted_geometric_mean,
    steps_of,
)
from .references import ratio


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """The numbers of a method, None if meaningless, with the reasons in `notes`.

    Times charge failures the limit, and `par10` charges 10 limits. Both are None for a method that
    refused all instances, or whose runs mostly end on their own without a proof, as for heuristics.
    `own` is the mean time of its runs. `ratio` is the geometric mean ratio to the best proved
    bound, `gap` the mean gap to it. `primal_integral` is its mean share of the time limit.
    """

    method: str
    counts: Counts
    seconds: ShiftedMean | None
    scaled: float | None
    median: float | None
    par10: float | None
    own: float | None
    ratio: float | None
    gap: float | None
    primal_integral: float | None
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Overview:
    """All methods on the same cases.

    `left_out` is the number of cases that some method did not run. Ratios and gaps are over the
    `together` cases with a proved bound and answers from all methods that answered any case.
    """

    methods: tuple[Summary, ...]
    cases: int
    left_out: int
    together: int
    shift: float


def summary(
    rows: Iterable[Row],
    *,
    success: Success = solved,
    shift: float = SHIFT_S,
    seedless: Collection[str] = (),
    restrict: bool = False,
) -> Overview:
    """Return one line per method over the cases that all ran, or refuse as `common_set` does."""
    common = common_set(rows, seedless=seedless, restrict=restrict)
    together = _together(common)
    lines = [_line(common, method, together, success, shift) for method in common.runs]
    return Overview(
        methods=_with_scale(lines),
        cases=len(common.cases),
        left_out=common.left_out,
        together=len(together),
        shift=shift,
    )


def _together(common: Common) -> list[int]:
    """Return the places of the cases over which objectives are compared with bounds."""
    able = [runs for runs in common.runs.values() if any(map(answered, runs))]
    return [
        i
        for i, case in enumerate(common.cases)
        if case.key in common.bounds and able and all(answered(runs[i]) for runs in able)
    ]


def _line(
    common: Common, method: str, together: list[int], success: Success, shift: float
) -> Summary:
    notes: list[str] = []
    runs, bounds = common.runs[method], common.bounds
    once, tenfold = list[float](), list[float]()
    refused = all(row["status"] == "refused" for row in runs)
    if refused:
        notes.append(REFUSED)
    elif not attempts_proofs(runs, success):
        notes.append(UNPROVED)
    else:
        once = _times(common, method, success, 1, notes)
        tenfold = _times(common, method, success, 10, [])
    took = [row["seconds"] for row in runs if row["seconds"] is not None]
    pairs = [
        (runs[i]["objective"], bounds[common.cases[i].key], runs[i]["sense"])
        for i in together
        if answered(runs[i])
    ]
    return Summary(
        method=method,
        counts=count(common.runs[method]),
        seconds=shifted_geometric_mean(once, shift) if once else None,
        scaled=None,
        median=median(once) if once else None,
        par10=fmean(tenfold) if tenfold else None,
        own=shifted_geometric_mean(took, shift).value if took else None,
        ratio=_ratio(pairs, notes),
        gap=fmean(relative_gap(value, bound) for value, bound, _ in pairs) if pairs else None,
        primal_integral=None if refused else _integral(common, method, notes),
        notes=tuple(notes),
    )


UNPROVED = "no mean time if most runs of a method end on their own without a proof"
"""Note of methods that give no proofs."""

REFUSED = "no mean time for a method that refused every instance: it did not run"


def attempts_proofs(runs: Sequence[Row], success: Success = solved) -> bool:
    """Return False if most runs end on their own with an answer and without a success."""
    ended = (row for row in runs if answered(row) and row["termination"] == TerminationReason.DONE)
    return 2 * sum(not success(row) for row in ended) <= len(runs)


def _times(
    common: Common, method: str, success: Success, factor: float, notes: list[str]
) -> list[float]:
    """Return the charged times, or None and a note if a failure has no limit."""
    try:
        return charged_times(common, method, success=success, factor=factor)
    except InputError as error:
        notes.append(f"no mean time: {error}")
        return []


def _ratio(pairs: list[tuple[float, float, str]], notes: list[str]) -> float | None:
    """Return the geometric mean ratio of values to bounds, or the reason for its absence."""
    if not pairs:
        notes.append("no mean ratio: no case has a proved bound and all answers")
        return None
    ratios = [ratio(*pair) for pair in pairs]
    finite = [one for one in ratios if one is not None]
    if len(finite) < len(ratios):
        infinite = len(ratios) - len(finite)
        notes.append(f"no mean ratio: it is infinite on {infinite} of {len(ratios)} cases")
        return None
    return geometric_mean(finite)


def _integral(common: Common, method: str, notes: list[str]) -> float | None:
    """Return the mean primal integral as a share of the limit, 1 without an answer."""
    limits = [limit for limit in common.limits if limit is not None]
    if missing := len(common.limits) - len(limits):
        notes.append(f"no primal integral: {missing} cases have no time limit")
        return None
    runs = zip(common.cases, common.runs[method], limits, strict=True)
    return fmean(
        primal_integral(
            steps_of(row), common.best.get(case.key, 0), sense=row["sense"], limit=limit
        )
        / limit
        for case, row, limit in runs
    )


def _with_scale(lines: list[Summary]) -> tuple[Summary, ...]:
    """Divide the mean times by their minimum if all methods have one."""
    means = {line.method: line.seconds for line in lines if line.seconds is not None}
    asked = [line for line in lines if not {UNPROVED, REFUSED} & {*line.notes}]
    if not asked or len(means) < len(asked) or min(mean.value for mean in means.values()) <= 0:
        return tuple(lines)
    parts = scaled(means)
    return tuple(replace(line, scaled=parts.get(line.method)) for line in lines)
