"""Wrong answers on file are what they are said to be, and nobody believes them for too long."""

import sys
from pathlib import Path

import pytest
from packaging.version import Version

from ringyard.formulations import wrong
from ringyard.formulations.exact import holds, value
from ringyard.formulations.solver_interface.solve import named_solver
from ringyard.formulations.wrong import (
    issue_text,
    point_on_file,
    program_of_found,
    read_found,
    still_wrong,
    wrong_behind_interface,
)

ROOT = Path(__file__).parents[2]
FILES = sorted((ROOT / "instances/found").glob("*.json"))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_point_on_file_holds_exactly(file: Path) -> None:
    found, program = read_found(file), program_of_found(file)
    point = point_on_file(found, program)
    if found.kind == "point":
        assert point is None
        return
    assert point is not None
    assert holds(program, point)
    assert str(value(program, point)) == found.value


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_the_installed_solver_answers_as_the_page_says(file: Path) -> None:
    """A version that errs is told as such; one that answers right has to be noted as mended.

    If this fails after an upgrade, `python docs/found_page.py --again` notes what has changed.
    """
    found, program = read_found(file), program_of_found(file)
    installed = named_solver(found.solver)[0].version
    if installed is None:
        pytest.skip(f"{found.solver} is not installed")
    wrong = still_wrong(found, program)
    if found.mended is not None and Version(installed) >= Version(found.mended):
        assert wrong is None, f"{installed} answers wrongly again; it was mended in {found.mended}"
    else:
        assert wrong is not None, f"{installed} answers right; note it as mended"
        assert wrong.kind == found.kind


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_the_solver_interface_answers_as_the_page_says(file: Path) -> None:
    found, program = read_found(file), program_of_found(file)
    if named_solver(found.solver)[0].missing:
        pytest.skip(f"{found.solver} is not installed")
    if found.mended is None:
        assert (wrong_behind_interface(found, program) is None) == found.interface


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_the_issue_shows_the_program_and_the_point(file: Path) -> None:
    found, program = read_found(file), program_of_found(file)
    issue = file.with_suffix(".md").read_text(encoding="utf-8")
    said = issue.partition("It prints:\n\n```text\n")[2].partition("\n```")[0].splitlines()
    assert issue == issue_text(found, program, f"{file.stem}.mps", said)
    assert said


def test_the_page_lists_what_is_on_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "docs"))
    sys.modules.pop("found_page", None)
    import found_page

    page = found_page.PAGE.read_text(encoding="utf-8")
    assert found_page.renewed(page) == page
    assert len(FILES) >= 2
    assert all(f"| `{file.stem}` |" in page for file in FILES)


def test_the_page_notes_what_a_new_version_mends(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "docs"))
    import found_page

    for file in FILES[:1]:
        for suffix in (".json", ".mps"):
            copy = tmp_path / file.with_suffix(suffix).name
            copy.write_bytes(file.with_suffix(suffix).read_bytes())
    monkeypatch.setattr(wrong, "FOUND", tmp_path)
    monkeypatch.setattr(found_page, "still_wrong", lambda found, program: None)
    found_page.ask_again()
    (record,) = wrong.all_found().values()
    assert record.mended == named_solver(record.solver)[0].version
