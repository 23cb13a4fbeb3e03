"""Baselines: painted pictures held against PNG files beside the tests."""

from collections.abc import Callable
from pathlib import Path

import pytest
from figures.painted import difference, png

from ringyard.analysis.drawing.shapes import Picture

TOLERANCE = 0.05
"""How far the mean of a small block of pixels may be off, from 0 (black) to 1 (white)."""


@pytest.fixture
def baseline(request: pytest.FixtureRequest) -> Callable[[str, Picture], None]:
    """Hold a picture against `golden/<name>.png`; ``pytest --write-golden`` writes it anew."""
    folder: Path = request.path.parent / "golden"

    def compare(name: str, picture: Picture) -> None:
        path = folder / f"{name}.png"
        made = png(picture)
        if request.config.getoption("--write-golden"):
            folder.mkdir(exist_ok=True)
            path.write_bytes(made)
        assert path.exists(), f"no {path.name}: run pytest --write-golden"
        assert difference(made, path.read_bytes()) <= TOLERANCE

    return compare
