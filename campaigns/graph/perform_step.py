"""Do what a node does to rows, in whatever process this is."""

from typing import Any

from ...analysis.drawing.words import plural
from ...analysis.rows import Row
from ...analysis.sources import Sources
from ...analysis.table_kinds import KINDS
from ...analysis.tables import to_csv, to_latex, to_markdown
from ...instances import Stop
from ...instances.reading.files import INSTANCES, SCHEDULES, parse
from ..environment import environment, now
from ..perform import Columns, failure
from ..runs import Task
from ..sources import sources
from .judge_again import judge_again


def perform_step(task: Task) -> dict[str, Any]:
    """Return as `columns` whether it went well, a note, and files by their endings."""
    columns: Columns = {**environment(), "started": now()}
    try:
        rows, at_hand = task["rows"], _sources(task)
        if task["step"] == "verify":
            columns |= judge_again(rows, at_hand)
        else:
            columns |= _tables(rows, task["node"], task["kind"], at_hand)
    except Exception as error:  # Whatever goes wrong, the other nodes go on.
        columns |= failure("error", Stop.FAILED, f"{type(error).__name__}: {error}")
    return {"columns": columns, "schedule": None}


def _sources(task: Task) -> Sources:
    instances = {
        digest: parse(text, INSTANCES, digest) for digest, text in task["instances"].items()
    }

    def schedule(row: Row) -> Any:
        text = task["schedules"].get(row["key"])
        return None if text is None else parse(text, SCHEDULES, row["key"])

    return sources(instances.get, schedule)


def _tables(rows: list[Row], name: str, kind: str, at_hand: Sources) -> Columns:
    """Make a table in all notations."""
    table = KINDS[kind](rows, at_hand)
    files = {
        ".tex": to_latex(table, f"tab:{name}"),
        ".md": to_markdown(table),
        ".csv": to_csv(table),
    }
    note = f"{kind}, {plural(len(table.rows), 'line')}"
    return {"status": "done", "note": note, "files": files}
