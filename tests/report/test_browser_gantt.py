"""Schedules in a real browser: asked about jobs, zoomed and moved, by mouse and by keys."""

from pathlib import Path

import pytest

from .browser import Browser

CHART = "document.querySelector('#gantt')"


def words(browser: Browser) -> str:
    """Return what is said about a job, or nothing."""
    text: str = browser.run(f"(t => t.hidden ? '' : t.innerText)({CHART}.querySelector('.tip'))")
    return text


def span(browser: Browser) -> tuple[float, float]:
    """Return the range of time in sight, as the page states it."""
    text: str = browser.run(f"{CHART}.querySelector('output').textContent")
    start, _, end = text.removeprefix("slots ").partition(" of ")[0].partition(" to ")
    return float(start), float(end)


def place(browser: Browser, slot: float, server: int, lane: int = 0) -> tuple[float, float]:
    """Return where a lane of a server is at a moment, by the layout of the chart."""
    browser.run(f"{CHART}.querySelector('canvas').scrollIntoView({{block: 'center'}})")
    script = (
        "(r => [r.x + gantt.x(SLOT), r.y + gantt.tops[SERVER] + (LANE + 0.5) * gantt.lane])"
        f"({CHART}.querySelector('canvas').getBoundingClientRect())"
    )
    for name, value in {"SLOT": slot, "SERVER": server, "LANE": lane}.items():
        script = script.replace(name, str(value))
    x, y = browser.run(script)
    return x, y


def test_hovering_tells_job_gang_contention_and_rate(browser: Browser, small_page: Path) -> None:
    browser.open(small_page)
    browser.point(*place(browser, 6, 1, 0))
    said = words(browser)
    name = said.splitlines()[0]
    assert name in ("alpha", "beta")
    assert "now: s0: 1 GPU, s1: 1 GPU" in said
    assert "contention: 2 rings on its busiest server, slowdown 2" in said
    assert "rate: 0.33" in said, "an iteration takes 1 s alone on the uplink, and 1 s of reduction"
    browser.point(*place(browser, 20, 1, 0))
    said = words(browser)
    assert said.startswith("alpha")
    assert "contention: 1 ring on its busiest server, slowdown 1" in said
    browser.point(5, 5)
    assert words(browser) == ""
    assert not browser.faults()


def test_the_wheel_zooms_around_the_pointer_and_reset_restores(
    browser: Browser, small_page: Path
) -> None:
    browser.open(small_page)
    whole = span(browser)
    x, y = place(browser, 6, 0)
    browser.wheel(x, y, -240)
    start, end = span(browser)
    assert whole[0] < start < 6 < end < whole[1]
    assert place(browser, 6, 0)[0] == pytest.approx(x, abs=1)
    browser.run(f"{CHART}.querySelector('[aria-label=\"show all of it\"]').click()")
    assert span(browser) == whole


def test_dragging_moves_the_time_and_stops_at_the_ends(browser: Browser, small_page: Path) -> None:
    browser.open(small_page)
    whole = span(browser)
    browser.run("gantt.zoom(4)")
    start, end = span(browser)
    x, y = place(browser, (start + end) / 2, 0)
    browser.drag((x, y), (x - 100, y))
    later = span(browser)
    assert later[0] > start
    assert later[1] - later[0] == pytest.approx(end - start, abs=0.2)
    for _ in range(4):
        browser.drag((x - 300, y), (x + 400, y))
    assert span(browser)[0] == whole[0]


def test_two_fingers_zoom_between_them(browser: Browser, small_page: Path) -> None:
    browser.open(small_page)
    whole = span(browser)
    x, y = place(browser, 6, 0)

    def touch(kind: str, *places: float) -> None:
        points = [{"x": one, "y": y, "id": i} for i, one in enumerate(places)]
        browser.call("Input.dispatchTouchEvent", type=kind, touchPoints=points)

    touch("touchStart", x - 40, x + 40)
    touch("touchMove", x - 80, x + 40)
    touch("touchMove", x - 80, x + 80)
    touch("touchEnd")
    start, end = span(browser)
    assert end - start == pytest.approx((whole[1] - whole[0]) / 2, abs=0.2)
    assert start < 6 < end


def test_keys_do_all_that_the_mouse_does(browser: Browser, small_page: Path) -> None:
    browser.open(small_page)
    whole = span(browser)
    browser.run(f"{CHART}.querySelector('.zoom button:last-child').focus()")
    browser.press("Tab")
    assert words(browser).startswith("alpha"), "the first job is chosen"
    said = [words(browser)]
    for _ in range(2):
        browser.press("ArrowDown")
        said.append(words(browser))
    assert [text.splitlines()[0] for text in said] == ["alpha", "beta", "gamma"]
    assert all("now: " in text and "rate: " in text for text in said)
    assert "no contention" in said[2]
    browser.press("+", 2)
    near = span(browser)
    assert near[1] - near[0] < 0.6 * (whole[1] - whole[0])
    browser.press("ArrowRight")
    assert span(browser)[0] > near[0]
    browser.press("ArrowLeft")
    assert span(browser) == near
    browser.press("-")
    assert span(browser)[1] - span(browser)[0] > near[1] - near[0]
    browser.press("0")
    assert span(browser) == whole
    browser.press("Escape")
    assert words(browser) == ""


def test_a_job_out_of_sight_is_brought_into_it(browser: Browser, small_page: Path) -> None:
    browser.open(small_page)
    browser.run(f"gantt.look(20, 22); {CHART}.querySelector('canvas').focus()")
    browser.press("ArrowDown", 3)
    assert words(browser).startswith("gamma")
    assert span(browser)[0] < 7


def test_the_picture_changes_with_the_theme(browser: Browser, small_page: Path) -> None:
    browser.open(small_page)
    pixel = f"[...{CHART}.querySelector('canvas').getContext('2d').getImageData(2, 2, 1, 1).data]"
    light = browser.run(pixel)
    browser.run("document.getElementById('theme').click()")
    dark = browser.run(pixel)
    assert min(light[:3]) > 200
    assert max(dark[:3]) < 60
