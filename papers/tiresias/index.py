"""The Gittins index of the worked example: by its definition, and as the slides have it."""

from collections.abc import Callable

import numpy as np

from ...analysis.charts import Panel, by_name, category_panel, over
from ...analysis.tables import Column, Table
from ...instances import TraceInstance
from ...policies.trace.indices import Figure20, Floats, Gittins, GittinsIndex
from .numbers import DRAWN

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
        columns=(
            Column(head="service"),
            *(Column(head=name, digits=4) for name in curves),
            Column(head="drawn in the slides", digits=3),
        ),
        rows=tuple(
            (float(a), *(curve[a] for curve in curves.values()), drawn)
            for a, drawn in enumerate(DRAWN)
        ),
        notes=("Drawn: measured in the slides' own picture, as far as its pixels tell.",),
    )


def chart(instance: TraceInstance) -> tuple[Panel]:
    """Return the picture of both."""
    curves = by_name({name: values(instance, name) for name in INDICES}, "line")
    about = "The Gittins index of the worked example, two ways"
    across, services = "GPUs times time that a job has had", map(str, range(len(DRAWN)))
    series = (*curves, over("drawn", DRAWN, "marks"))
    return (category_panel(about, across, services, "Gittins index", series),)
