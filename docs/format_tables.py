"""Write tables of pages anew, from types and columns: ``python docs/format_tables.py``."""

import re
from dataclasses import MISSING, is_dataclass
from pathlib import Path
from typing import Any

from ringyard import instances
from ringyard.analysis.rows import COLUMNS
from ringyard.analysis.table_kinds import KINDS
from ringyard.campaigns import plan
from ringyard.instances.reading.encode import dump, plain
from ringyard.instances.reading.vocabulary import FieldShape, Shape, entity_fields

DOCS = Path(__file__).parent
PAGES = [
    *sorted(DOCS.glob("reference/format*.md")),
    DOCS / "reference/campaign-file.md",
    DOCS / "reference/columns.md",
]
TABLE = re.compile(r"(<!-- fields of (\w+) -->\n).*?(?=<!-- end -->)", re.DOTALL)
ROWS = re.compile(r"(<!-- columns -->\n).*?(?=<!-- end -->)", re.DOTALL)
TABLES = re.compile(r"(<!-- kinds of tables -->\n).*?(?=<!-- end -->)", re.DOTALL)
HOMES = {
    name: page for page in PAGES for _, name in TABLE.findall(page.read_text(encoding="utf-8"))
}
"""The page on which an entity has its table."""

ENTITIES = {name: getattr(instances, name) for name in dir(instances)} | vars(plan)


def main() -> None:
    """Rewrite the pages in place."""
    for page in PAGES:
        page.write_text(renewed(page), encoding="utf-8")


def renewed(path: Path) -> str:
    """Return the page with every table made anew."""
    page = path.read_text(encoding="utf-8")
    page = TABLE.sub(lambda found: f"{found[1]}\n{table(ENTITIES[found[2]], path)}\n", page)
    if "fields of CampaignFile" in page:  # TOML has no null: what is null is left out.
        page = page.replace(" or null", "").replace("| `null` |", "| |")
    page = ROWS.sub(lambda found: f"{found[1]}\n{columns()}\n", page)
    return TABLES.sub(lambda found: f"{found[1]}\n{kinds_of_tables()}\n", page)


def columns() -> str:
    """Return the Markdown table of the columns of a row."""
    rows = [f"| `{name}` | {kind} | {about} |" for name, (kind, about) in COLUMNS.items()]
    return "\n".join(["| column | type | meaning |", "|---|---|---|", *rows, ""])


def kinds_of_tables() -> str:
    """Return a section for each kind of table, with its columns."""
    lines = list[str]()
    for name, kind in KINDS.items():
        about = kind.about[0].upper() + kind.about[1:]
        lines += [f"### `{name}`", "", f"{about}. Each line is {kind.line}.", ""]
        lines += ["| column | content |", "|---|---|"]
        lines += [f"| `{column.name}` | {column.about} |" for column in kind.columns] + [""]
    return "\n".join(lines)


def table(entity: Any, page: Path) -> str:
    """Return the Markdown table of an entity's fields, for a page."""
    rows = [
        f"| `{f.name}` | {words(f.shape, page)} | {default(f)} | {f.about} |"
        for f in fields(entity)
    ]
    return "\n".join(["| key | value | default | meaning |", "|---|---|---|---|", *rows, ""])


def fields(entity: Any) -> list[FieldShape]:
    """Return the fields of an entity in their order."""
    return list(entity_fields(entity).values())


def words(shape: Shape, page: Path) -> str:
    """Describe what a field takes, with a link where it is an object of its own."""
    match shape.kind:
        case "object" if shape.entity is plan.RunGroup:
            return "a run group"
        case "object":
            name = shape.entity.__name__
            where = HOMES[name].name if HOMES[name] != page else ""
            return f"[{name}]({where}#{name.lower()})" + null(shape)
        case "union":
            return " or ".join(words(one, page) for one in shape.inner) + null(shape)
        case "list":
            return f"{shape.expectation()}, each {words(shape.inner[0], page)}"
        case _:
            return re.sub(r"'(\w+[-\w]*)'", r'`"\1"`', shape.expectation())


def null(shape: Shape) -> str:
    """Report that a field may be null as the expectation of plain values does."""
    return " or null" if shape.optional else ""


def default(field: FieldShape) -> str:
    """Show the default of a field, as in a file."""
    if field.default is MISSING or len(field.shape.choices) == 1:
        return "required"
    value = field.default
    return f"`{dump(plain(value, defaults='none') if is_dataclass(value) else value)}`"


if __name__ == "__main__":
    main()
