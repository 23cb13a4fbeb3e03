"""One table, for print (LaTeX), the web (Markdown, HTML) and programs (CSV)."""

from .delimited import to_csv
from .html import to_html
from .latex import preamble, to_document, to_latex
from .latex_text import latex_text
from .markdown import to_markdown
from .model import Cell, Column, Table, cell_text, decimals, value_decimals
from .plain import to_plain

__all__ = [
    "Cell",
    "Column",
    "Table",
    "cell_text",
    "decimals",
    "latex_text",
    "preamble",
    "to_csv",
    "to_document",
    "to_html",
    "to_latex",
    "to_markdown",
    "to_plain",
    "value_decimals",
]
