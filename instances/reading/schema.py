"""JSON Schemas of the files, made from the types: ``python -m ringyard.instances.reading.schema``.

Editors complete and check files with them. They are weaker than the reader: JSON Schema cannot
express unique names, or a job that must fit its cluster.
"""

import inspect
import re
from dataclasses import MISSING, is_dataclass
from pathlib import Path
from typing import Any

from .encode import FORMAT, dump, plain
from .files import INSTANCES, SCHEDULES
from .vocabulary import FieldShape, Range, Shape, Text, entity_fields

FOLDER = Path(__file__).parents[1] / "schema"
"""Folder of the published schemas."""

# Printable text has no exact pattern. This one refuses control characters and end blanks.
LABEL = (
    r"^[^\u0000-\u0020\u007f-\u00a0]([^\u0000-\u001f\u007f-\u00a0]*[^\u0000-\u0020\u007f-\u00a0])?$"
)


LATER = "left out of the digest at its default"
"""Mark of a field that was added after the first files."""


def schema(kind: str) -> dict[str, Any]:
    """Return the schema of the files of one kind."""
    entity = {**INSTANCES, **SCHEDULES}[kind]
    parts: dict[str, Any] = {}
    whole = _entity(entity, parts)
    mark = {"description": "version of the file format", "const": FORMAT}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:{FORMAT.replace('/', ':')}:{kind}",
        **whole,
        "properties": {"format": mark, **whole["properties"]},
        "required": ["format", *whole["required"]],
        "$defs": parts,
    }


def _entity(entity: Any, parts: dict[str, Any]) -> dict[str, Any]:
    fields = entity_fields(entity)
    return {
        "title": re.sub(r"(?<=[a-z])(?=[A-Z])", " ", entity.__name__).capitalize(),
        "description": (inspect.getdoc(entity) or "").partition("\n\n")[0].replace("\n", " "),
        "type": "object",
        "properties": {name: _field(field, parts) for name, field in fields.items()},
        "required": [name for name, field in fields.items() if field.required or _is_tag(field)],
        "additionalProperties": False,
    }


def _is_tag(field: FieldShape) -> bool:
    """Return True if a field identifies the entity. The reader needs it even at its default."""
    return len(field.shape.choices) == 1


def _field(field: FieldShape, parts: dict[str, Any]) -> dict[str, Any]:
    out = {"description": field.about, **_shape(field.shape, parts)}
    if field.default is not MISSING and not _is_tag(field):
        default = field.default
        out["default"] = plain(default) if is_dataclass(default) else default
    if field.later:
        out["$comment"] = LATER
    return out


def _shape(shape: Shape, parts: dict[str, Any]) -> dict[str, Any]:
    inner = [_shape(part, parts) for part in shape.inner]
    match shape.kind:
        case "whole":
            out = {"type": "integer", **_range(shape.range)}
        case "ratio":
            part = {"type": "string", "pattern": "^[0-9]{1,4000}/[0-9]{1,4000}$"}
            out = {"oneOf": [{"type": "integer", **_range(shape.range)}, part]}
        case "real":
            out = {"type": "number", **_range(shape.range)}
        case "truth":
            out = {"type": "boolean"}
        case "text":
            out = {"type": "string", **_text(shape.text)}
        case "choice":
            (first, *others) = shape.choices
            out = {"enum": [first, *others]} if others else {"const": first}
        case "list":
            out = {"type": "array", "items": inner[0]}
            out |= {"minItems": 1} if shape.non_empty else {}
        case "map":
            names, counts = inner
            out = {"type": "object", "propertyNames": names, "additionalProperties": counts}
            out |= {"minProperties": 1} if shape.non_empty else {}
        case "union":
            out = {"oneOf": inner}
        case _:
            name = shape.entity.__name__
            if name not in parts:
                parts[name] = _entity(shape.entity, parts)
            out = {"$ref": f"#/$defs/{name}"}
    return {"anyOf": [out, {"type": "null"}]} if shape.optional else out


def _range(limits: Range) -> dict[str, Any]:
    low = "exclusiveMinimum" if limits.open_low else "minimum"
    found = {low: limits.low, "maximum": limits.high}
    return {key: limit for key, limit in found.items() if limit is not None}


def _text(limits: Text) -> dict[str, Any]:
    found: dict[str, Any] = {"minLength": limits.low} if limits.low else {}
    found["maxLength"] = limits.high
    return {**found, "pattern": LABEL} if limits.label else found


def write(folder: Path = FOLDER) -> None:
    """Write the schema of every kind of file into a folder."""
    folder.mkdir(exist_ok=True)
    for kind in (*INSTANCES, *SCHEDULES):
        text = dump(schema(kind)) + "\n"
        (folder / f"{kind}.schema.json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write()
