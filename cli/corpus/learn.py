"""`ringyard corpus learn`: what a benchmark found out becomes part of the index."""

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

from ...campaigns.store import existing
from ...engines.kept import KEPT_NAME, kept_rows
from ...engines.learn_rows import Lesson, learn_program, rows_of_corpus
from ...formulations.corpus.history import shown_line
from ...formulations.corpus.index import HERE
from ...formulations.corpus.record import IndexFiles
from ...instances import RingyardError
from ...instances.arguments import time_limit_problems
from ...instances.errors import plural, raise_any
from ..shared.options import AsJson, Flag
from ..shared.output import emit, note, say

BOUND_S = 60.0
"""The usual time for a certified bound."""


def learn_command(
    folder: Path,
    /,
    *,
    dry: Flag = False,
    index: Path | None = None,
    time_limit: float = BOUND_S,
    json: AsJson = False,
) -> int:
    """Add better points, new claims and certified bounds from a benchmark to the corpus.

    Only rows about programs of the corpus count. Points are checked in fractions. The exit code is
    1 if a point was refused.

    Parameters
    ----------
    folder
        The folder of `ringyard bench`, or kept: the rows that come with Ringyard.
    dry
        Print what would be learned, and write nothing.
    index
        Folder of the index to update (default: the one of this package). Files that it lacks are
        copied from this package when they change.
    time_limit
        Seconds for the certified bound of each program that has none. 0: no bounds.
    json
        Print one JSON object.
    """
    raise_any("ringyard corpus learn", time_limit_problems(time_limit or None))
    store = None if str(folder) == KEPT_NAME else existing(folder)
    files = IndexFiles(index or HERE)
    if not dry:
        files.require_writable()
    rows = kept_rows() if store is None else store.rows()
    found, failed, used = list[Lesson](), 0, 0
    for entry, own in rows_of_corpus(rows, files):
        used += len(own)
        try:
            lesson = learn_program(entry, own, store, files, time_limit, write=not dry)
        except RingyardError as error:
            failed += 1
            note(f"{entry.name}: left out: {str(error).splitlines()[0]}")
            continue
        found.append(lesson)
        if not json:
            for words in _words(lesson):
                say(f"{entry.name}: {words}")
    if others := len(rows) - used:
        note(f"{plural(others, 'row')} of programs that are not in the corpus left out")
    if json:
        lessons = [asdict(one) for one in found if not one.empty]
        emit({"dry": dry, "index": str(files.folder), "rows": used, "programs": lessons})
    else:
        say(_summary(found, used, dry))
    return 1 if failed or any(one.refused for one in found) else 0


def _words(lesson: Lesson) -> Iterator[str]:
    """Yield what is learned of a program, and what is not."""
    for line in lesson.lines:
        _, what, value, by, *_ = shown_line(line)
        yield f"{what} {value or 'no point'}, {by}".replace("no point no point", "no point")
    if lesson.claims:
        yield f"claims of {', '.join(one.solver for one in lesson.claims)}"
    yield from (f"REFUSED: {one}" for one in lesson.refused)
    yield from (f"contradicted: {one}" for one in lesson.contradicted)
    for one in lesson.without_point:
        yield f"{one}, but its point is not in the folder. Rerun it."


def _summary(found: list[Lesson], rows: int, dry: bool) -> str:
    lines = [line.side for one in found for line in one.lines]
    counts = {
        "point": lines.count("point"),
        "certified bound": lines.count("bound") + lines.count("none"),
        "claim": lines.count("proof") + sum(len(one.claims) for one in found),
    }
    news = ", ".join(plural(count, name) for name, count in counts.items() if count)
    about = f"{plural(rows, 'row')} about {plural(len(found), 'program')} of the corpus"
    return f"{about}: {news or 'nothing'} learned{', nothing written (--dry)' if dry else ''}"
