"""`ringyard whatif`: one workload under other policies, clusters, loads and networks."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

from ..analysis.figures.canvas import write_figure
from ..analysis.report import Findings, gather, to_page
from ..analysis.rows import Row
from ..analysis.whatif import Conclusions, conclusions
from ..campaigns.drive import drive
from ..campaigns.reproductions import Results, write_report
from ..campaigns.state import CampaignState
from ..campaigns.store import Store, keep_plan, prepared
from ..campaigns.whatif import Replay, ReplayRequest, replay_of, slug
from ..instances import TraceInstance
from ..instances.arguments import at_least_one, seed_problems, time_limit_problems
from ..instances.catalogue import load_as
from ..instances.errors import Problem, raise_any
from ..instances.writing import UnwrittenError
from ..interrupts import keeping
from .shared.campaign import executor, follow, report_left_out, sources_of, why_stopped
from .shared.options import AsJson, Whole, place_problems, remade
from .shared.options import write as write_file
from .shared.output import emit, note, say, show_table


def whatif_command(
    trace: str,
    /,
    *,
    policies: str = "tiresias-l,yarn-cs,srtf",
    clusters: str = "own",
    contention: str = "none,uplink",
    load: str = "1",
    placements: str | None = None,
    communication: str | None = None,
    first: Whole | None = None,
    largest: Literal["refuse", "drop"] = "refuse",
    margin: float = 1.0,
    bounds: Literal["quick", "strong"] = "quick",
    seed: Whole = 0,
    time_limit: float = 600.0,
    workers: Whole | None = None,
    out: Path | None = None,
    html: Path | None = None,
    json: AsJson = False,
) -> int:
    """Replay a trace under other policies, clusters, loads and networks, and compare.

    Each combination of policy, cluster, load and contention model is a run that the judge checks.
    Rerun the command to resume. The report lists the conclusions that change with contention
    model, load and cluster. The exit code is 1 if the judge rejects a schedule, and 3 if there is
    no schedule at all.

    Parameters
    ----------
    trace
        A `trace` instance: a catalogue name, or a file such as `ringyard import` writes.
    policies
        Names from `ringyard list methods`, separated by commas. Options may follow a colon.
    clusters
        Separated by commas: own, own with more servers as in own+2x8, the file of an instance
        whose servers to use, or servers times GPUs with the number of racks, as in 15x4,
        10x8+2x4, 16x4/2.
    contention
        Separated by commas: none, own, uplink (share=1, degradation=0), racks (oversubscription=2).
        Options may follow a colon, as in uplink:share=0.5.
    load
        Factors by which jobs arrive faster, separated by commas.
    placements
        Placement rules for every policy, separated by commas (default: each policy's own).
    communication
        Exchange time of all jobs (0.3), or of the jobs of a model (VGG16=0.6,0.1), divided by the
        rest of a job's time.
    first
        Only the first n jobs by arrival.
    largest
        For jobs that request more GPUs than the smallest cluster has: refuse the command, or drop
        them everywhere.
    margin
        Mean completion times that differ by at most this many per cent are considered equal.
    bounds
        Fast bounds only, or also the slow bounds within the time limit.
    seed
        Seed of the random steps.
    time_limit
        Seconds after which a run is stopped.
    workers
        Parallel runs on this machine (default: one thread per processor).
    out
        Folder for rows, instances, schedules and tables (default: out/whatif-TRACE).
    html
        Write a self-contained web page to this file.
    """
    _refuse(trace, first, margin, seed, time_limit, html)
    request = ReplayRequest(
        policies=policies,
        placements=placements,
        clusters=clusters,
        contention=contention,
        load=load,
        communication=communication,
        first=first,
        drop=largest == "drop",
        strong=bounds == "strong",
        seed=seed,
        time_limit=time_limit,
    )
    given = load_as(TraceInstance, trace)
    replay = replay_of(given, request)
    folder = out or Path("out") / f"whatif-{slug(given.name)}"
    driven = _driven(replay, folder, workers)
    if isinstance(driven, int):
        return driven
    store, state = driven

    answers = [(one.at, store.row(one.run)) for one in replay.asked]
    rows = [store.row(run) for run in replay.runs]
    found = conclusions(given.name, answers, rows, margin / 100)
    write(found, store, rows, replay, html)
    for remark in [*replay.remarks, *state.contradictions]:
        note(f"note: {remark}")
    if json:
        more = {"dropped": replay.dropped, "remarks": list(replay.remarks)}
        emit({**found.plain(), **more, "folder": str(folder)})
    else:
        show_conclusions(found, folder)
    if state.contradictions or state.rejected:
        return 1
    return 0 if any(row["valid"] for row in rows) else 3


def _refuse(
    trace: str, first: int | None, margin: float, seed: int, time_limit: float, html: Path | None
) -> None:
    problems = at_least_one("--first", first) + seed_problems(seed)
    problems += time_limit_problems(time_limit) + place_problems("--html", trace, html)
    if not 0 <= margin < 100:
        found: Any = f"{margin:g}"
        problems.append(Problem("--margin", found, "per cent from 0 to 100", "give 1, for example"))
    if html is not None and html.suffix.lower() not in (".html", ".htm"):
        advice = "name the file report.html"
        problems.append(Problem("--html", str(html), "a name that ends in .html", advice))
    raise_any("ringyard whatif", problems)


def _driven(replay: Replay, folder: Path, workers: int | None) -> tuple[Store, CampaignState] | int:
    """Do the missing runs and return the exit code if some remain."""
    store = report_left_out(prepared(folder), done=False)
    keep_plan(store, replay.text, replay.runs)
    try:
        with keeping(), executor(workers, None) as chosen, follow("whatif") as report:
            return store, drive(store, replay.runs, chosen, report)
    except (KeyboardInterrupt, UnwrittenError) as error:
        why, code = why_stopped(error)
    store.refresh()
    done = sum(store.has(run) for run in replay.runs)
    note(f"{why}: {done} of {len(replay.runs)} runs are done. Rerun the command to resume.")
    return code


SHOWN, MOST = 12, 100
"""Most changed conclusions on the terminal, and on the page. The folder has all."""


def write(
    found: Conclusions, store: Store, rows: Sequence[Row], replay: Replay, html: Path | None
) -> None:
    """Write tables, sentences and the picture into the folder, and the page."""
    chart = found.chart() if found.chart else None
    with remade():
        write_report(Results(tables=found.tables, statements=found.statements), store.folder)
        if chart:
            write_figure(chart, store.folder / "crossings.svg")
    if html is None:
        return

    findings = Findings(
        title="What if",
        sentences=(*replay.remarks, *found.statements[:MOST]),
        picture=chart,
        tables=tuple(found.tables.values()),
    )
    page = gather(
        rows,
        sources_of(store),
        name=found.table.caption,
        plan=replay.text,
        schedules_shown=0,
        findings=findings,
    )
    write_file(html, to_page(page).encode())


def show_conclusions(found: Conclusions, folder: Path) -> None:
    """Print tables and sentences."""
    for table in found.tables.values():
        show_table(table)
    for sentence in found.statements[: len(found.summaries) + SHOWN]:
        say(f"- {sentence}")
    if len(found.sentences) > SHOWN:
        say(f"- and {len(found.sentences) - SHOWN:,} more: {folder / 'statements.md'}")
    say(f"rows and tables are in {folder}. Next: ringyard report {folder} --out report.html")
