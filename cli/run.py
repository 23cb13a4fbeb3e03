"""`ringyard run`: a campaign, many methods on many instances."""

import time
from pathlib import Path

from ..campaigns.drive import drive
from ..campaigns.plan import Plan, find_campaign, read_plan
from ..campaigns.state import CampaignState, StaleRows, elsewhere, title
from ..campaigns.store import Store, keep_plan, prepared
from ..instances.writing import UnwrittenError
from ..interrupts import keeping
from .shared.campaign import executor, follow, report_left_out
from .shared.options import AsJson, Flag, Whole, rescue
from .shared.output import emit, note, say


def run_command(
    campaign: str,
    /,
    *,
    out: Path | None = None,
    workers: Whole | None = None,
    dask: str | None = None,
    watch: Flag = False,
    plan: Flag = False,
    certificates: Flag = False,
    json: AsJson = False,
) -> int:
    """Run the missing runs of a campaign. Rerun the command to resume it.

    Each run is a row of the folder's journal, and failures have a reason. Several processes may
    share a folder. The exit code is 1 if answers contradict each other, the judge rejects one, or
    a method ends with a worse result than it reported.

    Parameters
    ----------
    campaign
        A name of `ringyard list campaigns`, or a campaign file (.toml).
    out
        Folder for rows, instances and schedules (default: out/NAME).
    workers
        Parallel runs on this machine (default: one thread per processor). Use 1 to compare times.
    dask
        Address of a Dask scheduler whose workers execute the runs, such as tcp://127.0.0.1:8786,
        or tls:// with TLS. Ringyard opens no port. Without TLS, anyone who can reach a scheduler
        can execute code on its workers.
    watch
        Start no run. Show the progress of other processes.
    plan
        Start no run. List the runs and their status, and the reason why rows are stale.
    certificates
        Write and check a certificate of each bound that supports it, as `certificates = "checked"`
        does in the file. Runs without certificates are separate runs, and are kept.
    """
    read = read_plan(find_campaign(campaign), certificates=certificates)
    folder = out or Path("out") / read.name
    if plan:
        return _list(read, report_left_out(Store(folder), done=False), json)
    if watch:
        state = _watched(read, report_left_out(Store(folder), done=False))
        return _conclude(read, state, folder, json)

    store = report_left_out(prepared(folder), done=False)
    keep_plan(store, read.text, read.runs)
    try:
        with keeping(), executor(workers, dask) as chosen, follow(read.name) as tell:
            state = drive(store, read.runs, chosen, tell)
    except KeyboardInterrupt:
        store.refresh()
        done = sum(store.has(run) for run in read.runs)
        note(f"interrupted: {done} of {len(read.runs)} runs are done. Rerun the command to resume.")
        return 130
    except UnwrittenError as error:
        rescue(error)
        store.refresh()
        state = _known(read, store)
    return _conclude(read, state, folder, json)


def _known(plan: Plan, store: Store) -> CampaignState:
    """Return the progress of a campaign by its rows."""
    state = CampaignState(keys=frozenset(run.key for run in plan.runs))
    state.saw(store.rows(), news=False)
    return state


def _watched(plan: Plan, store: Store) -> CampaignState:
    """Show the progress of other processes until all runs are done or an interrupt."""
    state = _known(plan, store)
    if state.done < state.total and not elsewhere(store.folder / "status"):
        note(f"no process works on {store.folder} now. Waiting until Ctrl-C")
    try:
        with keeping(), follow(plan.name) as tell:
            while state.done < state.total:
                time.sleep(0.5)
                state.saw(store.refresh())
                state.running = elsewhere(store.folder / "status")
                tell(state)
    except KeyboardInterrupt:
        pass
    return state


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


def _conclude(plan: Plan, state: CampaignState, folder: Path, json: bool) -> int:
    """Report the result and return the exit code."""
    wrong = bool(state.contradictions) or state.rejected > 0
    if json:
        emit(
            {
                "campaign": plan.name,
                "folder": str(folder),
                "runs": state.total,
                "done": state.done,
                "by_status": dict(sorted(state.by_status.items())),
                "contradictions": state.contradictions,
            }
        )
        return int(wrong)
    counts = ", ".join(f"{count} {status}" for status, count in sorted(state.by_status.items()))
    say(f"{plan.name}: {state.done} of {state.total} runs" + (f": {counts}" if counts else ""))
    for sentence in state.contradictions:
        note(f"error: {sentence}")
    if state.done:
        page = f"ringyard report {folder} --out report.html"
        say(f"rows are in {folder}. Next: ringyard table {folder} --kind ratios, {page}")
    return int(wrong)
