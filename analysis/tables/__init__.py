"""One table, for print (LaTeX), the web (Markdown, HTML) and programs (CSV).

The kinds of tables of a campaign, with their columns, are in `analysis/table_kinds/`.
"""

from .latex import to_document, to_latex
from .model import (
    Aside,
    Cell,
    Column,
    Heads,
    Table,
    cell_text,
    columns_of,
    numbers,
    table_of,
    texts,
    value_decimals,
)
from .notations import to_csv, to_html, to_markdown, to_plain

__all__ = [
    "Aside",
    "Cell",
    "Column",
    "Heads",
    "Table",
    "cell_text",
    "columns_of",
    "numbers",
    "table_of",
    "texts",
    "to_csv",
    "to_document",
    "to_html",
    "to_latex",
    "to_markdown",
    "to_plain",
    "value_decimals",
]
