"""Write all generated pages and tables of the documentation anew: ``python docs/generate.py``.

A test compares the pages with what this writes. Pages of studies keep their measured parts; only
`ringyard reproduce NAME --docs docs` measures again.
"""

from pathlib import Path

import checker_lines
import format_tables
import found_page
import records
import reference_pages

from ringyard.campaigns.study_pages import pages_of_reproductions, renew

DOCS = Path(__file__).parent


def main() -> None:
    """Write everything."""
    checker_lines.main()
    format_tables.main()
    found_page.main()
    records.main()
    reference_pages.main()
    renew(DOCS, pages_of_reproductions())


if __name__ == "__main__":
    main()
