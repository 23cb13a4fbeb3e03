"""Every broken file of the catalogue ends in exactly the words stored for it."""

from pathlib import Path

import pytest

import ringyard.instances
from ringyard.instances import InputError, load_instance

FOLDER = Path(ringyard.instances.__file__).parent / "data" / "broken"
FILES = sorted(path.name for path in FOLDER.iterdir())


@pytest.mark.parametrize("name", FILES)
def test_words_of_the_error(name, golden, monkeypatch):
    monkeypatch.chdir(FOLDER)
    with pytest.raises(InputError) as caught:
        load_instance(name)
    golden(name.partition(".")[0], f"{caught.value}\n")


def test_each_broken_file_is_named_after_its_fault():
    assert len(FILES) >= 15
    assert all(name.startswith("broken-") for name in FILES)


def test_no_golden_text_is_left_over():
    texts = {path.stem for path in Path(__file__).parent.glob("golden/broken-*.txt")}
    assert texts == {name.partition(".")[0] for name in FILES}
