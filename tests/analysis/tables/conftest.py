"""A LaTeX that compiles a text, where there is one."""

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

LATEX = shutil.which("pdflatex")


@pytest.fixture
def compiled(tmp_path: Path) -> Callable[[str], str]:
    """Return a function that compiles a document and returns the log."""
    if LATEX is None:
        pytest.skip("no pdflatex is installed, so whether tables compile is not tested")

    def compile(text: str) -> str:
        (tmp_path / "tables.tex").write_text(text, encoding="ascii")
        options = ["-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape"]
        # A `longtable` knows how wide its columns are when LaTeX runs again.
        for _ in range(1 + (r"\begin{longtable}" in text)):
            done = subprocess.run(
                [LATEX, *options, "tables.tex"],
                cwd=tmp_path,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=120,
                check=False,
            )
        log = (tmp_path / "tables.log").read_text(encoding="latin-1")
        assert done.returncode == 0, log[-3000:]
        return log

    return compile
