"""The table of runs in a real browser: sorted, filtered, walked through."""

from pathlib import Path
from typing import Any

import pytest

from .browser import Browser

RUNS = "document.querySelector('[data-grid=runs]')"
HEAD = RUNS + ".querySelectorAll('th button')"
BOX = "(e => [e.getBoundingClientRect().top, e.getBoundingClientRect().bottom])({})"
ROWS = RUNS + ".querySelectorAll('tr[data-place]')"


def names(browser: Browser) -> list[str]:
    """Return the heads of the columns."""
    found: list[str] = browser.run(f"[...{HEAD}].map(b => b.textContent)")
    return found


def column(browser: Browser, name: str) -> list[str]:
    """Return the cells of a column in the rows that are in the page."""
    place = names(browser).index(name)
    cells: list[str] = browser.run(f"[...{ROWS}].map(r => r.cells[{place}].textContent)")
    return cells


def numbers(browser: Browser, name: str) -> list[float]:
    """Return the numbers of a column, without cells that have none."""
    cells = [text.replace(",", "").removesuffix(" %") for text in column(browser, name)]
    return [float(text) for text in cells if text]


def middle(browser: Browser, element: str) -> tuple[float, float]:
    """Bring an element into sight and return its middle."""
    browser.run(f"{element}.scrollIntoView({{block: 'center'}})")
    script = f"(r => [r.x + r.width / 2, r.y + r.height / 2])({element}.getBoundingClientRect())"
    x, y = browser.run(script)
    return x, y


def click(browser: Browser, element: str) -> None:
    """Click on an element."""
    place = middle(browser, element)
    browser.drag(place, place)


def click_head(browser: Browser, name: str) -> None:
    """Click on the head of a column."""
    click(browser, f"{HEAD}[{names(browser).index(name)}]")


def sorted_by(browser: Browser) -> dict[str, str]:
    """Return the columns that say that they are sorted."""
    script = (
        f"Object.fromEntries([...{HEAD}].map(b => [b.textContent, b.parentElement.ariaSort])"
        ".filter(([, order]) => order !== 'none'))"
    )
    found: dict[str, str] = browser.run(script)
    return found


def shown(browser: Browser) -> str:
    """Return what is said about the number of rows."""
    text: str = browser.run(RUNS + ".querySelector('output').textContent")
    return text


def filter_by(browser: Browser, text: str) -> None:
    """Type into the empty filter."""
    browser.run(RUNS + ".querySelector('input[type=search]').select()")
    browser.type(text)


def test_a_click_sorts_up_and_another_down(browser: Browser, small_page: Path) -> None:
    browser.open(small_page)
    click_head(browser, "objective")
    values = numbers(browser, "objective")
    assert len(values) > 20
    assert values == sorted(values)
    assert sorted_by(browser) == {"objective": "ascending"}
    click_head(browser, "objective")
    values = numbers(browser, "objective")
    assert values == sorted(values, reverse=True)
    assert sorted_by(browser) == {"objective": "descending"}
    assert not browser.faults()


def test_numbers_are_sorted_as_numbers_and_what_is_missing_comes_last(
    browser: Browser, small_page: Path
) -> None:
    browser.open(small_page)
    for _ in range(2):
        click_head(browser, "nodes")
        browser.run(RUNS + ".querySelector('.scroller').scrollTop = 1e9")
        browser.settle()
        assert set(column(browser, "nodes")[-20:]) == {""}
        browser.run(RUNS + ".querySelector('.scroller').scrollTop = 0")
        browser.settle()
        assert "" not in column(browser, "nodes")[:15]


def test_sorting_is_stable(browser: Browser, small_page: Path) -> None:
    browser.open(small_page)
    filter_by(browser, "random")

    def pairs() -> list[tuple[float, float]]:
        return list(zip(numbers(browser, "seed"), numbers(browser, "seconds"), strict=True))

    click_head(browser, "seconds")
    click_head(browser, "seed")
    assert pairs() == sorted(pairs())
    assert len({seed for seed, _ in pairs()}) > 1
    click_head(browser, "seed")
    assert pairs() == sorted(pairs(), key=lambda pair: (-pair[0], pair[1]))


def test_a_filter_keeps_rows_that_pass_all_its_words(browser: Browser, small_page: Path) -> None:
    expected = {
        "yard": "3 of 103 runs",
        "YARD branch": "1 of 103 runs",
        "minute after": "1 of 103 runs",
        "method=linearised:scip seed<2": "4 of 103 runs",
        "seed>=9": "10 of 103 runs",
        "gap=50%": "1 of 103 runs",
        "no-such-thing": "0 of 103 runs",
        " ": "103 runs",
    }
    browser.open(small_page)
    found = {}
    for words in expected:
        filter_by(browser, words)
        found[words] = shown(browser)
    assert found == expected


def test_a_box_hides_the_runs_of_a_status(browser: Browser, small_page: Path) -> None:
    browser.open(small_page)
    before = column(browser, "status")
    boxes = f"[...{RUNS}.querySelectorAll('label')]"
    click(browser, f"{boxes}.find(l => l.textContent.includes('feasible')).firstChild")
    assert "feasible" in before
    assert "feasible" not in column(browser, "status")
    assert " of 103 runs" in shown(browser)


def test_the_table_is_walked_by_keys_and_tells_of_the_chosen_run(
    browser: Browser, small_page: Path
) -> None:
    browser.open(small_page)
    browser.run(RUNS + ".querySelector('table').focus()")
    chosen = "(document.activeElement.getAttribute('aria-activedescendant') ?? '')"

    def place(key: str, times: int = 1) -> str:
        browser.press(key, times)
        found: str = browser.run(chosen)
        row = browser.run(BOX.format(f"document.getElementById('{found}')"))
        window = browser.run(BOX.format(f"{RUNS}.querySelector('.scroller')"))
        assert window[0] <= row[0] < row[1] <= window[1], f"{found} is out of sight after {key}"
        return found

    assert place("ArrowDown") == "runs-0"
    assert place("ArrowDown", 2) == "runs-2"
    assert place("ArrowUp") == "runs-1"
    assert int(place("PageDown").removeprefix("runs-")) > 5
    assert place("End") == "runs-102"
    assert place("ArrowDown") == "runs-102"
    assert place("Home") == "runs-0"
    text: str = browser.run(RUNS + ".querySelector('.detail').innerText")
    assert "node1" in text
    assert "c0de" in text


def test_a_failed_run_says_why(browser: Browser, small_page: Path) -> None:
    browser.open(small_page)
    filter_by(browser, "yard timed")
    click(browser, f"{ROWS}[0]")
    text: str = browser.run(RUNS + ".querySelector('.detail').innerText")
    assert "it did not end within a minute after its time limit" in text
    assert "timed out" in column(browser, "status")


def test_the_matrix_shows_what_the_buttons_choose(browser: Browser, small_page: Path) -> None:
    browser.open(small_page)
    visible = "[...document.querySelectorAll('[data-grid^=makespan]')].filter(g => g.offsetHeight)"
    grids = visible + ".map(g => g.dataset.grid)"
    assert browser.run(grids) == ["makespan-objective"]
    click(browser, "document.querySelector('button[value=matrix-makespan-gap]')")
    assert browser.run(grids) == ["makespan-gap"]
    assert browser.run(f"{visible}[0].querySelectorAll('tr[data-place]').length") > 2


@pytest.mark.slow
def test_50_000_runs_can_be_sorted_filtered_and_scrolled(
    browser: Browser, large_page: Path
) -> None:
    browser.open(large_page)
    count = f"{ROWS}.length"
    assert shown(browser) == "50,000 runs"
    click_head(browser, "seconds")
    values = numbers(browser, "seconds")
    assert values == sorted(values)
    tops: list[Any] = []
    for part in (0.25, 0.5, 0.999):
        browser.run(f"(s => {{ s.scrollTop = {part} * s.scrollHeight }})"
                    f"({RUNS}.querySelector('.scroller'))")  # fmt: skip
        browser.settle()
        tops.append(numbers(browser, "seconds")[0])
        assert 0 < browser.run(count) < 200
    assert tops == sorted(set(tops)), "further down there are larger values"
    filter_by(browser, "random-0123 sjf-bco")
    assert shown(browser) == "10 of 50,000 runs"
    browser.run(RUNS + ".querySelector('table').focus()")
    browser.press("End")
    assert browser.run("document.querySelectorAll('*').length") < 4000
    assert not browser.faults()
