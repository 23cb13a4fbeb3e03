"""Large clusters and many jobs: the picture keeps a sane size, and so does the file."""

from fractions import Fraction
from xml.etree import ElementTree

import pytest
from gantt.drawing import (
    boxes,
    drawn,
    job,
    make_instance,
    plan,
    ring,
    shift_work,
    slot_at,
    svg_text,
)
from gantt.drawing import with_class as elements

from ringyard.analysis.drawing.colours import BAND
from ringyard.analysis.gantt.makespan import bars

LINES = ("bound", "makespan")


def place_of(root: ElementTree.Element, moment: float) -> float:
    """Return the place of a moment, from the two ends of the first band."""
    left, _, right, _ = boxes(elements(root, "band")[0])[0]
    first, last = slot_at(root, left), slot_at(root, right)
    return left + (right - left) * (moment - first) / (last - first)


@pytest.mark.parametrize(("servers", "gpus"), [(1, 1), (7, 3), (100, 16), (120, 4), (3, 900)])
def test_size_and_server_labels_stay_within_reason(servers: int, gpus: int) -> None:
    root = drawn(*shift_work(servers, servers, gpus))
    assert float(root.attrib["height"]) < 2000
    labels = elements(root, "server")
    rows = [float(label.attrib["y"]) for label in labels]
    sizes = [float(label.attrib["font-size"]) for label in labels]
    assert len(labels) >= min(servers, 100)
    assert all(b - a >= size for a, b, size in zip(rows, rows[1:], sizes, strict=False))


def test_two_thousand_jobs_are_all_drawn_in_a_small_file() -> None:
    text = svg_text(*shift_work(2000, 100, 30))
    assert len(elements(ElementTree.fromstring(text), "piece")) == 2000
    assert len(text.encode()) < 2_000_000


@pytest.mark.parametrize(("servers", "gpus"), [(121, 1), (200, 16), (2000, 4)])
def test_of_very_many_servers_totals_are_drawn(servers: int, gpus: int) -> None:
    root = drawn(*shift_work(servers * 3 // 2, servers, gpus), Fraction(5))
    assert float(root.attrib["height"]) < 700
    assert not elements(root, "piece")
    layer, waiting = elements(root, "layer")
    (_, top, _, bottom) = boxes(elements(root, "band")[0])[0]
    heights = {  # One GPU of each server is in use until 10, and half as many until 20.
        moment: max(b - a for left, a, right, b in boxes(layer) if left <= moment < right)
        for moment in (place_of(root, 5), place_of(root, 15))
    }
    assert list(heights.values()) == [
        pytest.approx((bottom - top) * part / gpus, abs=0.5)
        for part in (1, (servers // 2) / servers)
    ]
    assert max(slot_at(root, box[2]) for box in boxes(waiting)) == pytest.approx(10, abs=0.05)
    assert [slot_at(root, float(elements(root, role)[0].attrib["x1"])) for role in LINES] == [
        pytest.approx(5, abs=0.05),
        pytest.approx(20, abs=0.05),
    ]


def test_the_density_is_stronger_where_more_is_in_use_and_darker_where_rings_are_slow() -> None:
    servers = {f"s{s}": 1 for s in range(100, 200)}
    jobs = [job("j", 2, 20), ring("a", 100, 40), ring("b", 100, 40)]
    instance = make_instance(jobs, [2] * 200)
    root = drawn(instance, plan(("j", 0, {"s0": 2}), ("a", 0, servers), ("b", 0, servers)))
    fills: dict[str, list[float]] = {}
    for cells in elements(root, "density"):
        for left, top, _, _ in boxes(cells):
            if left < place_of(root, 10):
                fills.setdefault(str(cells.get("fill")), []).append(top)
    assert len(fills.pop(BAND)) == 19
    used, slow = sorted(fills, key=lambda fill: min(fills[fill]))
    assert len(fills[used]) == 1
    assert max(fills[used]) < min(fills[slow])
    assert len(fills[slow]) == 20  # 100 servers, five of them in a row.
    assert sum(bytes.fromhex(slow[1:])) < 0.75 * sum(bytes.fromhex(used[1:]))
    keys = [text.text for text in elements(root, "key")]
    assert keys == ["0 %", "50 %", "100 %", "x2", "x5"]


def test_of_too_many_shades_averages_are_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    servers = {f"s{s}": 1 for s in range(10)}
    instance = make_instance([ring(f"r{i}", 10, 40 + i) for i in range(30)], [30] * 10)
    schedule = plan(*((f"r{i}", 5 * i, servers) for i in range(30)))

    def count() -> int:
        shades = elements(drawn(instance, schedule), "shade")
        return sum(len(boxes(shade)) for shade in shades)

    assert count() > 900
    monkeypatch.setattr(bars, "MAX_SHADES", 600)
    assert 300 <= count() <= 600
