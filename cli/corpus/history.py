"""`ringyard corpus history`: what became known of a program, and when."""

from dataclasses import asdict

from ...formulations.corpus.history import HEADERS, history_of_entry, shown_line
from ...formulations.corpus.index import find_entry
from ..shared.options import AsJson
from ..shared.output import emit, say, table


def history_command(program: str, /, *, json: AsJson = False) -> int:
    """Show the points, bounds and proofs of a program of the corpus, with their dates.

    Parameters
    ----------
    program
        A name from `ringyard corpus`.
    """
    entry = find_entry(program)
    lines = history_of_entry(program, entry.digest)
    if json:
        emit({"program": program, "optimum": entry.optimum, "lines": [asdict(x) for x in lines]})
        return 0
    if lines:
        table(list(HEADERS), [shown_line(one) for one in lines])
    say(f"optimum: {entry.optimum}")
    return 0
