"""Options of OR-Tools, which are the fields of its messages: names, and whether a value fits."""

from json import dumps
from typing import Any


def names(message: type[Any]) -> list[str]:
    """Return the names of the fields of a message."""
    return list(message.DESCRIPTOR.fields_by_name)


def takes(message: type[Any], name: str, value: str) -> bool:
    """Say whether a field takes a value."""
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
