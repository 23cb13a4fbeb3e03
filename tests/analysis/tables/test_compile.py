"""Every table compiles with a real LaTeX, and none is wider or higher than the page."""

import re
from collections.abc import Callable
from string import printable
from typing import Any, get_args

import pytest
from campaigns.runs_at_hand import engine_row
from made_tables import HOSTILE, TABLES
from stats_rows import failed, run

from ringyard.analysis.rows import whole_row
from ringyard.analysis.table_kinds import KINDS, NOTHING
from ringyard.analysis.tables import Table, to_document
from ringyard.analysis.tables.arrange import Footnotes
from ringyard.analysis.tables.latex import PREAMBLE
from ringyard.analysis.tables.latex_text import WIDTHS, latex_text, text_width
from ringyard.campaigns.reproductions import Settings
from ringyard.campaigns.runs import Run
from ringyard.engines.program_run import ProgramRun
from ringyard.families import FAMILIES
from ringyard.papers.reproductions import REPRODUCTIONS

PREAMBLE_2 = r"\usepackage{array,booktabs,etoolbox,longtable}\usepackage{siunitx}[=v2]"

Compiled = Callable[[str], str]


NUMBERED = tuple(enumerate(("branch-and-bound", "sjf-bco", "list-scheduling")))


def too_large(log: str) -> list[str]:
    """Return what sticks out of the page."""
    return re.findall(r"Overfull .*|.*Float too large.*", log)


def rows() -> list[dict[str, Any]]:
    """Return rows of every kind on instances and methods of hostile names."""
    found = [
        run(method, instance, objective=10 + 3 * i, seconds=1.5**i, gap=0.1 * i, memory_mb=100.5)
        for instance in ("small-04x2", "small-05x3", "mobihoc-10-s0", *HOSTILE[:2])
        for i, method in enumerate(("sjf-bco", "linearised:scip", *HOSTILE[8:13]))
    ]
    return [*found, *(failed(name, "mobihoc-10-s1", note=" ".join(HOSTILE)) for name in HOSTILE)]


def made_up(run: Run) -> dict[str, Any]:
    """Return a row that agrees with bounds and has what tables show."""
    if isinstance(run, ProgramRun):
        return engine_row(run)
    most = FAMILIES[run.instance.kind].maximize
    factor = 1 + 0.37 * (sum(map(ord, run.method)) % 7)
    value = (1 - 0.01 * (run.seed % 5)) * (1000 / factor if most else 1100 * factor)
    nothing = {"objective": None, "valid": False} if run.method == "bound" else {}
    blind = run.instance.name.endswith("-blind")  # Held against what is on record.
    columns = {
        "instance": run.instance.name,
        "family": run.instance.kind,
        "sense": "max" if most else "min",
        "method": run.method,
        "seed": run.seed,
        "status": "optimal" if run.seed % 2 else "feasible",
        "termination": "done",
        "objective": value,
        "bound": 1.0 if blind else 1000.0,
        "bound_kind": "dual",
        "gap": 0.1,
        "seconds": factor,
        "valid": True,
        "mean_end": value / 2,
        "median_slots": 4.5,
        "median_jct_s": 40,
        "p95_jct_s": 300,
        "mean_queueing_s": 10,
        "mean_waiting_s": 20,
        "makespan_s": 900,
        "utilisation": 0.5,
        "preemptions": 3,
        "mean_gpus": 50,
        "trajectory": [[0.1, value, 1000.0]],
    }
    return whole_row(columns | nothing)


BROAD = (
    *("federated", "gadget", "mlfabric", "sides"),
    *("sjf-bco-argument", "sjf-bco-region", "smd"),
)
"""Reports on hundreds of points, or that do the work themselves: a little is enough for tables."""


def reproduced(settings: Settings) -> dict[str, Table]:
    """Return the tables of all campaigns, from made-up rows; those of theorems need none.

    Where a report does the work itself, it does little.
    """
    return {
        f"{one.name}-{name}": table
        for one in REPRODUCTIONS
        for name, table in one.campaign.report(
            one.smoke if one.timed or one.name in BROAD else settings, made_up
        ).tables.items()
    }


@pytest.mark.slow
def test_every_table_compiles_and_fits(compiled: Compiled) -> None:
    of_rows = {name: make(rows(), NOTHING) for name, make in KINDS.items()}
    assert not too_large(compiled(to_document(TABLES | of_rows)))


@pytest.mark.parametrize(
    "footnotes",
    [
        pytest.param(one, marks=[pytest.mark.slow] if place else [])
        for place, one in enumerate(get_args(Footnotes))
    ],
)
def test_tables_of_campaigns_fit_a_column(compiled: Compiled, footnotes: Footnotes) -> None:
    plain = [run(name, f"x-s{i}", objective=10 + i * j) for i in range(9) for j, name in NUMBERED]
    tables = {kind: make(plain, NOTHING) for kind, make in KINDS.items()}
    text = to_document(tables, width=240, footnotes=footnotes)
    head = r"\setlength{\textwidth}{240pt}\begin{document}"
    assert not too_large(compiled(text.replace(r"\begin{document}", head)))


@pytest.mark.slow
def test_tables_of_reproductions_compile_and_fit(compiled: Compiled) -> None:
    found = reproduced(Settings(seeds=3, time_limit=1.0, points=12))
    assert not too_large(compiled(to_document(found)))


def test_letters_are_no_wider_than_is_thought(compiled: Compiled) -> None:
    """Layout rests on these widths; LaTeX knows them."""
    letters = [*(c for c in printable if c in WIDTHS), *"κßéŁ∞→…—"]
    boxes = [rf"\sbox0{{{latex_text(c)}}}\typeout{{WIDTH \the\wd0}}" for c in letters]
    sizes = [
        rf"{{\{size}\sbox0{{abcdef0123456789}}\typeout{{WIDTH \the\wd0}}}}"
        for size in ("normalsize", "small", "footnotesize", "scriptsize")
    ]
    text = "\n".join(
        [r"\documentclass{article}\begin{document}", *boxes, *sizes, r"\end{document}"]
    )
    found = [float(width) for width in re.findall(r"WIDTH ([\d.]+)pt", compiled(text))]
    for c, width in zip(letters, found[: len(letters)], strict=True):
        assert width <= 1.001 * text_width(c), c
    whole, *smaller = found[len(letters) :]
    for scale, width in zip((0.925, 0.85, 0.8), smaller, strict=True):
        assert width <= scale * whole * 1.001


@pytest.mark.slow
def test_siunitx_2_takes_the_same_tables(compiled: Compiled) -> None:
    text = to_document(TABLES).replace(PREAMBLE[0], PREAMBLE_2, 1)
    log = compiled(text)
    assert "siunitx-v2.sty" in log
    assert not too_large(log)
