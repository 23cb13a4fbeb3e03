"""`ringyard reproduce shuffle`: messages of coded shuffling, by formula, counted, and decoded.

After Lee et al. 2018 (arXiv 1512.02673), a closed form recalled. Each of n workers has a part p of
the other workers' rows, and a new order of the rows gives each a new batch.
"""

from collections.abc import Iterator, Sequence
from decimal import Decimal
from functools import partial
from itertools import product
from math import comb

from ..analysis.figures.canvas import Figure, draw, finished, new_figure
from ..analysis.figures.style import looks_for
from ..analysis.shuffle import (
    Measured,
    Setting,
    asymptotic_ratio,
    coded_rate,
    epoch_of,
    instance_of,
    measured,
    measured_table,
    queue_mean,
    ratio,
    tried,
)
from ..analysis.tables import Table
from ..campaigns.reproductions import Answers, Results, Settings
from .study import table_of

PART = 5
"""One in five of the other workers' rows is in a cache: p = 0.2."""

POINTS = tuple(product((5, 10, 20), (1_000, 10_000, 100_000)))
"""Workers and rows."""

LARGE = (5, 10, 20, 50, 100, 200, 500, 1_000)
"""Workers for which ratios are computed."""

DECODED = ((5, 500), (10, 500))
"""Workers and rows of epochs whose sums are really sent, in rows of so many bytes:"""
ROW_BYTES = 16

SCHEME = "subsets"
"""The published scheme."""


def setting_of(workers: int, rows: int) -> Setting:
    """Return the setting with 20 % of the other workers' rows in every cache."""
    batch = rows // workers
    return Setting(rows=rows, workers=workers, cache=batch + (rows - batch) // PART)


def report(settings: Settings, _: Answers | None = None) -> Results:
    """Run epochs, compute ratios, and decode."""
    found = [
        measured(setting_of(*point), Decimal(1), settings.seeds, 0)
        for point in settings.some(POINTS)
    ]
    caption = f"Messages of an epoch, by formula and over {settings.seeds} epochs"
    large = [setting_of(n, 10 * n) for n in settings.some(LARGE)]
    return Results(
        tables={"messages": measured_table(found, caption), "ratios": _ratios(large)},
        charts={"padding": partial(_chart, found)},
        statements=(*_statements(found, large), _decoded(found, settings)),
    )


def _ratios(large: Sequence[Setting]) -> Table:
    return table_of(
        "Rows sent by themselves / sums, exact and as published, p = 0.2",
        {"workers": 0, "exact": 2, "np + 1": 2, "published / exact": 4},
        (
            (
                float(one.workers),
                float(ratio(one) or 0),
                float(asymptotic_ratio(one)),
                _published(one),
            )
            for one in large
        ),
    )


def _published(setting: Setting) -> float:
    """Return the published ratio over the exact one."""
    return float(asymptotic_ratio(setting) / (ratio(setting) or 1))


def _chart(found: Sequence[Measured]) -> Figure:
    """Draw the cost of padding by rows, for each number of workers."""
    by_workers: dict[str, list[Measured]] = {}
    for one in found:
        by_workers.setdefault(f"{one.setting.workers} workers", []).append(one)
    looks = looks_for(by_workers)
    about = "Sums of queues padded to the longest / formula, by number of rows"
    figure, axes = new_figure(about, across="rows", up="padded sums / formula", log="xy")
    for name, some in by_workers.items():
        draw(axes, [(one.setting.rows, _over(one)) for one in some], name, looks[name])
    return finished(figure)


def _over(one: Measured) -> float:
    return one.padded.mean / float(one.coded_rate)


def _statements(found: Sequence[Measured], large: Sequence[Setting]) -> Iterator[str]:
    settings = [*(one.setting for one in found), *large]
    same = sum(
        coded_rate(one)
        == sum(comb(one.workers, i) * queue_mean(one, i) for i in range(2, one.workers + 1))
        for one in settings
    )
    where = "all points" if same == len(settings) else f"{same} of {len(settings)} points"
    yield f"number of coded messages: the closed form is exactly the sum over sets, at {where}"
    parts = [_published(one) for one in large]
    shown = ", ".join(
        f"{part:.3f} for {one.workers:,} workers" for one, part in zip(large, parts, strict=True)
    )
    exact = "the same" if all(part == 1 for part in parts) else "the same in the limit only"
    yield f"published ratio over the exact one: {exact}; {shown}"


def _decoded(found: Sequence[Measured], settings: Settings) -> str:
    """Send epochs of the published scheme. Return the decoded part, and the cost of padding."""
    right, sent = 0, 0
    for point, seed in product(settings.some(DECODED), range(settings.seeds)):
        instance = instance_of(epoch_of(setting_of(*point), seed, 0), Decimal(1))
        (one,) = (one for one in tried(instance, ROW_BYTES, seed) if one.scheme == SCHEME)
        right, sent = right + one.right, sent + 1
    whole = "all rows decoded" if right == sent else "not all rows decoded"
    over = [_over(one) for one in found]
    return (
        f"sums of queues padded to the longest: {whole}, in {right} of {sent} epochs, with "
        f"{min(over):.2f} to {max(over):.2f} times as many sums as the formula says"
    )
