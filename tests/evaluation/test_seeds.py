"""What a secret has to be, and that nobody sees it."""

from pathlib import Path

import pytest
from evaluation.small import SECRET, TINY, on_tiny

from ringyard.evaluation.suites import PUBLIC, TRAINING, VARIABLE, Key, hidden_key
from ringyard.instances.errors import InputError


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    file = tmp_path / "secret"
    file.write_text(f"{SECRET}\n")
    file.chmod(0o600)
    return file


def test_a_secret_comes_from_a_file_or_the_environment(
    secret: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert hidden_key(None) is None
    of_file = hidden_key(secret)
    monkeypatch.setenv(VARIABLE, SECRET)
    of_environment = hidden_key(None)
    assert of_file is not None
    assert of_environment is not None
    assert of_file.seed(TINY, 0) == of_environment.seed(TINY, 0) != TRAINING.seed(TINY, 0)
    assert of_file.mark == of_environment.mark
    assert TRAINING.mark is None


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (PUBLIC.decode(), "the public text of the training seeds"),
        ("", "0 characters"),
        ("correct horse", "13 characters"),
        ("abab" * 20, "2 different characters"),
    ],
)
def test_a_weak_secret_is_refused_and_not_repeated(
    text: str, why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, text)
    with pytest.raises(InputError) as caught:
        hidden_key(None)
    assert why in str(caught.value)
    assert not text or text not in str(caught.value)


def test_a_file_that_others_can_read_is_refused(secret: Path) -> None:
    secret.chmod(0o644)
    with pytest.raises(InputError, match=f"Run chmod 600 {secret}") as caught:
        hidden_key(secret)
    assert SECRET not in str(caught.value)


def test_a_missing_secret_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        hidden_key(tmp_path / "none")
    with pytest.raises(InputError, match="RINGYARD_EVALUATION_SECRET"):
        on_tiny("gang-lpt", seeds="hidden")


def test_a_secret_without_end_is_refused(tmp_path: Path) -> None:
    (tmp_path / "secret").symlink_to("/dev/zero")
    with pytest.raises(InputError, match="found more than 64 MiB"):
        hidden_key(tmp_path / "secret")


def test_what_the_method_can_read_holds_no_secret(secret: Path) -> None:
    method = secret.parent / "mine.py"
    method.write_text("def mine(instance):\n    return None\n")
    with pytest.raises(InputError, match="which the method can read"):
        on_tiny(f"{method}:mine", secret=secret)
    apart = secret.parent / "apart"
    apart.mkdir()
    secret = secret.rename(apart / "secret")
    method = method.rename(secret.parent.parent / "methods.py")
    with pytest.raises(InputError, match="which the method can read"):
        on_tiny(f"{method}:mine", secret=secret)
    inner = secret.parent.parent / "inner"
    inner.mkdir()
    method = method.rename(inner / "mine.py")
    assert on_tiny(f"{method}:mine", secret=secret).valid == 0
    with pytest.raises(InputError, match="output about hidden instances"):
        on_tiny(f"{method}:mine", secret=secret, outputs=[inner / "out"])


def test_the_result_does_not_hold_it(secret: Path) -> None:
    found = on_tiny("gang-lpt", secret=secret)
    said = f"{found!r} {found.to_dict()} {found.key!r} {vars(found)}"
    assert found.to_dict()["seeds"] == "hidden"
    assert SECRET not in said
    assert not [n for n in range(2) if str(found.key.seed(TINY, n)) in said]
    assert repr(Key(b"abc")) == "Key(..)"
