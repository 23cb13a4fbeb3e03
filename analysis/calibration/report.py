"""What laws of contention say of measurements: a table, a figure, and where the model is wrong."""

from collections.abc import Sequence

from ..figures.canvas import Figure, draw, finished, guide, new_figure
from ..figures.style import LOOKS, POINTS
from ..tables import Cell, Table, columns_of, numbers, texts
from . import FAIR, FREE, LEAF, LEVEL, LINEAR, UPLINK, LawFit, MeasuredReduce

WRONG = 0.2
"""A model is called wrong of measurements that it misses by more than this part."""
SHOWN = 5


def laws_table(fits: Sequence[LawFit], measured: Sequence[MeasuredReduce]) -> Table:
    """Return a line for each law."""
    rows = [_row(one) for one in fits]
    caption = f"{len(measured)} all-reduces and what laws of contention say of them"
    return Table(
        caption=caption,
        columns=(
            *texts("law", "slowdown x by k rings"),
            *columns_of({"start-up, s": 4, "GB/s": 4, "share": 2, "degradation": 2}),
            *numbers("rms", "worst", "predicted", digits=1, over="error, %"),
        ),
        rows=tuple(rows),
        notes=(
            "rms, worst: errors of the fitted times. Predicted: rms when each number of rings is "
            "left out and predicted from the others.",
        ),
    )


def _row(one: LawFit) -> tuple[Cell, ...]:
    values: list[Cell] = [None] * 4
    if one.numbers is not None:
        start, _, share, more = one.numbers
        law = one.law
        values = [
            start,
            one.numbers.bandwidth,
            share if len(law.shares) > 1 or law is LINEAR else None,
            more if law.degrades else None,
        ]
    predicted = None if one.predicted is None else 100 * one.predicted
    worst = 100 * max(map(abs, one.errors))
    return (one.law.name, one.law.formula, *values, 100 * one.rms, worst, predicted)


def chosen(fits: Sequence[LawFit]) -> LawFit:
    """Return the law that predicts best, of those that `makespan` instances have.

    If no law can be tested by prediction, return the one with the most parameters.
    """
    known = [one for one in fits if one.law in (FAIR, LINEAR, UPLINK)]
    predicted = [one for one in known if one.predicted is not None]
    if not predicted:
        return known[-1]
    return min(predicted, key=lambda one: round(one.predicted or 0, 3))


def remarks(
    fits: Sequence[LawFit], measured: Sequence[MeasuredReduce], rack_servers: int | None
) -> list[str]:
    """Return what the numbers are, how sure they are, and where the model is wrong."""
    said = []
    best = chosen(fits)
    if best.predicted is not None:
        said.append(f"predicts best: {best.law.name}")
    said += [_intervals(one) for one in fits if one.intervals and one.law in (best.law, UPLINK)]
    if not any(one.law is UPLINK for one in fits):
        said.append(
            "share 1 is assumed: to tell share and degradation apart takes 2 or more different "
            "numbers of rings above 1"
        )
    if len({one.sent for one in measured}) == 1:
        said.append("start-up 0 is assumed: to tell it from the bandwidth takes several sizes")
    leaf = next((one for one in fits if one.law is LEAF), None)
    if leaf is not None and leaf.numbers is not None and rack_servers is not None:
        above = leaf.numbers.share * rack_servers
        said.append(f"oversubscription of leaves with {rack_servers} servers: {above:.3g}")
    return said + _wrong(fits, best, measured)


def _intervals(one: LawFit) -> str:
    names = ("start-up, s", "GB/s", "share", "degradation")
    free = (True, True, len(one.law.shares) > 1, one.law.degrades)
    spans = [
        f"{name} {low:.3g} to {high:.3g}"
        for name, (low, high), given in zip(names, one.intervals, free, strict=True)
        if given
    ]
    return f"{LEVEL:.0%} intervals of {one.law.name}: {', '.join(spans)}"


def _wrong(fits: Sequence[LawFit], best: LawFit, measured: Sequence[MeasuredReduce]) -> list[str]:
    """Say where the model misses by far, and whether another law of rings could do better."""
    missed = [
        (error, one) for error, one in zip(best.errors, measured, strict=True) if abs(error) > WRONG
    ]
    if not missed:
        return []
    free = next(one for one in fits if one.law is FREE)
    count = f"{len(missed)} of {len(measured)} measurements"
    said = [f"warning: {best.law.name} misses {count} by more than {WRONG:.0%}"]
    missed.sort(key=lambda pair: -abs(pair[0]))
    said += [
        f"  {one.place}: {one.rings} rings, {one.size:,.0f} bytes: measured {one.seconds:.4g} s,"
        f" model {(1 + error) * one.seconds:.4g} s ({100 * error:+.0f} %)"
        for error, one in missed[:SHOWN]
    ]
    if free.rms > best.rms / 2:
        said.append(
            "  no slowdown by the number of rings alone would do much better: an rms error of "
            f"{100 * free.rms:.1f} % is left where each number of rings has its own"
        )
    else:
        said.append("  the form in the number of rings is at fault, not the sizes")
    return said


def draw_contention(fits: Sequence[LawFit], measured: Sequence[MeasuredReduce]) -> Figure:
    """Draw slowdowns as measured, size by size, and the curves of the laws."""
    best = chosen(fits)
    assert best.numbers is not None
    numbers = best.numbers
    figure, axes = new_figure(
        "slowdown of all-reduces by rings at once, measured and modelled",
        across="rings on the uplink",
        up="transfer over transfer alone",
    )
    sizes = sorted({one.size for one in measured})
    sizes = sizes if len(sizes) <= SHOWN else [sizes[0], sizes[len(sizes) // 2], sizes[-1]]
    for size, look in zip(sizes, LOOKS, strict=False):
        points = sorted(
            (float(one.rings), _slowdown(one, numbers.start_s, numbers.s_per_gb))
            for one in measured
            if one.size == size
        )
        draw(axes, points, f"{size / 2**20:.4g} MiB", look | POINTS)
    most = max(one.rings for one in measured)
    ends = [1 + i * (most - 1) / 60 for i in range(61)]
    for one in fits:
        if one.numbers is not None and one.law in (best.law, LEAF):
            guide(axes, [(k, one.numbers.slowdown(k)) for k in ends], one.law.name)
    axes.set(xlim=(0, None), ylim=(0, None))
    return finished(figure)


def _slowdown(one: MeasuredReduce, start: float, each: float) -> float:
    return (one.seconds - start) / (one.sent * each)
