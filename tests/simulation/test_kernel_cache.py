"""Compiled code is kept per version of the sources, in a place that only its user can write."""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ringyard.simulation import jit
from ringyard.simulation.jit import MODE, SESSION, entry, kernel, own_folder

COMPILES = """
import os, subprocess, sys
os.environ["RINGYARD_KERNELS"] = "compiled"
from ringyard.simulation.jit import SESSION, entry
answer = entry(lambda x: x + 1)(1)
folder = os.environ.get(SESSION, "")
print(answer, os.path.isdir(folder), folder, flush=True)
if len(sys.argv) > 1:
    subprocess.run([sys.executable, __file__], check=True)
"""

DIGESTS = """
import importlib, pathlib, ringyard
from ringyard.simulation.jit import digest
root = pathlib.Path(ringyard.__path__[0])
for room in ("simulation", "policies", "search"):
    for file in sorted((root / room).rglob("*.py")):
        if "@entry" in file.read_text(encoding="utf-8"):
            place = ".".join(file.relative_to(root).with_suffix("").parts)
            for one in vars(importlib.import_module(f"ringyard.{place}")).values():
                if type(one).__name__ == "_Entry":
                    print(one.__name__, digest(one))
"""


@pytest.fixture(autouse=True)
def fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jit, "cache_folder", jit.cache_folder.__wrapped__)
    monkeypatch.delenv(SESSION, raising=False)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Return a folder below which nobody else can write."""
    tmp_path.chmod(0o700)
    return tmp_path


def test_the_folder_follows_the_setting(monkeypatch: pytest.MonkeyPatch, place: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(place / "xdg"))
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    folder = jit.cache_folder()
    assert folder is not None
    assert folder.parent.parent == place / "xdg"
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(place))
    folder = jit.cache_folder()
    assert folder is not None
    assert folder.parent.parent == place
    assert folder.stat().st_mode & 0o777 == folder.parent.stat().st_mode & 0o777 == 0o700


def test_a_digest_is_of_all_that_a_kernel_is_made_from() -> None:
    """A change of a constant, a called kernel or its options makes another; a comment does not."""

    def digest(
        step: str = "x + ONE", one: str = "1", outer: str = "inner(x)", more: str = ""
    ) -> str:
        names: dict[str, Any] = {"kernel": kernel, "entry": entry, "__name__": "made"}
        text = f"""
ONE = {one}
{more}
@kernel
def inner(x):
    # {more}
    return {step}
@entry
def outer(x):
    '''Words {more}.'''
    return {outer}
"""
        exec(compile(text, "made.py", "exec"), names)
        return jit.digest(names["outer"])

    same = digest()
    assert digest() == same
    assert digest(more="UNUSED = 2") == same
    others = [digest(step="x + ONE + 0"), digest(one="2"), digest(one="1.0"), digest(outer="x")]
    assert len({same, *others}) == 5


def test_each_kernel_depends_on_what_has_a_digest_of_its_own() -> None:
    """The same in every process: nothing in it has an address."""
    words = [sys.executable, "-P", "-c", DIGESTS]
    one, two = (
        subprocess.run(words, env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True)
        for seed in ("1", "2")
    )
    assert one.stdout == two.stdout
    assert len(one.stdout.split()) > 40


def test_code_that_numba_cannot_keep_runs_and_its_file_is_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As with `NUMBA_OPT=0`: numba leaves addresses in the code, here that of a large array."""
    monkeypatch.setenv(MODE, "compiled")
    table = np.arange(200_000)
    with pytest.warns(Warning, match="Cannot cache") as found:
        assert entry(lambda place: table[place])(7) == 7
    assert [one.filename for one in found] == [__file__]


@pytest.mark.parametrize("mode", [0o777, 0o707])
@pytest.mark.parametrize("where", [".", "a", "a/b", "a/b/ringyard"])
def test_what_others_can_write_is_refused(where: str, mode: int, place: Path) -> None:
    own_folder(place / "a/b", "ringyard")
    (place / where).chmod(mode)
    with pytest.raises(
        PermissionError, match=re.escape(f"{place / where} can be written by other users")
    ):
        own_folder(place / "a/b", "ringyard")
    (place / where).chmod(0o700)
    assert own_folder(place / "a/b", "ringyard") == place / "a/b/ringyard"


def test_below_a_sticky_folder_only_ones_own_counts(place: Path) -> None:
    (place / "tmp").mkdir()
    (place / "tmp").chmod(0o1777)
    assert own_folder(place / "tmp/mine", "ringyard") == place / "tmp/mine/ringyard"
    assert own_folder(place / "tmp", "ringyard") == place / "tmp/ringyard"
    (place / "tmp/ringyard").rmdir()
    (place / "tmp/ringyard").symlink_to(place / "tmp/mine")
    with pytest.raises(PermissionError, match="is not yours"):
        own_folder(place / "tmp", "ringyard")


def test_the_folder_of_another_user_is_refused(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own_folder(place / "a", "ringyard")
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    with pytest.raises(PermissionError, match=r"belongs to another user|is not yours"):
        own_folder(place / "a", "ringyard")


def test_a_link_is_followed_to_where_it_leads_now(place: Path) -> None:
    (place / "open").mkdir()
    (place / "open").chmod(0o777)
    (place / "link").symlink_to("open")
    with pytest.raises(PermissionError, match=f"{place / 'open'} can be written by other users"):
        own_folder(place / "link")


@pytest.mark.parametrize(
    "kind", ["open", *(pytest.param(kind, marks=pytest.mark.slow) for kind in ("file", "lost"))]
)
def test_without_a_place_kernels_are_kept_for_the_session_and_it_is_told_once(
    kind: str, place: Path
) -> None:
    base = place / kind
    if kind == "file":
        base.write_text("not a folder")
    elif kind == "open":
        base.mkdir()
        base.chmod(0o777)
    else:
        base = Path("/proc/none")
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(base), "TMPDIR": str(place)}
    (place / "compiles.py").write_text(COMPILES, encoding="utf-8")
    words = [sys.executable, str(place / "compiles.py"), "twice"]
    done = subprocess.run(words, env=environment, capture_output=True, text=True, check=True)
    (first, second), said = done.stdout.splitlines(), done.stderr.splitlines()
    assert first == second
    assert first.startswith(f"2 True {place}/ringyard-")
    (line,) = said
    assert line.startswith("note: compiled kernels are kept for this session only: ")
    assert line.endswith("set NUMBA_CACHE_DIR to a folder that only you can write")
    assert not list(place.glob("ringyard-*"))


MOVES = """
import os, sys
os.environ["RINGYARD_KERNELS"] = "compiled"
sys.path.insert(0, os.path.dirname(__file__))
from ringyard.simulation.jit import SESSION, entry
from importlib import import_module
Pair = import_module(sys.argv[1]).Pair
def total(pair):
    return pair.a + pair.b
print(entry(total)(Pair(1, 2)))
"""


@pytest.mark.slow
def test_what_is_kept_of_a_record_whose_module_has_moved_is_compiled_anew(place: Path) -> None:
    """The signature that is kept names the module, which a later release need not have."""
    script, one = place / "moves.py", "from typing import NamedTuple\nclass Pair(NamedTuple):\n"
    script.write_text(MOVES)
    environment = os.environ | {"NUMBA_CACHE_DIR": str(place / "cache")}
    for module in ("before", "after"):
        for old in place.glob("*fore.py"):
            old.unlink()
        (place / f"{module}.py").write_text(one + "    a: int\n    b: int\n")
        words = [sys.executable, str(script), module]
        done = subprocess.run(words, env=environment, capture_output=True, text=True)
        assert (done.returncode, done.stdout) == (0, "3\n"), done.stderr
