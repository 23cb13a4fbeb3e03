"""Write the field tables of format.md anew, from the types: ``python docs/format_tables.py``."""

import re
from dataclasses import MISSING, is_dataclass
from pathlib import Path
from typing import Any

from ringyard import instances
from ringyard.instances.encode import dump, plain
from ringyard.instances.shape import FieldShape, Shape, noun_fields

PAGE = Path(__file__).parent / "format.md"
TABLE = re.compile(r"(<!-- fields of (\w+) -->\n).*?(?=<!-- end -->)", re.DOTALL)


def main() -> None:
    """Rewrite the page in place."""
    PAGE.write_text(renewed(PAGE.read_text(encoding="utf-8")), encoding="utf-8")


def renewed(page: str) -> str:
    """Return the page with every table made anew."""
    return TABLE.sub(lambda found: f"{found[1]}\n{table(getattr(instances, found[2]))}\n", page)


def table(noun: Any) -> str:
    """Return the Markdown table of a noun's fields."""
    rows = [f"| `{f.name}` | {words(f.shape)} | {default(f)} | {f.about} |" for f in fields(noun)]
    return "\n".join(["| key | value | default | meaning |", "|---|---|---|---|", *rows, ""])


def fields(noun: Any) -> list[FieldShape]:
    """Return the fields of a noun in their order."""
    return list(noun_fields(noun).values())


def words(shape: Shape) -> str:
    """Say what a field takes, with a link where it is an object of its own."""
    match shape.kind:
        case "object":
            return f"[{shape.noun.__name__}](#{shape.noun.__name__.lower()})"
        case "union":
            return " or ".join(map(words, shape.inner))
        case "list":
            return f"{shape.expectation()}, each {words(shape.inner[0])}"
        case _:
            return re.sub(r"'(\w+[-\w]*)'", r'`"\1"`', shape.expectation())


def default(field: FieldShape) -> str:
    """Show the default of a field, as in a file."""
    if field.default is MISSING or len(field.shape.choices) == 1:
        return "required"
    value = field.default
    return f"`{dump(plain(value, defaults=False) if is_dataclass(value) else value)}`"


if __name__ == "__main__":
    main()
