"""The experiments of Tiresias (Gu et al., NSDI 2019): jobs, changes, methods, numbers."""

from collections.abc import Callable, Mapping
from decimal import Decimal
from functools import cache
from typing import Any

import numpy as np

from ...analysis.figures.canvas import Figure, finished
from ...analysis.figures.categories import by_name, category_figure, over
from ...analysis.tables import Table
from ...campaigns.reproductions import Settings
from ...instances import TraceInstance
from ...instances.generate import generate
from ...policies.trace.tiresias import Figure20, Floats, Gittins, GittinsIndex
from ..study import OBJECTIVE, table_of

BASE, PACKED = "Tiresias-L", "Tiresias-L, packed"

METHODS = {
    BASE: "tiresias-l",
    PACKED: "tiresias-l:placement=pack",
    "Tiresias-G": "tiresias-g",
    "YARN-CS": "yarn-cs",
    "Best-effort": "best-effort",
    "Gandiva": "gandiva",
    "SRTF": "srtf",
    "SRSF": "srsf",
}
"""Policies, and the methods that represent them here.

Packed means that no job waits for servers.
"""

OPTIONS = {
    "packed": "tiresias-l:placement=pack",
    "all consolidated": "tiresias-l:placement=consolidate",
    "threshold 1 h": "tiresias-l:thresholds=[3600]",
    "threshold 2 h": "tiresias-l:thresholds=[7200]",
    "threshold 4 h": "tiresias-l:thresholds=[14400]",
    "packed, threshold 2 h": "tiresias-l:placement=pack:thresholds=[7200]",
    "3 queues": "tiresias-l:thresholds=[3200, 12800]",
    "4 queues": "tiresias-l:thresholds=[3200, 12800, 51200]",
}
"""Options of Tiresias-L, with thresholds in GPU-seconds."""

MEAN, MEDIAN, TAIL = OBJECTIVE, "median_jct_s", "p95_jct_s"
"""Columns of completion times."""


TESTBED, TRACE = "testbed", "trace"

MIXES: dict[str, tuple[str, Mapping[str, Any]]] = {
    TESTBED: ("tiresias", {"jobs": 480}),
    TRACE: ("philly", {"jobs": 1000, "most_s": Decimal(86_400)}),
}
"""Families of the generator, and their options, that stand for the paper's two experiments."""

SMALL = 60
"""Jobs of a small version."""

AS_IT_IS = "as it is"

CHANGES: dict[str, tuple[str, Mapping[str, Any]]] = {
    "restarts cost nothing": (TESTBED, {"restart_s": Decimal(0)}),
    "as fast on many servers as on one": (
        TESTBED,
        {"communication": Decimal(0), "skewed_communication": Decimal(0)},
    ),
    "rings share uplinks": (TESTBED, {"contention": "server_uplink"}),
    "a job every 60 s": (TESTBED, {"gap_s": Decimal(60)}),
    "uniform durations": (TESTBED, {"durations": "uniform"}),
    "load 1.5": (TRACE, {"load": Decimal("1.5")}),
}
"""Changes of one of the mixes, one thing at a time."""


def instance(mix: str, seed: int, settings: Settings, change: str = AS_IT_IS) -> TraceInstance:
    """Return the instance of a seed: with the same random numbers, whatever is changed."""
    return _drawn(mix, seed, change, settings.points is not None)


@cache
def _drawn(mix: str, seed: int, change: str, small: bool) -> TraceInstance:
    family, usual = MIXES[mix]
    changed = {} if change == AS_IT_IS else CHANGES[change][1]
    options = {**usual, **changed, **({"jobs": SMALL} if small else {})}
    name = f"{mix}-s{seed}" if change == AS_IT_IS else f"{mix}-s{seed} {change}"
    found: TraceInstance = generate(family, seed=seed, name=name, **options)
    return found


EXAMPLE = {"SRSF": 9.3, "2D-Gittins, index of the slides": 10.0, "2D-LAS, quantum 1": 11.7}
"""Mean completion time in the worked example, in units of time."""

DRAWN = (0.25, 0.278, 0.375, 0.75, 0.2, 0.235, 0.333, 0.667, 0.125, 0.167, 0.25, 0.5)
"""The index after 0, 1, .. 11 units of service, measured to the precision of the slides' pixels."""

PAPER_TESTBED: dict[str, dict[str, float]] = {
    "Tiresias-L": {"makespan_s": 27400, "mean_waiting_s": 963, "preemptions": 221},
    "Tiresias-G": {"preemptions": 297},
    "YARN-CS": {"makespan_s": 33270, "mean_waiting_s": 8146},
}
"""60 GPUs, 480 jobs: seconds, and a number, by columns of a row."""

PAPER_TESTBED_RATIOS: dict[str, tuple[float, float]] = {"YARN-CS": (5.5, 27.0)}
"""Mean and median completion time over those under Tiresias-L, on the same."""

PAPER_TRACE: dict[str, tuple[float, float, float]] = {
    "YARN-CS": (2.41, 30.85, 1.25),
    "Best-effort": (1.50, 9.03, 1.08),
    "SRTF": (1.00, 1.00, 0.84),
    "Gandiva": (2.00, 2.59, 2.08),
    "Tiresias-G": (0.97, 1.00, 0.85),
}
"""Mean, median and 95th percentile of completion times over those under Tiresias-L, simulated on a
trace of Microsoft."""

OVER_SRSF = {"SRTF": 1.03}
"""Mean completion time over that under SRSF, on the same trace."""


INDICES: dict[str, Callable[[Floats], GittinsIndex]] = {
    "as defined": Gittins,
    "of the slides": Figure20,
}


def index_values(instance: TraceInstance, name: str) -> list[float]:
    """Return an index after 0, 1, .. units of service, as long as any job is not done."""
    law = np.array([float(job.gpus * job.duration_s) for job in instance.jobs])
    index = INDICES[name](law)
    return [index.at(a) for a in range(int(max(law)))]


def misfit(instance: TraceInstance) -> float:
    """Return how far the drawing is from the index that stands for it, at most."""
    curve = index_values(instance, "of the slides")
    return max(abs(a - b) for a, b in zip(curve, DRAWN, strict=True))


def index_table(instance: TraceInstance) -> Table:
    """Return both indices with the numbers in the slides' drawing."""
    curves = {name: index_values(instance, name) for name in INDICES}
    return table_of(
        "The index by attained service, for jobs of 4, 8 or 12 units",
        {"service": 0, **dict.fromkeys(curves, 4), "drawn in the slides": 3},
        (
            (float(a), *(curve[a] for curve in curves.values()), drawn)
            for a, drawn in enumerate(DRAWN)
        ),
        "Drawn: measured in the slides' picture, at the accuracy of its pixels.",
    )


def draw(instance: TraceInstance) -> Figure:
    """Draw both."""
    about = "The Gittins index of the worked example, computed by two methods"
    across, services = "GPUs times time that a job has had", map(str, range(len(DRAWN)))
    figure, [axes] = category_figure(about, (across, services, "Gittins index"))
    by_name(axes, {name: index_values(instance, name) for name in INDICES}, "line")
    over(axes, "drawn", DRAWN, "marks")
    return finished(figure)
