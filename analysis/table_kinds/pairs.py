"""Pairs of methods in each instance group: ratio, effect, and corrected p-value."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from math import inf

from ...instances.errors import InputError
from ..intervals import FEWEST, Interval
from ..rows import Row
from ..sources import NOTHING, Sources
from ..stats.cases import Common, common_set
from ..stats.comparisons import Comparison, compare_times, compare_values
from ..stats.means import SHIFT_S
from ..stats.summary import attempts_proofs
from ..tables import Cell, Column, Table
from .quality import BRACKETS, INSTANCES, METHOD, OF_TEST, STARS, blocks

COUNTED = (
    "Wins, ties, losses: instances on which the method is better than the other, equal or worse."
)
RATIO = Column(
    head="ratio",
    digits=3,
    about="geometric mean ratio of the method to the other, with its 95 % confidence interval",
    notes=(
        "Ratio: geometric mean over instances of method's value / other's value (inverse when "
        "maximizing). Below 1 it favours the method.",
        f"Interval: Student's t on logarithms, omitted for fewer than {FEWEST} instances.",
    ),
    legend=(BRACKETS,),
)
PAIR_COLUMNS = (
    INSTANCES,
    replace(METHOD, about="first method of the pair"),
    Column(head="other", digits=None, about="second method, to which the first is compared"),
    *(
        Column(
            head=head,
            about=f"instances on which the method is {how} the other",
            notes=(COUNTED,),
            optional=1,
        )
        for head, how in (("wins", "better than"), ("ties", "equal to"), ("losses", "worse than"))
    ),
    RATIO,
    Column(
        head="effect",
        digits=2,
        about="matched-pairs rank-biserial correlation: 1 if the method is better everywhere",
        notes=(
            "Effect: matched-pairs rank-biserial correlation, from 1 (the method is better on all "
            "instances) to -1 (worse on all).",
        ),
        optional=2,
    ),
    Column(
        head="raw",
        over="p",
        digits=3,
        floor=min(STARS),
        about="p-value of Wilcoxon's signed-rank test over instances",
        notes=("Raw: p-value of the two-sided Wilcoxon signed-rank test over instances.",),
        optional=3,
    ),
    Column(
        head="Holm",
        over="p",
        digits=3,
        floor=min(STARS),
        about="the same with Holm's correction for all pairs of the group",
        notes=(f"Holm: p-value of the {OF_TEST}",),
    ),
)
"""Columns of the comparison of pairs."""


def pairs(rows: Sequence[Row], sources: Sources = NOTHING) -> Table:
    """Return ratio, effect and p-value of the objectives of each pair of methods."""
    return _table(rows, sources, compare_values, "Pairwise comparison of objectives")


def pair_times(rows: Sequence[Row], sources: Sources = NOTHING) -> Table:
    """Return ratio, effect and p-value of the times to a proof of each pair of methods."""
    note = (
        f"Times are shifted by {SHIFT_S:g} s, with unsolved runs at their time limit. Methods that "
        "mostly end on their own without a proof are left out."
    )
    return _table(rows, sources, _times, "Pairwise comparison of times to a proof", note)


def _times(common: Common) -> list[Comparison]:
    """Compare the times of the methods that attempt proofs."""
    runs = {name: some for name, some in common.runs.items() if attempts_proofs(some)}
    return compare_times(replace(common, runs=runs))


def _table(
    rows: Sequence[Row],
    sources: Sources,
    compare: Callable[[Common], list[Comparison]],
    caption: str,
    *notes: str,
) -> Table:
    seedless = sources.seedless(rows)
    lines: list[tuple[Cell, ...]] = []
    for block in blocks(rows, grouped=True):
        try:
            common = common_set(block.rows, seedless=seedless, restrict=True)
            lines += _lines(block.name, compare(common))
        except InputError as error:
            notes += (f"{block.name} is left out: {error}.",)
    return Table(
        caption=f"{caption}, by instance group",
        columns=PAIR_COLUMNS,
        rows=tuple(lines),
        notes=notes,
        shared=2,
    )


def _lines(group: str, found: Sequence[Comparison]) -> Iterator[tuple[Cell, ...]]:
    for one in found:
        if one.test is not None:
            counts = (one.wins, one.ties, one.losses)
            ratio = _bounded(one.ratio)
            yield (group, one.method, one.other, *counts, ratio, one.effect, one.test.p, one.holm)


def _bounded(ratio: Interval | None) -> Interval | None:
    """Return a ratio without an interval if there are too few instances for one."""
    few = ratio is not None and ratio.count < FEWEST
    return replace(ratio, low=-inf, high=inf) if ratio is not None and few else ratio
