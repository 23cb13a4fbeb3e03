"""Optimus against a fair scheduler, and what time slices, packing and migration do in Gandiva.

The claims are those of the abstracts of Optimus (EuroSys 2018) and Gandiva (OSDI 2018), as
recalled. Their jobs are not published. Here Optimus has elastic jobs, with nine on a small cluster
as in its testbed. The fair scheduler gives the next GPUs to a job with the fewest, which is
dominant resource fairness of one resource. Gandiva has the mix `pai`, whose jobs may share GPUs.
"""

from collections.abc import Iterator, Mapping
from decimal import Decimal
from functools import cache, partial
from itertools import chain
from typing import Any

from ...analysis.tables import Cell, Column, Table, numbers, texts
from ...campaigns.reproductions import Answers, Known, Results, Run, Settings
from ...instances import TraceInstance
from ...instances.generate import generate
from ..study import RunsByName, compared, flat, seeded, sound, table_of
from .experiments import MEAN, SMALL

OPTIMUS, FAIR, FIFO = "Optimus", "fair", "first in, first out"

ELASTIC: Mapping[str, Any] = {
    "servers": 16,
    "restart_s": Decimal(10),
    "most_serial": Decimal("0.15"),
}

FEW = {
    "jobs": 9,
    "servers": 6,
    "server_gpus": 2,
    "most_width": 8,
    "gap_s": Decimal(1333),
    "durations": "uniform",
}
"""Nine jobs in 12,000 s on six servers of two GPUs, as recalled of the testbed."""

CONDITIONS: dict[str, Mapping[str, Any]] = {
    "9 jobs in 12,000 s, uniform law": FEW,
    "120 jobs, load 0.9, Pareto law": {"jobs": 120, "load": Decimal("0.9")},
    "120 jobs, load 0.9, uniform law": {
        "jobs": 120,
        "load": Decimal("0.9"),
        "durations": "uniform",
    },
    "120 jobs, load 1.5, Pareto law": {"jobs": 120, "load": Decimal("1.5")},
}

INTERVALS = (600, 60)
"""Seconds between two rounds. The first is the paper's."""

PAPER_GAINS = {"mean": 2.39, "makespan": 1.63}
"""Ratios of other schedulers to Optimus, as recalled: 139 % and 63 % better."""

JOBS, MOST_S = 500, Decimal(86_400)
"""Jobs on shared servers, and the longest."""

SHARING = {
    "Gandiva": "gandiva",
    "no packing": "gandiva:packing=no",
    "no migration": "gandiva:migration=no",
    "time slices alone": "gandiva:packing=no:migration=no",
    FIFO: "yarn-cs",
}

START = "mean_queueing_s"
"""The column with the mean time until a job first runs, so that its user hears of it."""


def runs(settings: Settings, _: Known | None = None) -> Iterator[Run]:
    """Yield every run once."""
    some = (_elastic(name, every, settings) for name, every in _cases(settings))
    yield from flat(chain(some, [_shared(settings)]))


def report(settings: Settings, answers: Answers) -> Results:
    """Compare on the same jobs."""
    answers = sound(answers)
    return Results(
        tables={
            "optimus": _optimus_table(settings, answers),
            "gandiva": _gandiva_table(settings, answers),
        }
    )


def _cases(settings: Settings) -> list[tuple[str, int]]:
    return [(name, every) for name in settings.some(CONDITIONS) for every in INTERVALS]


def _elastic(name: str, every: int, settings: Settings) -> RunsByName:
    methods = {
        OPTIMUS: f"optimus:interval_s={every}",
        FAIR: f"optimus:interval_s={every}:share=equal",
    }
    return seeded(methods, partial(_drawn, "elastic", name), range(settings.seeds))


def _shared(settings: Settings) -> RunsByName:
    name = "small" if settings.points else "shared"
    return seeded(SHARING, partial(_drawn, "pai", name), range(settings.seeds))


@cache
def _drawn(family: str, name: str, seed: int) -> TraceInstance:
    if family == "elastic":
        options = {**ELASTIC, **CONDITIONS[name]}
    else:
        options = {"jobs": SMALL if name == "small" else JOBS, "most_s": MOST_S}
    made: TraceInstance = generate(family, seed=seed, name=f"{family}-s{seed} {name}", **options)
    return made


def _optimus_table(settings: Settings, answers: Answers) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for name, every in _cases(settings):
        one = compared(_elastic(name, every, settings), answers)
        ratios = (one.ratio(FAIR, OPTIMUS, column) for column in (MEAN, "makespan_s"))
        rows.append((name, f"{every} s", *ratios))
    return table_of(
        "A fair scheduler / Optimus, on elastic jobs",
        (*texts("jobs", "rounds"), *numbers("mean", "makespan", digits=3)),
        rows,
        f"Geometric means over {settings.seeds} seeds of the ratio on the same jobs, with 95 % "
        "intervals (Student's t on logarithms). Above 1, Optimus is better. The paper's values, "
        f"as recalled: {PAPER_GAINS['mean']:g} and {PAPER_GAINS['makespan']:g}.",
        shared=1,
    )


def _gandiva_table(settings: Settings, answers: Answers) -> Table:
    one = compared(_shared(settings), answers)
    lines: list[tuple[Cell, ...]] = [
        (name, *(one.ratio(name, base, column) for base in (FIFO, "Gandiva") for column in COLUMNS))
        for name in SHARING
        if name != FIFO
    ]
    heads = (f"{head} / {base}" for base in (FIFO, "Gandiva") for head in ("first start", "mean"))
    return table_of(
        "Gandiva and parts of it on servers whose GPUs jobs may share",
        (*texts("policy"), *(Column(head=head, digits=3) for head in heads)),
        lines,
        f"Geometric means over {settings.seeds} seeds of the ratio on the same {JOBS} jobs of "
        "the mix pai, with 95 % intervals (Student's t on logarithms). First start: mean time "
        "until a job first runs. Mean: mean completion time. Below 1, the policy is better.",
    )


COLUMNS = (START, MEAN)
"""First start and mean completion time."""
