"""`ringyard whatif`: one workload under other policies, clusters, loads, networks and outages."""

from pathlib import Path
from typing import Any, Literal

from ...analysis.report import Findings
from ...analysis.whatif import Conclusions, conclusions
from ...analysis.whatif.goal import Goal, goal_of
from ...campaigns.reproductions import Results
from ...campaigns.whatif import ReplayRequest, replay_of, setting_of, slug
from ...campaigns.whatif.clusters import COMMAND
from ...campaigns.whatif.goal import goal_search
from ...campaigns.whatif.outages import compared
from ...campaigns.whatif.times import times_of
from ...instances import TraceInstance
from ...instances.arguments import at_least_one, seed_problems, time_limit_problems
from ...instances.catalogue import load_as
from ...instances.errors import Problem, Words, raise_any
from ..shared.options import AsJson, Whole, place_problems
from ..shared.output import emit, note, say, show_table
from .goal import goal_command
from .replays import WIDTH, Question, asked_text, driven_runs, method_notes, write_findings


def whatif_command(
    trace: str,
    /,
    *,
    policies: str = "tiresias-l,yarn-cs,srtf",
    clusters: str = "own",
    goal: str | None = None,
    add: str | None = None,
    contention: str | None = None,
    load: str = "1",
    outages: str | None = None,
    checkpoint: str | None = None,
    without: str | None = None,
    placements: str | None = None,
    communication: str | None = None,
    first: Whole | None = None,
    largest: Literal["refuse", "drop"] = "refuse",
    margin: float | None = None,
    bounds: Literal["quick", "strong"] = "quick",
    seed: Whole = 0,
    time_limit: float = 600.0,
    workers: Whole | None = None,
    out: Path | None = None,
    html: Path | None = None,
    json: AsJson = False,
) -> int:
    """Replay a trace under other policies, clusters, loads, networks and outages, and compare.

    Each combination of policy, cluster, load, network and outages is a run that the judge checks.
    Rerun the command to resume. The report says what each change does to waits and completion
    times, and which conclusions change with network, load, cluster and outages. The exit code is 1
    if the judge rejects a schedule, and 3 if there is no schedule, or no cluster for a goal.

    Parameters
    ----------
    trace
        A `trace` instance: a catalogue name, or a file such as `ringyard import` writes.
    policies
        Names from `ringyard list methods`, separated by commas. Options may follow a colon.
    clusters
        Separated by commas: own, own with more or fewer servers as in own+2x8, own-1x8 or own-s3
        (the name of a server), the file of an instance whose servers to use, or servers times GPUs
        with the number of racks, as in 15x4, 10x8+2x4, 16x4/2. Kinds of GPUs follow a colon, as in
        own+2x8:v100 or 2x8:v100+4x8:k80.
    goal
        Find the fewest servers that reach a goal, as in 'p95 wait 1h': mean, p50, p95 or p99 of
        wait or jct, or mean or p95 of slowdown. The cluster is --clusters, with servers added or
        removed.
    add
        With --goal: GPUs of a server to add or remove, and their kind as in 8:v100 (default: as
        most servers have).
    contention
        Separated by commas: none, own, uplink (share=1, degradation=0), racks (oversubscription=2).
        Options may follow a colon, as in uplink:share=0.5 (default: none,uplink, and none with
        --goal).
    load
        Factors by which jobs arrive faster, separated by commas.
    outages
        Servers that fail, compared with none: own (those of the file, its default), or random
        outages as in mtbf=30d,repair=4h,draws=5, with announced and seed=0 as further parts.
        Several values: none,own,mtbf=30d,mtbf=10d.
    checkpoint
        Time worked between checkpoints, as in 30m. An outage loses the work since the last one
        (default: as in the file).
    without
        Replay also without the jobs of a group or a model: group=NAME or model=NAME, several joined
        by +, as in group=vision,group=vision+model=BERT.
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
        Mean completion times that differ by at most this many per cent tie (default: if jobs
        arrive on at least 5 days, a tie is a difference whose 95 % interval includes 0, else 1).
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
    target = None if goal is None else goal_of(goal)
    raise_any(COMMAND, _beside(target, add, bounds, margin))
    request = ReplayRequest(
        policies=policies,
        placements=placements,
        clusters=clusters,
        contention=contention or ("none,uplink" if target is None else "none"),
        load=load,
        without=without,
        outages=compared(outages) if target is None else outages,
        checkpoint=checkpoint,
        communication=communication,
        first=first,
        drop=largest == "drop",
        strong=bounds == "strong",
        seed=seed,
        time_limit=time_limit,
    )
    given = load_as(TraceInstance, trace)
    folder = out or Path("out") / f"whatif-{slug(given.name)}"
    setting = setting_of(given, request)
    if target is not None:
        search = goal_search(target, setting, add)
        words = asked_text(given.name, request, goal=target.text, add=add)
        return goal_command(search, folder, workers, html, words, json=json)
    replay = replay_of(setting)
    driven = driven_runs(replay.text, replay.runs, folder, workers)
    if isinstance(driven, int):
        return driven
    store, state = driven

    answers = [(one.at, store.row(one.run)) for one in replay.asked]
    rows = [store.row(run) for run in replay.runs]
    told = [(one.run.instance, store.row(one.run)) for one in replay.asked]
    times = times_of(store, setting.jobs, told, setting.without)
    limit = None if margin is None else margin / 100
    found = conclusions(
        given.name, setting.title, answers, rows, times, limit, left_out=setting.left_out
    )
    remarks = [*replay.remarks, *method_notes(row for _, row in answers)]
    findings = Findings(
        title="What if",
        sentences=(*remarks, *found.statements[:MOST]),
        picture=found.chart() if found.chart else None,
        tables=found.shown,
    )
    results = Results(tables=found.tables, statements=found.statements)
    question = Question(asked_text(given.name, request), replay.text)
    write_findings(results, findings, store, rows, question, html, found.table.caption)
    for remark in [*remarks, *state.contradictions]:
        note(f"note: {remark}")
    if json:
        more = {"dropped": replay.dropped, "remarks": remarks}
        emit({**found.plain(), **more, "folder": str(folder)})
    else:
        show_conclusions(found, folder)
    if state.contradictions or state.rejected:
        return 1
    return 0 if any(row["valid"] for row in rows) else 3


def _refuse(
    trace: str,
    first: int | None,
    margin: float | None,
    seed: int,
    time_limit: float,
    html: Path | None,
) -> None:
    problems = at_least_one("--first", first) + seed_problems(seed)
    problems += time_limit_problems(time_limit) + place_problems("--html", trace, html)
    if margin is not None and not 0 <= margin < 100:
        found: Any = f"{margin:g}"
        problems.append(Problem("--margin", found, "per cent from 0 to 100", "give 1, for example"))
    if html is not None and html.suffix.lower() not in (".html", ".htm"):
        advice = "name the file report.html"
        problems.append(Problem("--html", str(html), "a name that ends in .html", advice))
    raise_any("ringyard whatif", problems)


def _beside(goal: Goal | None, add: str | None, bounds: str, margin: float | None) -> list[Problem]:
    """Return the problems of options that a goal excludes or needs."""
    problems: list[Problem] = []
    if add is not None and goal is None:
        problems.append(Problem("--add", add, "--goal as well", "add --goal 'p95 wait 1h'"))
    if goal is not None and bounds == "strong":
        advice = "leave out --bounds"
        problems.append(Problem("--bounds", bounds, "'quick' with --goal", advice))
    if goal is not None and margin is not None:
        expected = "no value with --goal, which compares nothing"
        problems.append(Problem("--margin", Words(f"{margin:g}"), expected, "leave it out"))
    return problems


SHOWN, MOST = 12, 100
"""Most changed conclusions on the terminal, and on the page. The folder has all."""


def show_conclusions(found: Conclusions, folder: Path) -> None:
    """Print tables and sentences."""
    for table in found.shown:
        show_table(table, WIDTH)
    for sentences in (found.answers, found.summaries, found.sentences):
        for sentence in sentences[:SHOWN]:
            say(f"- {sentence}")
        if len(sentences) > SHOWN:
            say(f"- and {len(sentences) - SHOWN:,} more: {folder / 'statements.md'}")
    say(f"rows and tables are in {folder}. Next: ringyard report {folder} --out report.html")
