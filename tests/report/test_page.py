"""The page as a file: whole in itself, safe against hostile names, the same on every run."""

import json
import re
from base64 import b64encode
from hashlib import sha256
from html.parser import HTMLParser
from typing import Any

import pytest

from ringyard.analysis.report import to_page

from .made import many_rows, report_of, row, small_campaign

HOSTILE = "</script><script>alert(1)</script>\"'&\u2028]]><!--"


class Reader(HTMLParser):
    """Collects scripts, and all that a browser could load or run."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.scripts: list[tuple[dict[str, str | None], str]] = []
        self.attributes: list[tuple[str, str, str | None]] = []
        self.text = ""
        self._script: dict[str, str | None] | None = None
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.attributes += [(tag, name, value) for name, value in attrs]
        if tag == "script":
            self._script = dict(attrs)
            self.scripts.append((self._script, ""))

    def handle_endtag(self, tag: str) -> None:
        if tag == "script":
            self._script = None

    def handle_data(self, data: str) -> None:
        if self._script is None:
            self.text += data
        else:
            self.scripts[-1] = (self._script, self.scripts[-1][1] + data)

    @property
    def data(self) -> Any:
        """The data of the page."""
        return json.loads(self.scripts[0][1])


def small_page(**words: Any) -> str:
    """Write the page of the small campaign."""
    return to_page(report_of(*small_campaign(), **words))


def test_the_same_rows_give_the_same_bytes() -> None:
    assert small_page() == small_page()


def test_nothing_is_loaded_from_anywhere() -> None:
    page = small_page()
    addresses = set(re.findall(r"https?://[^\"'\s)<]*", page))
    assert addresses == {"http://www.w3.org/2000/svg"}, "the name of SVG is no address to load"
    loading = {"src", "srcset", "data", "action", "poster", "ping"}
    reader = Reader(page)
    assert not [found for found in reader.attributes if found[1] in loading]
    links = [value for _, name, value in reader.attributes if name == "href"]
    assert links
    assert all(value and value.startswith("#") for value in links)
    assert "@import" not in page
    assert "url(" not in page


def test_the_policy_admits_the_one_script_by_its_digest_and_no_network() -> None:
    reader = Reader(small_page())
    policy = next(v for _, name, v in reader.attributes if name == "content" and "default-src" in v)
    _, script = reader.scripts[1]
    digest = b64encode(sha256(script.encode()).digest()).decode()
    assert policy is not None
    assert "default-src 'none'" in policy
    assert f"script-src 'sha256-{digest}'" in policy
    assert not [name for _, name, _ in reader.attributes if name.startswith("on")]


@pytest.mark.parametrize(
    "place", ["plan", *(pytest.param(one, marks=pytest.mark.slow) for one in ("name", "about"))]
)
def test_a_hostile_campaign_file_does_not_break_the_page(place: str) -> None:
    reader = Reader(small_page(**{place: HOSTILE}))
    assert len(reader.scripts) == 2
    assert "alert(1)" in reader.text


@pytest.mark.parametrize(
    "column",
    [
        "method",
        "note",
        *(pytest.param(one, marks=pytest.mark.slow) for one in ("instance", "host", "solver")),
    ],
)
def test_hostile_rows_do_not_break_the_page(column: str) -> None:
    rows = [row(), row(key="other", seed=1, **{column: HOSTILE})]
    page = to_page(report_of(rows))
    reader = Reader(page)
    assert len(reader.scripts) == 2
    columns = {one["name"]: one for one in reader.data["grids"]["runs"]["columns"]}
    values = [*columns[column].get("of", []), *columns[column].get("values", [])]
    assert HOSTILE.replace("\u2028", r"\u2028") in values


def test_contradictions_are_an_alarm_at_the_top() -> None:
    rows = [row(objective=11.0), row(method="bound", valid=False, objective=None, bound=12.0)]
    page = to_page(report_of(rows))
    assert 'role="alert"' in page
    assert "below the combinatorial bound 12.0" in page
    assert 'role="alert"' not in to_page(report_of([row()]))


def test_a_refuted_bound_is_nobodys_gap() -> None:
    rows = [row(objective=11.0, bound=5), row(method="liar", objective=11.0, bound=12.0)]
    columns = Reader(to_page(report_of(rows))).data["grids"]["makespan-gap"]["columns"]
    cells = {column["name"]: column["all"] for column in columns}
    assert cells["liar"] == "wrong"
    assert cells["sjf-bco"] == pytest.approx(6 / 11, rel=1e-5)


def test_the_head_counts_every_run_once() -> None:
    rows, sources = small_campaign()
    counts = report_of(rows, sources).counts
    parts = ("optimal", "other schedules", "no schedule", "bounds alone", "failed")
    assert counts["runs"] == len(rows) == sum(counts[part] for part in parts)
    assert counts["bounds alone"] == 1


def test_the_plan_and_the_environment_are_on_the_page() -> None:
    text = Reader(small_page(plan='name = "small"\nseeds = 3')).text
    for word in ('name = "small"', "node1", "3.13.1", "c0de", "PAR10", "ringyard run"):
        assert word in text


def test_a_page_of_one_failed_run_is_a_page() -> None:
    lost = {"valid": False, "objective": None, "bound": None, "bound_kind": None, "gap": None}
    page = to_page(report_of([row(status="crashed", seconds=None, note="signal 11", **lost)]))
    assert Reader(page).data["grids"]["runs"]["count"] == 1


def test_a_large_page_is_small_for_what_is_on_it() -> None:
    page = to_page(report_of(list(many_rows(2000))))
    assert len(page) < 200 * 2000
