"""How the page looks and is reached: light and dark, on a phone, by keys alone."""

from pathlib import Path
from typing import Any

import pytest

from ringyard.analysis.report import to_page

from .browser import Browser
from .made import report_of, small_campaign

TEXTS = """
[...document.querySelectorAll('body *')].filter(e => e.offsetHeight && e.tagName != 'OPTION'
  && [...e.childNodes].some(n => n.nodeType == 3 && n.textContent.trim())
  && !e.closest('figure svg')).map(e => {
    const style = getComputedStyle(e); let ground = e;
    while (/rgba\\(.*, 0\\)/.test(getComputedStyle(ground).backgroundColor)) ground = ground.parentElement;
    return [e.tagName + ' ' + e.textContent.trim().slice(0, 40), style.color,
      getComputedStyle(ground).backgroundColor];
})
"""  # noqa: E501


def luminance(colour: str) -> float:
    """Return the relative luminance of a colour, by the definition of WCAG 2."""
    parts = [float(part) / 255 for part in colour.partition("(")[2].rstrip(")").split(",")[:3]]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    """Return the contrast of two colours, from 1 to 21."""
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("dark", [False, True])
def test_every_text_can_be_read(browser: Browser, small_page: Path, dark: bool) -> None:
    browser.open(small_page, dark=dark)
    browser.run("grids.get('runs').choose(0)")
    texts: list[list[str]] = browser.run(TEXTS)
    assert len(texts) > 200
    poor = [text for text in texts if contrast(text[1], text[2]) < 4.5]
    assert not poor


def test_light_and_dark_differ_and_the_button_changes_them(
    browser: Browser, small_page: Path
) -> None:
    ground = "getComputedStyle(document.body).backgroundColor"
    browser.open(small_page)
    light = browser.run(ground)
    browser.run("document.getElementById('theme').click()")
    assert luminance(browser.run(ground)) < 0.05 < luminance(light)
    browser.open(small_page, dark=True)
    dark = browser.run(ground)
    browser.run("document.getElementById('theme').click()")
    assert luminance(dark) < 0.05 < luminance(browser.run(ground))


@pytest.mark.parametrize("width", [400, pytest.param(1280, marks=pytest.mark.slow)])
def test_no_part_is_wider_than_the_window(browser: Browser, tmp_path: Path, width: int) -> None:
    rows, sources = small_campaign()
    long = {"instance": "x" * 300, "method": "m" * 300}
    changed = [row | long if row["method"] == "sjf-bco" else row for row in rows]
    page = tmp_path / "long.html"
    page.write_text(to_page(report_of(changed, sources, name="n" * 300)), encoding="utf-8")
    browser.open(page, width=width, height=800)
    assert browser.run("document.documentElement.scrollWidth") == width


def test_nothing_moves_while_the_page_is_built(browser: Browser, small_page: Path) -> None:
    script = """new Promise(done => new PerformanceObserver(list =>
        done(list.getEntries().reduce((sum, entry) => sum + entry.value, 0))
      ).observe({type: 'layout-shift', buffered: true}) ?? setTimeout(() => done(0), 200))"""

    def moved() -> float:
        browser.open(small_page)
        browser.settle()
        return float(browser.run(script))

    # A browser that has to wait for the processor may paint the page half built.
    assert min(moved() for _ in range(5)) < 0.1


def test_keys_alone_reach_everything_and_show_where_they_are(
    browser: Browser, small_page: Path
) -> None:
    browser.open(small_page)
    wanted = set(
        browser.run(
            "[...document.querySelectorAll('a, button, select, input, canvas, table')]"
            ".filter(e => e.offsetHeight).map((e, i) => e.dataset.stop = String(i))"
        )
    )
    met: list[Any] = []
    look = "(e => [e.dataset.stop, getComputedStyle(e).outlineStyle != 'none' || !!e.closest(" \
           "'.scroller, .chart')])(document.activeElement)"  # fmt: skip
    for _ in range(len(wanted) + 5):
        browser.call("Input.dispatchKeyEvent", type="keyDown", key="Tab", windowsVirtualKeyCode=9)
        browser.call("Input.dispatchKeyEvent", type="keyUp", key="Tab", windowsVirtualKeyCode=9)
        met.append(browser.run(look))
    assert wanted - {stop for stop, _ in met} == set()
    assert all(outlined for stop, outlined in met if stop)


def test_enter_on_a_head_sorts(browser: Browser, small_page: Path) -> None:
    browser.open(small_page)
    head = "document.querySelectorAll('[data-grid=runs] th')[0]"
    browser.run(f"{head}.firstChild.focus()")
    browser.press("Enter")
    assert browser.run(f"{head}.ariaSort") == "ascending"
    browser.press("Enter")
    assert browser.run(f"{head}.ariaSort") == "descending"


def test_nothing_goes_wrong_and_nothing_is_asked_of_a_network(
    browser: Browser, small_page: Path
) -> None:
    browser.open(small_page)
    browser.settle()
    assert not browser.faults()
    assert browser.run("document.querySelectorAll('[data-grid] table').length") >= 5


def test_the_policy_stops_what_would_be_loaded(browser: Browser, small_page: Path) -> None:
    browser.open(small_page)
    stopped = "fetch('data:text/plain,hello').then(() => 'loaded', () => 'stopped')"
    assert browser.run(stopped) == "stopped"
    assert browser.faults(), "the browser says that it was stopped"


def test_printing_shows_more_rows_than_the_window(browser: Browser, small_page: Path) -> None:
    browser.open(small_page)
    rows = "document.querySelectorAll('[data-grid=runs] tr[data-place]').length"
    browser.settle()
    few = browser.run(rows)
    browser.run("dispatchEvent(new Event('beforeprint'))")
    assert browser.run(rows) == 100 > few
    more = "document.querySelector('[data-grid=runs] .scroller').dataset.more"
    assert browser.run(more) == "3 more are not printed"
    browser.run("dispatchEvent(new Event('afterprint'))")
    assert browser.run(rows) == few


IN_SIGHT = """[...document.querySelectorAll('[data-grid=%s] th')].filter(
  th => th.getBoundingClientRect().right <= innerWidth).map(th => th.textContent)"""


@pytest.mark.parametrize(
    ("grid", "heads"),
    [
        ("methods", ["method", "solved", "mean ratio"]),
        ("runs", ["instance", "method", "objective", "gap"]),
    ],
)
def test_a_narrow_screen_shows_the_columns_that_matter(
    browser: Browser, small_page: Path, grid: str, heads: list[str]
) -> None:
    browser.open(small_page, width=400)
    assert browser.run(IN_SIGHT % grid)[: len(heads)] == heads
    browser.resize(1900, 900)
    browser.settle()
    wide = browser.run(IN_SIGHT % grid)
    assert {*heads} < {*wide}
    assert wide[: len(heads)] != heads
