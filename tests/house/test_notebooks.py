"""Notebooks run from the first cell to the last, and hold no outputs."""

import json
import sys
from pathlib import Path

import pytest
from house.test_rooms import ROOT

sys.path.append(str(ROOT / "docs"))
from notebook_pages import as_markdown, ran

NOTEBOOKS = sorted((ROOT / "docs/notebooks").glob("*.ipynb"))


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(one, marks=[pytest.mark.slow] if one.stem == "own-scheduler" else [])
        for one in NOTEBOOKS
    ],
    ids=lambda path: path.stem,
)
def test_a_notebook_runs_and_draws(path: Path) -> None:
    cells = [*ran(path.read_text(encoding="utf-8"), path.name)]
    given = [cell.given for cell in cells if cell.code]
    assert sum("<svg" in text for text in given) >= 1
    assert given[-1], "the last cell shows nothing"


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_holds_no_outputs(path: Path) -> None:
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    code = [cell for cell in cells if cell["cell_type"] == "code"]
    assert code
    assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in code)


def test_the_index_shows_every_notebook() -> None:
    index = (ROOT / "docs/index.md").read_text(encoding="utf-8")
    assert len(NOTEBOOKS) >= 3
    assert all(f"notebooks/{path.stem}\n" in index for path in NOTEBOOKS)


def notebook(*sources: str) -> str:
    """Return a notebook with cells of code."""
    cells = [{"cell_type": "code", "source": [source]} for source in sources]
    return json.dumps({"cells": [{"cell_type": "markdown", "source": ["# Title"]}, *cells]})


def test_a_page_shows_what_is_printed_and_the_last_value() -> None:
    page = as_markdown(notebook("x = 20", "print('seen', x)\nx + 1"), "one")
    assert page.startswith("# Title\n")
    assert "``````text\nseen 20\n``````" in page
    assert "``````text\n21\n``````" in page


def test_a_cell_that_fails_ends_it_with_its_place() -> None:
    before = Path.cwd()
    with pytest.raises(ZeroDivisionError) as caught:
        as_markdown(notebook("x = 0", "1 / x"), "one.ipynb")
    assert str(caught.traceback[-1].path).endswith("one.ipynb, cell 3")
    assert Path.cwd() == before
