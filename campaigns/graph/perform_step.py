"""Do what a node does to rows, in whatever process this is; judge schedules anew, make tables."""

from collections import Counter
from typing import Any

from ...analysis.guarantees import FactorVerdict
from ...analysis.held import held
from ...analysis.rows import Row
from ...analysis.sources import Sources
from ...analysis.stats.wrong import contradictions, mark_wrong
from ...analysis.table_kinds import KINDS
from ...analysis.tables import to_csv, to_latex, to_markdown
from ...instances import BoundKind, TerminationReason
from ...instances.errors import plural
from ...instances.reading.files import INSTANCES, SCHEDULES, parse
from ..failures import Columns, failure
from ..rejudge import faults, title
from ..runs import Task, environment, now
from ..sources import sources


def judge_again(rows: list[Row], sources: Sources) -> Columns:
    """Return whether all holds, and a page that says what was looked at and what is broken."""
    judged = [row for row in rows if row["schedule"]]
    broken = [sentence for row in rows for sentence in faults(row, sources)]
    broken += [f"{title(row)}: {row['violation']}" for row in rows if row["violations"]]
    broken += contradictions(rows)
    marked, verdicts = mark_wrong(rows), Counter[FactorVerdict]()
    for row, guarantee, one in held(marked, marked, sources):
        if one.factor is not None:
            verdicts[one.verdict] += 1
        if guarantee.proved and one.verdict is FactorVerdict.VIOLATED:
            broken.append(
                f"{row['method']} on {row['instance']}, seed {row['seed']}: {guarantee.name} is "
                f"violated, although it is proved"
            )
    bounds = [row for row in rows if row["bound_kind"] not in (None, BoundKind.NONE)]
    counts = {"schedule": len(judged), "bound": len(bounds), "theorem": verdicts.total()}
    looked = ", ".join(plural(count, noun) for noun, count in counts.items()) + " checked"
    note = f"{len(broken)} broken: {broken[0]}" if broken else looked
    lines = [f"{looked}; {f'{len(broken)} broken' if broken else 'nothing is broken'}.", ""]
    lines += [f"- {sentence}" for sentence in broken] + [""] * bool(broken)
    text = "\n".join(lines) + "\n" + to_markdown(KINDS["verdicts"](rows, sources))
    status = "failed" if broken else "done"
    return {"status": status, "note": note, "broken": broken, "files": {".md": text}}


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
        columns |= failure("error", TerminationReason.FAILED, f"{type(error).__name__}: {error}")
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
