"""The draft of a paper can be built from a checkout."""

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
@pytest.mark.skipif(not (shutil.which("pdflatex") and shutil.which("bibtex")), reason="no LaTeX")
def test_the_paper_is_built_and_no_reference_is_missing(tmp_path: Path) -> None:
    done = subprocess.run(
        ["make", "--silent", "paper", f"OUT={tmp_path}"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert (tmp_path / "paper.pdf").stat().st_size > 20_000
    log = (tmp_path / "paper.log").read_text(encoding="latin-1")
    assert "undefined" not in log
