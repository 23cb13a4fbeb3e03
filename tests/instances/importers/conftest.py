"""Import a text as if it stood in a file."""

from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from ringyard.instances import InputError
from ringyard.instances.importers import ImportChoices, Imported, read_trace

Bring = Callable[..., Imported]
CHOICES = {field.name for field in fields(ImportChoices)}


@pytest.fixture
def bring(tmp_path: Path) -> Bring:
    """Return a function that imports a text, on 2 servers of 8 GPUs unless told otherwise."""

    def call(format: str, text: str | bytes, **more: Any) -> Imported:
        file = tmp_path / "trace"
        file.write_bytes(text if isinstance(text, bytes) else text.encode())
        choices = {name: more.pop(name) for name in CHOICES & more.keys()}
        if not more.keys() & {"servers", "cluster"}:
            more["servers"] = "2x8"
        return read_trace(format, file, ImportChoices(name="x", **choices), **more)

    return call


@pytest.fixture
def faults(bring: Bring, tmp_path: Path) -> Callable[..., list[str]]:
    """Return a function that imports a text strictly and returns the lines of the error."""

    def call(format: str, text: str, **more: Any) -> list[str]:
        more.setdefault("strict", True)
        with pytest.raises(InputError) as caught:
            bring(format, text, **more)
        return [
            line.removeprefix(f"{tmp_path / 'trace'}: ") for line in str(caught.value).split("\n")
        ]

    return call
