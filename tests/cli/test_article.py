"""An article of two pages, whose tables and figures come from commands only, as it says itself."""

import re
import shlex
from collections.abc import Callable
from pathlib import Path
from shutil import copy
from typing import Any

import pytest
from latex import LATEX, compile_latex

PAPER = Path(__file__).parents[2] / "docs" / "paper"

POINTS = 5.0
"""Points by which a line may be too wide: as much as a reader does not see."""


@pytest.mark.slow
@pytest.mark.skipif(LATEX is None, reason="no pdflatex is installed to compile the article")
def test_an_article_of_tables_and_figures_compiles_and_fits(
    ringyard: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("article.tex", "rings.toml"):
        copy(PAPER / name, tmp_path)
    monkeypatch.chdir(tmp_path)
    text = Path("article.tex").read_text(encoding="utf-8")
    commands = re.findall(r"^% \$ ringyard (.*)", text, re.MULTILINE)
    for command in commands:
        done = ringyard(*shlex.split(command))
        assert done.code == 0, done.err
    tables, figures = re.findall(r"\\input\{", text), re.findall(r"\\includegraphics", text)
    assert (len(tables), len(figures), len(commands)) == (3, 2, 6)
    assert "***" in Path("ratios.tex").read_text() or "& * " in Path("ratios.tex").read_text()
    log = compile_latex(tmp_path, "article", 2)
    assert "(2 pages" in log
    assert "undefined" not in log
    too_wide = map(float, re.findall(r"Overfull \\[hv]box \(([0-9.]+)pt", log))
    assert [points for points in too_wide if points > POINTS] == []
    assert "Float too large" not in log
