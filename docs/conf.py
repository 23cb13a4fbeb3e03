"""Settings of the documentation; `make docs` builds it."""

import tomllib
from pathlib import Path

PROJECT = tomllib.loads(Path(__file__).parents[1].joinpath("pyproject.toml").read_text())["project"]

project = "Ringyard"
author = "The Ringyard developers"
project_copyright = author
version = release = PROJECT["version"]

extensions = ["myst_parser"]
myst_enable_extensions = ["amsmath", "dollarmath"]
myst_heading_anchors = 3
nitpicky = True

html_theme = "furo"
html_title = f"Ringyard {version}"
html_show_copyright = False
