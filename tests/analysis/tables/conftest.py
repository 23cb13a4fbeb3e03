"""A LaTeX that compiles a text, where there is one."""

from collections.abc import Callable
from pathlib import Path

import pytest
from latex import compile_latex


@pytest.fixture
def compiled(tmp_path: Path) -> Callable[[str], str]:
    """Return a function that compiles a document and returns the log."""

    def compile(text: str) -> str:
        (tmp_path / "tables.tex").write_text(text, encoding="ascii")
        # A `longtable` knows how wide its columns are when LaTeX runs again.
        return compile_latex(tmp_path, "tables", 1 + (r"\begin{longtable}" in text))

    return compile
