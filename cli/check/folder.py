"""`ringyard check FOLDER`: every schedule of a campaign judged anew."""

from functools import lru_cache
from pathlib import Path

from ...analysis.stats.wrong import contradictions
from ..shared.output import emit, say
from ..shared.progress import counting
from ..shared.sources import told


def check_folder(folder: Path, *, json: bool) -> int:
    """Judge the schedules of a campaign, say which rows no longer hold, and return the exit code.

    Rows hold if they are as they were written, and say what the judge says of instance and
    schedule, and if no bound contradicts a value.
    """
    from ...analysis.drawing.shapes import plural
    from ...analysis.sources import Sources
    from ...campaigns.rejudge import faults
    from ...campaigns.store import existing

    store = existing(folder)
    left_out, rows = store.left_out(), store.rows()
    sources = Sources(instance=lru_cache(maxsize=8)(store.instance), schedule=store.schedule)
    broken, holding = list[str](), []
    with counting("schedules judged", len(rows)) as watch:
        for i, row in enumerate(rows):
            said = list(faults(row, sources))
            broken += said
            holding += [] if said else [row]
            if watch is not None:
                watch(i + 1)
    crossed, judged = contradictions(holding), sum(bool(row["schedule"]) for row in rows)
    if json:
        emit(
            {
                "folder": str(folder),
                "rows": len(rows),
                "judged": judged,
                "left_out": list(left_out.sentences()),
                "broken": broken,
                "contradictions": crossed,
            }
        )
        return int(bool(left_out or broken or crossed))
    told(store)
    for sentence in [*broken, *crossed]:
        say(sentence)
    wrong = [f"{len(rows) - len(holding):,} no longer hold"] if broken else []
    wrong += [plural(len(crossed), "contradiction")] if crossed else []
    counts = f"{plural(len(rows), 'row')}, {plural(judged, 'schedule')} judged"
    say(f"{counts}: {', '.join(wrong) or 'all hold'}")
    return int(bool(left_out or broken or crossed))
