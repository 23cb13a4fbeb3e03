"""`ringyard corpus history`: what became known of a program, and when."""

from dataclasses import asdict

from ...formulations.corpus.history import HistoryLine, history
from ...formulations.corpus.index import find_entry
from ..shared.options import AsJson
from ..shared.output import emit, say, table

HEADERS = ["date", "what", "value", "by", "version", "seconds"]


def history_command(program: str, /, *, json: AsJson = False) -> int:
    """Show the points, bounds and proofs of a program of the corpus, with their dates.

    Parameters
    ----------
    program
        A name from `ringyard corpus`.
    """
    entry = find_entry(program)
    lines = [one for one in history().get(program, []) if entry.digest.startswith(one.digest)]
    lines.sort(key=lambda one: one.date)
    if json:
        emit({"program": program, "optimum": entry.optimum, "lines": [asdict(x) for x in lines]})
        return 0
    if lines:
        table(HEADERS, [_cells(one) for one in lines])
    say(f"optimum: {entry.optimum}")
    return 0


def _cells(line: HistoryLine) -> list[str]:
    value = "" if line.value is None else f"{line.value:.10g}"
    seconds = "" if line.seconds is None else f"{line.seconds:g}"
    by = line.by or {"dual": "duals", "judge": "the instance's bound"}[line.certificate]
    return [line.date, WORDS[line.side], value, by, line.version, seconds]


WORDS = {
    "point": "point",
    "bound": "certified bound",
    "none": "certified: no point",
    "proof": "claimed optimum",
}
"""How the table names the sides."""
