"""Large clusters and many jobs: the picture keeps a sane size, and so does the file."""

from xml.etree import ElementTree

import pytest
from gantt.drawing import boxes, drawn, make_instance, of_job, plan, ring, shift_work, svg_text
from gantt.drawing import with_class as elements

from ringyard.analysis.gantt.makespan import bars


@pytest.mark.parametrize(("servers", "gpus"), [(1, 1), (7, 3), (200, 16), (380, 4), (3, 900)])
def test_size_and_server_labels_stay_within_reason(servers: int, gpus: int) -> None:
    root = drawn(*shift_work(servers, servers, gpus))
    assert float(root.attrib["height"]) < 3500
    labels = elements(root, "server")
    rows = [float(label.attrib["y"]) for label in labels]
    sizes = [float(label.attrib["font-size"]) for label in labels]
    assert len(labels) >= min(servers, 100)
    assert all(b - a >= size for a, b, size in zip(rows, rows[1:], sizes, strict=False))


def test_two_thousand_jobs_are_all_drawn_in_a_small_file() -> None:
    text = svg_text(*shift_work(2000, 200, 15))
    assert len(elements(ElementTree.fromstring(text), "piece")) == 2000
    assert len(text.encode()) < 2_000_000


def test_of_very_many_servers_the_longest_at_work_are_drawn() -> None:
    instance, schedule = shift_work(1001, 500, 1)
    root = drawn(instance, schedule)
    assert of_job(root, 1000, "piece")
    assert len(elements(root, "piece")) == 401 + 400
    (note,) = elements(root, "note")
    assert note.text == "Only the 400 busiest of 500 servers are drawn."


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
