"""Ask again for the contradicted answers of the runs that come with Ringyard.

    python benchmarks/confirm.py [FOLDER] [--engine NAME] [--program PATTERN]

It does what `ringyard bench .. --confirm` does after its own runs. Small programs go to
FOLDER/found, and what became of each answer to FOLDER/confirmations.jsonl (out/confirm if not
said). A second call goes on.
"""

# ruff: noqa: T201

import argparse
from fnmatch import fnmatchcase
from pathlib import Path

from ringyard.analysis.tables import to_markdown
from ringyard.engines.compared import EngineRuns
from ringyard.engines.confirm import FOUND, confirmed, confirmed_by, headline
from ringyard.engines.kept import kept_rows
from ringyard.engines.programs import Selection
from ringyard.engines.tables import contradicted_table
from ringyard.formulations.corpus.index import corpus


def main() -> None:
    """Ask, and print what became of the answers."""
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=Path("out/confirm"))
    parser.add_argument("--engine", default="*")
    parser.add_argument("--program", default="*")
    given = parser.parse_args()
    rows, folder = kept_rows(), given.folder
    found = confirmed(
        rows,
        Selection(dict(corpus())),
        folder,
        print,
        only=lambda row: (
            fnmatchcase(row["method"], given.engine) and fnmatchcase(row["instance"], given.program)
        ),
    )
    reasons = {one.key: one.said for one in found}
    print(to_markdown(contradicted_table(EngineRuns(tuple(rows), corpus()), reasons, found)))
    print(headline(len(found), confirmed_by(found), str(folder / FOUND)))


if __name__ == "__main__":
    main()
