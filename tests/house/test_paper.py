"""The draft of a paper can be built from a checkout."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
@pytest.mark.skipif(not (shutil.which("pdflatex") and shutil.which("bibtex")), reason="no LaTeX")
def test_the_paper_is_built_and_no_reference_is_missing(tmp_path: Path) -> None:
    # A folder that stands for the environment of this test, so that make sets up none.
    place = tmp_path / "env"
    place.mkdir()
    (place / "bin").symlink_to(Path(sys.executable).parent)
    (place / ".place").write_text(f"{ROOT}\n", encoding="utf-8")
    (place / ".ready-test").touch()
    done = subprocess.run(
        ["make", "--silent", "paper", f"OUT={tmp_path}", f"VENV={place}"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert (tmp_path / "paper.pdf").stat().st_size > 20_000
    log = (tmp_path / "paper.log").read_text(encoding="latin-1")
    assert "undefined" not in log
