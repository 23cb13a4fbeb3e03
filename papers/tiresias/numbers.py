"""What the Tiresias paper (Gu et al., NSDI 2019) and its slides say, the index by definition."""

from collections.abc import Callable

import numpy as np

from ...analysis.figures.canvas import Figure, finished
from ...analysis.figures.categories import by_name, category_figure, over
from ...analysis.tables import Table, columns_of
from ...instances import TraceInstance
from ...policies.trace.indices import Figure20, Floats, Gittins, GittinsIndex

EXAMPLE = {"SRSF": 9.3, "2D-Gittins, index of the slides": 10.0, "2D-LAS, quantum 1": 11.7}
"""Mean completion time in the worked example, in units of time."""

DRAWN = (0.25, 0.278, 0.375, 0.75, 0.2, 0.235, 0.333, 0.667, 0.125, 0.167, 0.25, 0.5)
"""The index after 0, 1, .. 11 units of service, measured as far as the slides' pixels tell."""

TESTBED: dict[str, dict[str, float]] = {
    "Tiresias-L": {"makespan_s": 27400, "mean_waiting_s": 963, "preemptions": 221},
    "Tiresias-G": {"preemptions": 297},
    "YARN-CS": {"makespan_s": 33270, "mean_waiting_s": 8146},
}
"""60 GPUs, 480 jobs: seconds, and a count, by columns of a row."""

TESTBED_RATIOS: dict[str, tuple[float, float]] = {"YARN-CS": (5.5, 27.0)}
"""Mean and median completion time over those under Tiresias-L, on the same."""

TRACE: dict[str, tuple[float, float, float]] = {
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


def values(instance: TraceInstance, name: str) -> list[float]:
    """Return an index after 0, 1, .. units of service, as long as any job is not done."""
    law = np.array([float(job.gpus * job.duration_s) for job in instance.jobs])
    index = INDICES[name](law)
    return [index.at(a) for a in range(int(max(law)))]


def misfit(instance: TraceInstance) -> float:
    """Return how far the drawing is from the index that stands for it, at most."""
    curve = values(instance, "of the slides")
    return max(abs(a - b) for a, b in zip(curve, DRAWN, strict=True))


def index_table(instance: TraceInstance) -> Table:
    """Return both indices beside the numbers in the slides' drawing."""
    curves = {name: values(instance, name) for name in INDICES}
    return Table(
        caption="The index after so much service, where jobs take 4, 8 or 12 units",
        columns=columns_of({"service": 0, **dict.fromkeys(curves, 4), "drawn in the slides": 3}),
        rows=tuple(
            (float(a), *(curve[a] for curve in curves.values()), drawn)
            for a, drawn in enumerate(DRAWN)
        ),
        notes=("Drawn: measured in the slides' own picture, as far as its pixels tell.",),
    )


def draw(instance: TraceInstance) -> Figure:
    """Draw both."""
    about = "The Gittins index of the worked example, two ways"
    across, services = "GPUs times time that a job has had", map(str, range(len(DRAWN)))
    figure, [axes] = category_figure(about, (across, services, "Gittins index"))
    by_name(axes, {name: values(instance, name) for name in INDICES}, "line")
    over(axes, "drawn", DRAWN, "marks")
    return finished(figure)
