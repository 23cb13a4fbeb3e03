"""A look at which processes are left, and child processes that know hostile methods."""

from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest
from campaigns.executors.doing import eventually

HERE = Path(__file__).parent


@pytest.fixture(autouse=True)
def processes(monkeypatch: pytest.MonkeyPatch) -> Iterator["Marked"]:
    """Mark every process that a test starts, and fail if one is left."""
    marked = Marked(uuid4().hex)
    monkeypatch.setenv("MARK", marked.mark)
    yield marked
    eventually(lambda: not marked.found())


class Marked:
    """Processes with a mark in their environment, wherever they went."""

    def __init__(self, mark: str) -> None:
        self.mark = mark

    def found(self, word: str = "") -> list[int]:
        """Return those whose command ends in a word, and that live."""
        return [
            int(folder.name)
            for folder in Path("/proc").iterdir()
            if folder.name.isdigit()
            and self.mark.encode() in _read(folder / "environ")
            and word.encode() in _read(folder / "cmdline")
        ]


@pytest.fixture
def hostile(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every process that a test starts know the methods of `hostile/sitecustomize.py`."""
    monkeypatch.syspath_prepend(str(HERE / "hostile"))


@pytest.fixture
def waiting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> "Waiting":
    """Tell when the method `waits` has begun, and let it end."""
    folder = tmp_path / "waiting"
    folder.mkdir()
    monkeypatch.setenv("WAITS", str(folder))
    return Waiting(folder)


class Waiting:
    """The folder in which a process of the method `waits` leaves its number."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.known = folder, set[Path]()

    def new(self) -> int:
        """Return the process that has begun since, or 0."""
        new = {*self.folder.iterdir()} - self.known
        self.known |= new
        return max((int(path.name.partition("-")[0]) for path in new), default=0)

    def end(self) -> None:
        """Let it answer."""
        (self.folder / "go").touch()


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""
