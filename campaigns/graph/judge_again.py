"""Every schedule judged anew, and its value checked against row, bounds and theorems."""

from collections import Counter

from ...analysis.compare import contradictions
from ...analysis.drawing.words import plural
from ...analysis.guarantees import FactorVerdict
from ...analysis.held import held
from ...analysis.rows import Row
from ...analysis.sources import Sources
from ...analysis.stats.wrong import mark_wrong
from ...analysis.table_kinds import KINDS
from ...analysis.tables import to_markdown
from ...instances import BoundKind
from ..perform import Columns
from ..rejudge import faults, title


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
