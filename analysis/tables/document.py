"""A whole LaTeX document around tables, and what one's own has to load for them."""

from collections.abc import Mapping

from .latex import PREAMBLE, to_latex
from .model import Table


def preamble() -> str:
    r"""Return the lines that a document needs before `\begin{document}`.

    Bold numbers stay aligned with siunitx 2 and 3.
    """
    return "\n".join(PREAMBLE) + "\n"


def to_document(tables: Mapping[str, Table]) -> str:
    """Write a whole document of tables by label."""
    lines = [r"\documentclass{article}", *PREAMBLE, r"\begin{document}"]
    for i, (label, table) in enumerate(tables.items()):
        # LaTeX gives up where too many tables wait for a page.
        lines += [r"\clearpage"] if i and i % 8 == 0 else []
        lines.append(to_latex(table, label))
    return "\n".join([*lines, r"\end{document}"]) + "\n"
