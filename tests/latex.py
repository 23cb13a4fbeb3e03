"""A LaTeX that compiles a document, where there is one."""

import shutil
import subprocess
from pathlib import Path

import pytest

LATEX = shutil.which("pdflatex")


def compile_latex(folder: Path, name: str, passes: int) -> str:
    """Compile a file of a folder several times, and return the log of the last one."""
    if LATEX is None:
        pytest.skip("no pdflatex is installed, so whether tables compile is not tested")
    options = ["-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape"]
    for _ in range(passes):
        done = subprocess.run(
            [LATEX, *options, name],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=120,
            check=False,
        )
        log = (folder / f"{name}.log").read_text(encoding="latin-1")
        assert done.returncode == 0, log[-3000:]
    return log
