"""Settings of the documentation; `make docs` builds it."""

import sys
import tomllib
from pathlib import Path

from pygments.lexers.special import TextLexer
from sphinx.application import Sphinx

sys.path.insert(0, str(Path(__file__).parent))

PROJECT = tomllib.loads(Path(__file__).parents[1].joinpath("pyproject.toml").read_text())["project"]

project = "Ringyard"
author = "The Ringyard developers"
project_copyright = author
version = release = PROJECT["version"]

extensions = ["myst_parser", "notebook_pages", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
myst_enable_extensions = ["amsmath", "dollarmath"]
myst_heading_anchors = 3
nitpicky = True
nitpick_ignore_regex = [("py:.*", ".*")]  # Types of other packages have no page here.

autodoc_default_options = {"members": True, "undoc-members": True, "member-order": "bysource"}
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
autodoc_preserve_defaults = True
default_role = "code"
napoleon_numpy_docstring = False
python_maximum_signature_line_length = 88

exclude_patterns = ["studies/text/*"]
html_theme = "furo"
html_title = f"Ringyard {version}"
html_show_copyright = False


def setup(app: Sphinx) -> None:
    """Show CSV files of the pages as plain text; Pygments has no lexer of that name."""
    app.add_lexer("csv", TextLexer)
