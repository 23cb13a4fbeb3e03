"""Print the table of a benchmark, and write it into the page of a study with date and machine."""

import sys
from collections.abc import Iterable
from pathlib import Path

from ringyard.campaigns.study_pages import fill_page

DOCS = Path(__file__).parent.parent / "docs"


def show(lines: Iterable[str], study: str, part: str, *, page: bool, docs: Path = DOCS) -> None:
    """Print lines as they come; with `page`, make them that part of a study's page."""
    kept = list[str]()
    for line in lines:
        sys.stdout.write(f"{line}\n")
        sys.stdout.flush()
        kept.append(line)
    if page:
        fill_page(docs, study, {part: "\n".join(kept)}, f"{study}#{part}")
