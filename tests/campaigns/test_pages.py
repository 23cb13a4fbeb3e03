"""Parts of a campaign in the pages that show them."""

import os
import re
from pathlib import Path

import pytest

from ringyard.campaigns.reproductions import filled, read_pages, show
from ringyard.instances.errors import InputError

PAGE = (
    "# One\n\n<!-- sizes -->\n\nold\n\n<!-- end -->\n\nBetween.\n\n<!-- named -->\n<!-- end -->\n"
)


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    (folder / "pictures").mkdir(parents=True)
    (folder / "one.md").write_text(PAGE, encoding="utf-8")
    (folder / "two.md").write_text("<!-- other -->\n<!-- end -->\n", encoding="utf-8")
    return folder


def made(folder: Path, **texts: str) -> list[Path]:
    paths = [folder / name.replace("_", ".") for name in texts]
    for path, text in zip(paths, texts.values(), strict=True):
        path.write_text(text, encoding="utf-8")
    return paths


def test_a_part_takes_the_place_of_the_last_one() -> None:
    once = filled(PAGE, "sizes", "new\n")
    assert once == PAGE.replace("old", "new")
    assert filled(once, "sizes", "new\n") == once
    assert filled(once, "sizes", "old\n") == PAGE


def test_parts_and_pictures_find_their_places(docs: Path, tmp_path: Path) -> None:
    files = made(tmp_path, named_md="| a |\n", other_md="b\n", ratio_svg="<svg/>", named_tex="x")
    first = show("study", files, docs, ["one.md", "two.md"])
    texts = {path: path.read_bytes() for path in first}
    assert "<!-- named -->\n\n| a |\n\n<!-- end -->" in (docs / "one.md").read_text("utf-8")
    assert "<!-- other -->\n\nb\n\n<!-- end -->" in (docs / "two.md").read_text("utf-8")
    assert "old" in (docs / "one.md").read_text("utf-8")
    assert [path.name for path in (docs / "pictures").iterdir()] == ["study-ratio.svg"]
    show("study", files, docs, ["one.md", "two.md"])
    assert {path: path.read_bytes() for path in first} == texts


def test_a_part_without_a_place_changes_nothing(docs: Path, tmp_path: Path) -> None:
    files = made(tmp_path, sizes_md="new\n", ratio_svg="<svg/>", nowhere_md="x\n")
    with pytest.raises(InputError, match=r"one.md: found nothing, expected <!-- nowhere --> .."):
        show("study", files, docs, ["one.md"])
    assert (docs / "one.md").read_text("utf-8") == PAGE
    assert list((docs / "pictures").iterdir()) == []


@pytest.mark.parametrize("rest", ["", "<!-- named -->\n<!-- end -->\n"])
def test_a_mark_without_an_end_of_its_own_is_an_error(rest: str) -> None:
    with pytest.raises(InputError, match=re.escape("<!-- end -->")):
        filled(f"<!-- sizes -->\n\nand so on\n{rest}", "sizes", "new\n")


def test_a_folder_without_the_page_is_an_error(docs: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"three.md: --docs: found .*the folder of the pages"):
        show("study", made(tmp_path, a_md="x\n"), docs, ["three.md"])


def test_a_page_that_is_a_pipe_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "one.md")
    with pytest.raises(InputError, match="--docs: found not a file"):
        read_pages(tmp_path, ["one.md"])
