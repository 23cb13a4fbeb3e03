"""One table, for print (LaTeX), the web (Markdown, HTML) and programs (CSV).

Which tables of a campaign there are, and their columns, is in `analysis/table_kinds/`.
"""

from .latex import preamble, to_document, to_latex
from .latex_text import latex_text
from .model import (
    Cell,
    Column,
    Table,
    cell_text,
    columns_of,
    decimals,
    numbers,
    texts,
    value_decimals,
)
from .notations import to_csv, to_html, to_markdown, to_plain

__all__ = [
    "Cell",
    "Column",
    "Table",
    "cell_text",
    "columns_of",
    "decimals",
    "latex_text",
    "numbers",
    "preamble",
    "texts",
    "to_csv",
    "to_document",
    "to_html",
    "to_latex",
    "to_markdown",
    "to_plain",
    "value_decimals",
]
