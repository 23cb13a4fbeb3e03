"""Ask again for the contradicted answers of the runs that come with Ringyard.

    python benchmarks/confirm.py [FOLDER] [--engine NAME] [--program PATTERN]

Small programs go to FOLDER/found, and what became of each answer to FOLDER/confirmations.jsonl
(out/confirm if not said). A second call goes on.
"""

# ruff: noqa: T201

import argparse
from fnmatch import fnmatchcase
from pathlib import Path

from ringyard.analysis.tables import to_markdown
from ringyard.engines.confirm import confirmation_table, confirmed, headline
from ringyard.engines.kept import kept_rows
from ringyard.formulations.corpus.index import corpus


def main() -> None:
    """Ask, and print what became of the answers."""
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=Path("out/confirm"))
    parser.add_argument("--engine", default="*")
    parser.add_argument("--program", default="*")
    given = parser.parse_args()
    rows = kept_rows()
    found = confirmed(
        rows,
        corpus(),
        given.folder,
        print,
        only=lambda row: (
            fnmatchcase(row["method"], given.engine) and fnmatchcase(row["instance"], given.program)
        ),
    )
    print(to_markdown(confirmation_table(found)))
    print(headline(found))


if __name__ == "__main__":
    main()
