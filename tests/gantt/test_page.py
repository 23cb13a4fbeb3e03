"""The HTML page: everything in one file, with the numbers, the picture and a table of jobs."""

import re
from dataclasses import replace
from fractions import Fraction
from html.parser import HTMLParser

import pytest
from gantt.drawing import RINGS, TOGETHER, facts_of, job, make_instance, plan

from ringyard.analysis.gantt import page
from ringyard.analysis.gantt.makespan import lay_out, to_page
from ringyard.analysis.timeline.makespan import MakespanTimeline
from ringyard.instances import Server

VOID = {"meta", "rect", "path", "line"}
ROWS = [
    ["a", "2", "s0: 1, s1: 1", "0", "24", "1.50"],
    ["b", "2", "s0: 1, s1: 1", "0", "12", "2.00"],
]


class Reader(HTMLParser):
    """Collect the table's cells by row, all attributes, and what is left open."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.jobs: dict[str, set[str]] = {"tr": set(), "g": set()}
        self.names: set[str] = set()
        self.tags: list[str] = []
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.names |= {name for name, _ in attrs}
        number = dict(attrs).get("data-job")
        if number is not None:
            self.jobs[tag].add(number)
        if tag not in VOID:
            self.open.append(tag)
        if tag == "tr":
            self.rows.append([])
        if tag == "td":
            self.rows[-1].append("")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.names |= {name for name, _ in attrs}

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] == "td":
            self.rows[-1][-1] += data


def read(facts: MakespanTimeline) -> tuple[str, Reader]:
    """Write a page and read it."""
    text = to_page(facts, lay_out(facts))
    reader = Reader()
    reader.feed(text)
    reader.close()
    assert not reader.open
    return text, reader


def test_the_table_lists_the_jobs() -> None:
    _, reader = read(facts_of(RINGS, TOGETHER))
    assert reader.rows[1:] == [*ROWS, ["c", "1", "s0: 1", "2", "7", "1.00"]]


def test_the_table_is_in_order_of_start() -> None:
    schedule = plan(("a", 9, {"s0": 2}), ("c", 4, {"s1": 1}), ("b", 4, {"s0": 2}))
    _, reader = read(facts_of(RINGS, schedule))
    assert [row[0] for row in reader.rows[1:]] == ["b", "c", "a"]


def test_every_row_has_its_bars() -> None:
    _, reader = read(facts_of(RINGS, TOGETHER))
    assert reader.jobs["tr"] == reader.jobs["g"] == {"0", "1", "2"}


def test_nothing_is_fetched_from_elsewhere() -> None:
    text, reader = read(facts_of(RINGS, TOGETHER, Fraction(12)))
    assert not re.search(r"https?:|url\(|@import|fetch\(|import ", text)
    assert not reader.names & {"src", "href", "xlink:href", "srcset", "action", "data"}
    assert not {"link", "img", "iframe", "object", "base"} & set(reader.tags)


def test_the_numbers_stand_above() -> None:
    text, _ = read(facts_of(RINGS, TOGETHER, Fraction(12)))
    for name, value in (("makespan", "24"), ("bound", "12"), ("gap", "50.0 %"), ("GPUs", "6")):
        assert f"<dt>{name}</dt><dd>{value}</dd>" in text
    assert 'class="wrong"' not in text


def test_an_invalid_schedule_is_called_so() -> None:
    text, _ = read(facts_of(RINGS, plan(("c", 0, {"s0": 2}))))
    assert '<p class="wrong">not valid: every_job_once 2, gang 1</p>' in text


@pytest.mark.parametrize("name", ["</script><b>", "<&\"'>", "</td></table>", "</title></svg>"])
def test_names_cannot_break_out(name: str) -> None:
    instance = make_instance([job(name, 1, 3)], [1])
    cluster = replace(instance.cluster, servers=(Server(name=name, gpus=1),))
    instance = replace(instance, name=name, cluster=cluster)
    _, reader = read(facts_of(instance, plan((name, 0, {name: 1}), method=name)))
    assert reader.rows[1][:3] == [name, "1", f"{name}: 1"]
    assert "b" not in reader.tags


def test_a_long_table_is_cut_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page, "MAX_ROWS", 2)
    text, reader = read(facts_of(RINGS, TOGETHER))
    assert reader.rows[1:] == ROWS
    assert "1 more jobs" in text
