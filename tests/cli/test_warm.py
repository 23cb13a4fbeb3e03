"""Kernels compiled ahead, by processes that may end."""

import pytest

from ringyard.cli import main, warm


def test_every_method_of_a_family_is_asked(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["warm", "shuffle", "--workers", "1"]) == 0
    assert "functions compiled" in capsys.readouterr().out


def test_a_process_that_ends_is_no_success(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    titles, counting = list[str](), warm.counting
    monkeypatch.setattr(warm, "WORKER", "")
    monkeypatch.setattr(
        warm, "counting", lambda *given: titles.append(given[0]) or counting(*given)
    )
    assert main(["warm", "shuffle", "--workers", "2"]) == 1
    assert "methods gave no answer" in capsys.readouterr().err
    assert titles == ["compiling kernels, methods run"], "other processes compile, not this one"


def test_an_unknown_family_is_said_with_those_there_are(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["warm", "shufle"]) == 2
    assert "makespan" in capsys.readouterr().err
