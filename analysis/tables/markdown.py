"""A table for the web, as Markdown."""

from ...instances.errors import visible
from .model import Table


def to_markdown(table: Table) -> str:
    """Write a table with its notes below."""
    rules = ["---" if column.digits is None else "--:" for column in table.columns]
    best = table.best()
    rows = [[_text(column.name) for column in table.columns]] + [
        [
            _marked(_text(column.text(cell)), (i, j) in best)
            for j, (cell, column) in enumerate(zip(row, table.columns, strict=True))
        ]
        for i, row in enumerate(table.rows)
    ]
    lines = ["| " + " | ".join(cells) + " |" for cells in rows]
    lines.insert(1, "|" + "|".join(rules) + "|")
    return "\n".join([*lines, *(f"\n{_text(note)}" for note in table.notes)]) + "\n"


def _text(text: str) -> str:
    return "".join("\\" + c if c in "\\`*_|<>[]&~" else c for c in visible(text))


def _marked(text: str, best: bool) -> str:
    return f"**{text}**" if best else text
