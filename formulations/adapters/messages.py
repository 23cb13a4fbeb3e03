"""Options of OR-Tools, which are the fields of its messages: names, and whether a value fits."""

from collections.abc import Callable, Mapping
from functools import partial
from json import dumps
from typing import Any

from .solver import SolverOptions


def options(own: Callable[[], type[Any]], ours: Mapping[str, str]) -> SolverOptions:
    """Return the options that are the fields of a type of message, which is imported when asked."""
    return SolverOptions(partial(_names, own), partial(_takes, own), ours)


def _names(own: Callable[[], type[Any]]) -> list[str]:
    return list(own().DESCRIPTOR.fields_by_name)


def _takes(own: Callable[[], type[Any]], name: str, value: str) -> bool:
    message = own()
    if kinds := message.DESCRIPTOR.fields_by_name[name].enum_type:
        return value in kinds.values_by_name
    kind = type(getattr(message(), name))
    if kind not in (int, float, str):
        return kind is bool and value in ("true", "false")
    try:
        setattr(message(), name, kind(value))
    except (TypeError, ValueError, AttributeError):
        return False
    return True


def as_text(message: Any, name: str, value: str) -> str:
    """Return a field and its value in the text form of messages."""
    return f"{name}: {dumps(value) if type(getattr(message, name)) is str else value}"
