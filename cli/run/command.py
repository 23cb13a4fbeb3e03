"""`ringyard run`: a campaign, many methods on many instances."""

import time
from pathlib import Path

from ...campaigns.drive import drive
from ...campaigns.graph.agenda import Agenda
from ...campaigns.plan import Plan, find_campaign, read_plan
from ...campaigns.stale import StaleRows
from ...campaigns.state import CampaignState, elsewhere, title
from ...campaigns.store import Store, keep_plan, prepared
from ...instances.writing import UnwrittenError
from ...interrupts import keeping
from ..shared.campaign import executor, follow
from ..shared.options import AsJson, Flag, Whole, rescue
from ..shared.output import emit, note, say
from ..shared.sources import told
from .graph import node_rows, show_graph, show_nodes


def run_command(
    campaign: str,
    /,
    *,
    out: Path | None = None,
    workers: Whole | None = None,
    dask: str | None = None,
    watch: Flag = False,
    plan: Flag = False,
    graph: Flag = False,
    picture: Path | None = None,
    certificates: Flag = False,
    json: AsJson = False,
) -> int:
    """Run what is missing of a campaign; the same command again goes on where it was.

    Each run is a row of the folder's journal, failures with their reason. Several processes may
    work on one folder. Ends with exit code 1 if answers contradict each other, the judge
    rejected one, a method ended with less than it reported on the way, or a node of a graph failed.

    Parameters
    ----------
    campaign
        A name of `ringyard list campaigns`, or a campaign file (.toml).
    out
        Folder for rows, instances and schedules; out/NAME if it is left out.
    workers
        Runs side by side on this machine; as many as processors if it is left out. Take 1 where
        times are to be compared.
    dask
        Address of a Dask scheduler whose workers do the runs, such as tcp://127.0.0.1:8786, or
        tls:// with TLS. Ringyard itself listens nowhere; anyone who reaches a scheduler without
        TLS can have its workers do anything.
    watch
        Do nothing, and show what others are doing.
    plan
        Do nothing, and list the runs and whether they are done; of stale rows say what changed.
    graph
        Do nothing, and draw the campaign as a graph: its nodes, what they need, how far they are.
    picture
        Draw the graph into this file instead: .svg, .pdf, .png, .dot or .txt.
    certificates
        Write and check a certificate of each bound that can have one, as `certificates = "checked"`
        in the file does; runs without it are others, and stay.
    """
    read = read_plan(find_campaign(campaign), certificates=certificates)
    folder = out or Path("out") / read.name
    if plan:
        return _list(read, told(Store(folder), done=False), json)
    if graph or picture is not None:
        return show_graph(read, told(Store(folder), done=False), picture, json)
    if watch:
        store = told(Store(folder), done=False)
        agenda = Agenda(read.stages, store) if read.stages else None
        state = _watched(read, store, agenda)
        return _conclude(read, state, folder, agenda, json)

    store = told(prepared(folder), done=False)
    keep_plan(store, read.text, read.runs)
    agenda = Agenda(read.stages, store) if read.stages else None
    try:
        with keeping(), executor(workers, dask) as chosen, follow(read.name) as tell:
            state = drive(store, read.runs, chosen, tell, agenda)
    except KeyboardInterrupt:
        store.refresh()
        done = sum(store.has(run) for run in read.runs)
        note(f"interrupted: {done} of {len(read.runs)} runs are done; the same command goes on")
        return 130
    except UnwrittenError as error:
        rescue(error)
        store.refresh()
        state = _known(read, store)
    return _conclude(read, state, folder, agenda, json)


def _known(plan: Plan, store: Store) -> CampaignState:
    """Return how far a campaign is, by its rows."""
    state = CampaignState(keys=frozenset(run.key for run in plan.runs))
    state.saw(store.rows(), news=False)
    return state


def _watched(plan: Plan, store: Store, agenda: Agenda | None) -> CampaignState:
    """Show what others are doing until all is done or a person has seen enough."""
    state = _known(plan, store)
    if _open(state, agenda) and not elsewhere(store.folder / "status"):
        note(f"no process works on {store.folder} now; waiting, until Ctrl-C")
    try:
        with keeping(), follow(plan.name) as tell:
            while _open(state, agenda):
                time.sleep(0.5)
                new = store.refresh()
                state.saw(new)
                if agenda is not None:
                    agenda.saw(new)
                    state.nodes = agenda.counts()
                state.running = elsewhere(store.folder / "status")
                tell(state)
    except KeyboardInterrupt:
        pass
    return state


def _open(state: CampaignState, agenda: Agenda | None) -> bool:
    """Say whether anything is missing still."""
    if agenda is None:
        return state.done < state.total
    agenda.advance()
    return agenda.open


def _list(plan: Plan, store: Store, json: bool) -> int:
    stale = StaleRows(store)
    why = {run.key: None if store.has(run) else stale.why(run) for run in plan.runs}
    if json:
        rows = [
            {**run.stated(), "done": store.has(run), "stale": why[run.key]} for run in plan.runs
        ]
        emit({"campaign": plan.name, "runs": rows})
        return 0
    for run in plan.runs:
        reason = why[run.key]
        word = "done" if store.has(run) else "stale" if reason else "missing"
        say(f"{word:7}  {title(run)}" + (f": {reason}" if reason else ""))
    done = sum(store.has(run) for run in plan.runs)
    say(f"{done} of {len(plan.runs)} runs are done")
    return 0


def _conclude(
    plan: Plan, state: CampaignState, folder: Path, agenda: Agenda | None, json: bool
) -> int:
    """Say how it went and return the exit code."""
    wrong = bool(state.contradictions) or state.rejected > 0
    wrong |= agenda is not None and agenda.failed
    if json:
        emit(
            {
                "campaign": plan.name,
                "folder": str(folder),
                "runs": state.total,
                "done": state.done,
                "by_status": dict(sorted(state.by_status.items())),
                "contradictions": state.contradictions,
                **({} if agenda is None else {"nodes": node_rows(agenda)}),
            }
        )
        return int(wrong)
    counts = ", ".join(f"{count} {status}" for status, count in sorted(state.by_status.items()))
    say(f"{plan.name}: {state.done} of {state.total} runs" + (f": {counts}" if counts else ""))
    if agenda is not None:
        show_nodes(agenda)
    for sentence in state.contradictions:
        note(f"error: {sentence}")
    if state.done:
        page = f"ringyard report {folder} --out report.html"
        say(f"rows are in {folder}; next: ringyard table {folder} --kind ratios, {page}")
    return int(wrong)
