"""Notebooks as pages: each is run in a new folder, and shown with what its cells give.

That needs no Jupyter, whose kernels, clients and caches are many packages for what our cells do:
run Python, and show a last value as text, HTML or SVG. The files hold no outputs, pages are never
older than the code, and a cell that fails breaks the build.
"""

import ast
import json
import re
from collections.abc import Iterator
from contextlib import chdir, redirect_stdout
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple


class Cell(NamedTuple):
    """A cell that was run: its source, and what it gave, as Markdown."""

    code: bool
    source: str
    given: str = ""


def ran(text: str, name: str) -> Iterator[Cell]:
    """Yield the cells of a notebook, one after the other as they are run."""
    names: dict[str, Any] = {"__name__": "__notebook__"}
    with TemporaryDirectory() as folder:
        for i, cell in enumerate(json.loads(text)["cells"], 1):
            source = "".join(cell["source"])
            if cell["cell_type"] != "code":
                yield Cell(False, source)
                continue
            with chdir(folder):
                given = _run(source, f"{name}, cell {i}", names)
            yield Cell(True, source, given)


def _run(source: str, place: str, names: dict[str, Any]) -> str:
    """Run a cell and return what it prints, and its last value, as Markdown."""
    body = ast.parse(source, place).body
    last = body.pop() if body and isinstance(body[-1], ast.Expr) else None
    with redirect_stdout(StringIO()) as printed:
        exec(compile(ast.Module(body, []), place, "exec"), names)
        value = None
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), place, "eval"), names)
    text = printed.getvalue()
    return (_block("text", text) if text else "") + ("" if value is None else _shown(value))


def _shown(value: Any) -> str:
    """Show a value as a notebook does: the richest form that it has."""
    for form in ("_repr_html_", "_repr_svg_"):
        if hasattr(value, form) and (found := getattr(value, form)()):
            plain = re.sub("<table[^>]*>", '<table class="docutils">', found)
            return _block("{raw} html", f'<div style="overflow-x: auto">{plain}</div>')
    return _block("text", repr(value))


def _block(language: str, text: str) -> str:
    return f"\n``````{language}\n{text.rstrip()}\n``````\n"


def as_markdown(text: str, name: str) -> str:
    """Return the page of a notebook."""
    parts = [
        _block("python", cell.source) + cell.given if cell.code else cell.source
        for cell in ran(text, name)
    ]
    return "\n\n".join(parts) + "\n"


def _again(app: Any, env: Any, *_: Any) -> list[str]:
    """Return the pages that are made again whether their notebooks changed or not."""
    return [name for name in env.found_docs if env.doc2path(name).suffix == ".ipynb"]


def setup(app: Any) -> dict[str, bool]:
    """Let Sphinx read notebooks."""
    from myst_parser.parsers.sphinx_ import MystParser

    class NotebookParser(MystParser):  # type: ignore[misc]
        """Runs a notebook and reads its page."""

        supported = ("ipynb",)

        def parse(self, inputstring: str, document: Any) -> None:
            name = Path(document["source"]).name
            super().parse(as_markdown(inputstring, name), document)

    app.add_source_suffix(".ipynb", "ipynb")
    app.add_source_parser(NotebookParser)
    app.connect("env-get-outdated", _again)
    return {"parallel_read_safe": True}
