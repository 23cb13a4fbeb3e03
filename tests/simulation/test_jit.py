"""Compiled code is kept per version of the sources, in a place that can be written."""

from pathlib import Path

import pytest

from ringyard.simulation import jit


@pytest.fixture(autouse=True)
def fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jit, "cache_folder", jit.cache_folder.__wrapped__)


def test_the_folder_follows_the_setting(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    assert jit.cache_folder().parent.parent == tmp_path


def test_a_place_that_cannot_be_written_is_passed_over(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    occupied = tmp_path / "file"
    occupied.write_text("not a folder")
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(occupied))
    assert occupied not in jit.cache_folder().parents
    assert jit.cache_folder().is_dir()


def test_changed_sources_have_another_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    before = jit.cache_folder().name
    monkeypatch.setattr(jit, "_ROOMS_WITH_KERNELS", ("policies",))
    assert jit.cache_folder().name != before
