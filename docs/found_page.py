"""Write the table of wrong answers anew, from instances/found: ``python docs/found_page.py``.

With ``--again`` the installed solvers are asked first: where one answers right, its version is
noted as `mended`.
"""

import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from ringyard.campaigns.reproductions import filled
from ringyard.campaigns.study_pages import note_repeated
from ringyard.engines.compared import EngineRuns
from ringyard.engines.confirm import headline
from ringyard.engines.kept import kept_rows
from ringyard.engines.report import RECORDS, contradictions, recorded
from ringyard.formulations.corpus.index import corpus
from ringyard.formulations.solver_interface.solve import named_solver
from ringyard.formulations.wrong import (
    TITLES,
    all_found,
    program_of_found,
    record_text,
    still_wrong,
)

DOCS = Path(__file__).parent
PAGE = DOCS / "studies/wrong-answers.md"


def table() -> Iterator[str]:
    """Yield the lines of the table."""
    yield "| program | rows, columns | solver | error | interface answers | fixed in |"
    yield "|---|--:|---|---|---|---|"
    for path, found in all_found().items():
        program = program_of_found(path)
        size = f"{len(program.rows)}, {len(program.columns)}"
        solver = f"`{found.solver}` {found.version}"
        what = f"{TITLES[found.kind]}{f' ([alike]({found.upstream}))' if found.upstream else ''}"
        answer = "right" if found.interface else "wrong"
        yield f"| `{path.stem}` | {size} | {solver} | {what} | {answer} | {found.mended or '-'} |"


def renewed(page: str) -> str:
    """Return the page with its table made anew."""
    runs = EngineRuns(tuple(kept_rows()), corpus())
    keys = contradictions(runs)
    doubts = headline(len(keys), recorded(runs, keys), RECORDS)
    said = f"- {len(runs.rows):,} runs: {doubts}\n"
    return filled(filled(page, "found", "\n".join([*table(), ""])), "contradicted", said)


def ask_again() -> None:
    """Note the versions of installed solvers that answer right."""
    for path, found in all_found().items():
        if found.mended is None and still_wrong(found, program_of_found(path)) is None:
            version = named_solver(found.solver)[0].version
            path.write_text(record_text(replace(found, mended=version)), encoding="utf-8")


def main() -> None:
    """Rewrite the page in place."""
    PAGE.write_text(renewed(PAGE.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    if "--again" in sys.argv[1:]:
        ask_again()
        note_repeated(DOCS, PAGE.stem)
    main()
