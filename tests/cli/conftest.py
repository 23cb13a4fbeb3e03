"""Run the command line in this process."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from ringyard.cli import main


@dataclass(frozen=True)
class Run:
    """What a command line did: exit code and both streams."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, Any]:
        """The one JSON object on standard output."""
        found: dict[str, Any] = json.loads(self.out)
        return found


@pytest.fixture
def ringyard(capsys: pytest.CaptureFixture[str]) -> Callable[..., Run]:
    """Return a function that runs ``ringyard WORDS...``."""

    def run(*words: object) -> Run:
        code = main([str(word) for word in words])
        streams = capsys.readouterr()
        return Run(code, streams.out, streams.err)

    return run
