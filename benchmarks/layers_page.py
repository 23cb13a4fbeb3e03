"""The tables and the figure of docs/studies/modelling-layers.md, from measured rows."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from typing import Any

from layers import HERE, LAYERS, PROGRAMS, SIZES

from ringyard.analysis.figures.canvas import Figure, blank, draw, finished, label, write_figure
from ringyard.analysis.figures.style import LOOKS, SIZE
from ringyard.campaigns.study_pages import fill_page

DOCS = HERE.parent / "docs"
PAGE, FIGURE = "modelling-layers", DOCS / "pictures/layers.svg"

Rows = list[dict[str, Any]]

DRAWN = (
    "arrays",
    "cvxpy",
    "linopy",
    "model-builder",
    "mathopt",
    "pyoptinterface",
    "pyomo-templates",
    "pyomo",
)
"""Eight layers can be told apart; the others are in the tables."""

LEAST_MB = 0.5
"""What a program adds to memory that was there is not told apart below this."""


def fill(path: Path) -> None:
    """Write the tables and the figure anew."""
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    parts = {"layers": "\n".join(layers_table(rows))}
    parts |= {program: "\n".join(program_table(rows, program)) for program in PROGRAMS}
    write_figure(figure(rows), FIGURE)
    fill_page(DOCS, PAGE, parts)


def some(rows: Rows, **wanted: str) -> Rows:
    """Return the rows of a layer, a program or a size."""
    return [row for row in rows if all(row[key] == value for key, value in wanted.items())]


def middle(rows: Rows, key: str, **wanted: str) -> float | None:
    """Return the median of a column, or None if nothing was measured."""
    values = [row[key] for row in some(rows, **wanted)]
    return median(values) if values else None


def layers_table(rows: Rows) -> Iterator[str]:
    """Yield a line for each layer: what it is, and what importing it takes."""
    yield "| layer | version | ends in | import s | MB before |"
    yield "|---|---|---|--:|--:|"
    for name, layer in LAYERS.items():
        own = some(rows, layer=name)
        if own:
            (version,) = {row["version"] for row in own}
            cells = (layer.title, version, layer.end, digits(middle(own, "import_s")))
            yield f"| {' | '.join(cells)} | {median(row['before_mb'] for row in own):.0f} |"


def program_table(rows: Rows, program: str) -> Iterator[str]:
    """Yield a line for each layer: seconds by size, and memory of the largest."""
    shapes = [shape_of(rows, program, size) for size in SIZES]
    heads = [f"{nonzeros:,} nonzeros" for *_, nonzeros in shapes]
    yield f"| layer | {' | '.join(heads)} | over arrays | wall s | peak MB | added MB |"
    yield "|---|" + "--:|" * (len(heads) + 4)
    base = middle(rows, "processor_s", layer="arrays", program=program, size=SIZES[-1])
    for name, layer in LAYERS.items():
        own = some(rows, layer=name, program=program)
        large = some(own, size=SIZES[-1])
        spent = [middle(own, "processor_s", size=size) for size in SIZES]
        if not large or base is None or spent[-1] is None:
            continue
        added = median(row["peak_mb"] - row["before_mb"] for row in large)
        peak = middle(large, "peak_mb")
        cells = [*map(digits, spent), f"{spent[-1] / base:.0f}", digits(middle(large, "wall_s"))]
        yield f"| {' | '.join([layer.title, *cells])} | {peak:.0f} | {added:.0f} |"


def shape_of(rows: Rows, program: str, size: str) -> tuple[int, int, int]:
    """Return the columns, rows and nonzeros of a program, which all layers agree on."""
    (shape,) = {tuple(row["shape"]) for row in some(rows, program=program, size=size)}
    (nonzeros,) = {
        row["nonzeros"]
        for row in some(rows, program=program, size=size)
        if row.get("nonzeros") is not None
    }
    return *shape, nonzeros


def digits(value: float | None) -> str:
    """Write seconds with two digits that count."""
    if value is None:
        return "-"
    return f"{value:.0f}" if value >= 9.95 else f"{value:.1f}" if value >= 0.995 else f"{value:.2g}"


WIDTH, HEIGHT = 670.0, 450.0
"""Pixels of the figure without its legend."""


def figure(rows: Rows) -> Figure:
    """Draw seconds and memory against nonzeros, a column for each program."""
    measures: dict[str, Callable[[dict[str, Any]], float]] = {
        "processor seconds": lambda row: row["processor_s"],
        "MB added at the peak": lambda row: max(LEAST_MB, row["peak_mb"] - row["before_mb"]),
    }
    about = "seconds and memory of modelling layers against nonzeros, for three programs"
    shape = len(measures), len(PROGRAMS)
    made, grid = blank(about, (WIDTH, HEIGHT), *shape, sharex=True, sharey="row")
    for line, (up, measure) in zip(grid, measures.items(), strict=True):
        for axes, program in zip(line, PROGRAMS, strict=True):
            last, first = line is grid[-1], axes is line[0]
            label(axes, across="nonzeros" if last else "", up=up if first else "", log="xy")
            _draw_layers(axes, rows, program, measure)
            axes.set_xlim(600.0, 1e6)
            if line is grid[0]:
                axes.set_title(program, fontsize=SIZE, fontweight="bold", pad=18)
    return finished(made)


def _draw_layers(axes: Any, rows: Rows, program: str, measure: Callable[[Any], float]) -> None:
    """Draw one measure of one program in all layers that are drawn."""
    for name, look in zip(DRAWN, LOOKS, strict=True):
        points = []
        for size in SIZES:
            own = some(rows, layer=name, program=program, size=size)
            if own:
                nonzeros = shape_of(rows, program, size)[-1]
                points.append((float(nonzeros), median(map(measure, own))))
        draw(axes, points, LAYERS[name].title, look)
