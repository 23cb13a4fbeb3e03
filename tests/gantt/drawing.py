"""Draw in memory and read the drawing back, for the tests of the chart."""

import re
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from typing import Any
from xml.etree import ElementTree

from ringyard.analysis.check import check
from ringyard.analysis.drawing.svg import to_svg
from ringyard.analysis.gantt.makespan import lay_out
from ringyard.analysis.timeline.makespan import MakespanTimeline
from ringyard.instances import Assignment, Cluster, MakespanInstance, RingJob, Schedule, Server

Element = ElementTree.Element
NAMESPACE = "{http://www.w3.org/2000/svg}"


def job(name: str, gpus: int, iterations: int, seconds: int = 1) -> RingJob:
    """Make a job that only computes."""
    return RingJob(name=name, gpus=gpus, iterations=iterations, backward_s=Decimal(seconds))


def ring(name: str, gpus: int, iterations: int) -> RingJob:
    """Make a job that only exchanges; on two GPUs an iteration takes 1 s and its slowdown."""
    return RingJob(name=name, gpus=gpus, iterations=iterations, gradient_gb=Decimal(1))


def make_instance(
    jobs: list[RingJob], servers: list[int], progress: Any = "fractional"
) -> MakespanInstance:
    """Make an instance with servers s0, s1, ... of these sizes and slots of one second."""
    return MakespanInstance(
        name="yard",
        cluster=Cluster(
            servers=tuple(Server(name=f"s{i}", gpus=gpus) for i, gpus in enumerate(servers)),
            intra_bandwidth_gb_s=Decimal(10),
            inter_bandwidth_gb_s=Decimal(1),
            reduce_gb_s=Decimal("0.5"),
        ),
        jobs=tuple(jobs),
        progress=progress,
    )


def plan(*entries: tuple[str, int | Decimal, dict[str, int]], method: str = "") -> Schedule:
    """Make a schedule of (job, start, GPUs by server)."""
    assignments = tuple(
        Assignment(job=name, start_slot=Decimal(start), gpus=tuple(gpus.items()))
        for name, start, gpus in entries
    )
    return Schedule(instance="yard", method=method, assignments=assignments)


def shift_work(jobs: int, servers: int, gpus: int) -> tuple[MakespanInstance, Schedule]:
    """Make jobs of one GPU that follow each other on every server."""
    instance = make_instance([job(f"j{i}", 1, 10) for i in range(jobs)], [gpus] * servers)
    rows = [(f"j{i}", 10 * (i // servers), {f"s{i % servers}": 1}) for i in range(jobs)]
    return instance, plan(*rows)


RINGS = make_instance([ring("a", 2, 10), ring("b", 2, 4), job("c", 1, 5)], [4, 2])
"""Two rings over both servers: slowdown 2 while both work, so b ends at 12 and a at 24."""
TOGETHER = plan(
    ("a", 0, {"s0": 1, "s1": 1}), ("b", 0, {"s0": 1, "s1": 1}), ("c", 2, {"s0": 1}), method="hand"
)


def facts_of(
    instance: MakespanInstance, schedule: Schedule, bound: Fraction | None = None
) -> MakespanTimeline:
    """Judge a schedule and collect what its chart tells."""
    return MakespanTimeline(instance, schedule, check(instance, schedule), bound)


def drawn(instance: MakespanInstance, schedule: Schedule, bound: Fraction | None = None) -> Element:
    """Draw an SVG and parse it."""
    return ElementTree.fromstring(svg_text(instance, schedule, bound))


def svg_text(instance: MakespanInstance, schedule: Schedule, bound: Fraction | None = None) -> str:
    """Draw an SVG."""
    return to_svg(lay_out(facts_of(instance, schedule, bound)))


def with_class(root: Element, name: str) -> list[Element]:
    """Return the elements of a class, in the order of the file."""
    return [element for element in root.iter() if name in element.get("class", "").split()]


def of_job(root: Element, number: int, name: str) -> list[Element]:
    """Return the elements of a class that belong to a job."""
    groups = [group for group in root.iter() if group.get("data-job") == str(number)]
    return [element for group in groups for element in with_class(group, name)]


def boxes(element: Element) -> list[tuple[float, float, float, float]]:
    """Return left, top, right, bottom of the rectangles that an element paints."""
    if element.tag == f"{NAMESPACE}rect":
        x, y, w, h = (float(element.attrib[key]) for key in ("x", "y", "width", "height"))
        return [(x, y, x + w, y + h)]
    assert element.tag == f"{NAMESPACE}path"
    pattern = "M# #h#v#h#z".replace("#", r"(-?[\d.]+)")
    rows = [tuple(map(float, row[:4])) for row in re.findall(pattern, element.attrib["d"])]
    return [(x, y, x + w, y + h) for x, y, w, h in rows]


def overlaps(rectangles: list[tuple[float, float, float, float]]) -> Iterator[str]:
    """Yield the pairs of rectangles that share more than a hair of area."""
    hair = 0.05
    for i, a in enumerate(rectangles):
        for b in rectangles[:i]:
            wide = min(a[2], b[2]) - max(a[0], b[0])
            high = min(a[3], b[3]) - max(a[1], b[1])
            if wide > hair and high > hair:
                yield f"{a} and {b}"


def slot_at(root: Element, x: float) -> float:
    """Return the moment at a place, as the numbers of the axis have it."""
    ticks = with_class(root, "tick")
    lowest = max(float(tick.attrib["y"]) for tick in ticks)
    row = [tick for tick in ticks if float(tick.attrib["y"]) == lowest]
    (x0, t0), (x1, t1) = (
        (float(tick.attrib["x"]), float(str(tick.text).replace(",", "")))
        for tick in (row[0], row[-1])
    )
    return t0 + (x - x0) * (t1 - t0) / (x1 - x0)
