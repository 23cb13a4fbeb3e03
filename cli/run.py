"""`ringyard run`: a campaign, many methods on many instances."""

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from .campaign import executor, follow
from .options import Whole
from .output import emit, note, say

if TYPE_CHECKING:
    from ..campaigns.plan import Plan
    from ..campaigns.state import State
    from ..campaigns.store import Store


def run_command(
    campaign: str,
    /,
    *,
    out: Path | None = None,
    workers: Whole | None = None,
    dask: str | None = None,
    watch: Annotated[bool, Parameter(negative=())] = False,
    plan: Annotated[bool, Parameter(negative=())] = False,
    json: Annotated[bool, Parameter(negative=())] = False,
) -> int:
    """Run what is missing of a campaign; the same command again goes on where it was.

    Each run is a row of the folder's journal, failures with their reason. Several processes may
    work on one folder. Ends with exit code 1 if answers contradict each other or the judge
    rejected one.

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
        Address of a Dask scheduler whose workers do the runs, such as tcp://127.0.0.1:8786.
    watch
        Do nothing, and show what others are doing.
    plan
        Do nothing, and list the runs and whether they are done.
    json
        Print one JSON object.
    """
    from ..campaigns.catalogue import find_campaign
    from ..campaigns.plan import read_plan
    from ..campaigns.store import Store, keep_plan, prepared

    read = read_plan(find_campaign(campaign))
    folder = out or Path("out") / read.name
    if plan:
        return _list(read, Store(folder), json)
    if watch:
        state = _watched(read, Store(folder))
        return _conclude(read, state, folder, json)
    from ..campaigns.drive import drive

    store = prepared(folder)
    keep_plan(store, read.text, read.runs)
    try:
        with executor(workers, dask) as chosen, follow(read.name) as tell:
            state = drive(store, read.runs, chosen, tell)
    except KeyboardInterrupt:
        store.refresh()
        done = sum(store.has(run) for run in read.runs)
        note(f"interrupted: {done} of {len(read.runs)} runs are done; the same command goes on")
        return 130
    return _conclude(read, state, folder, json)


def _watched(plan: "Plan", store: "Store") -> "State":
    """Show what others are doing until all is done or a person has seen enough."""
    from ..campaigns.state import State, elsewhere

    state = State(keys=frozenset(run.key for run in plan.runs))
    state.saw(store.rows(), news=False)
    if state.done < state.total and not elsewhere(store.folder / "status"):
        note(f"nobody works on {store.folder} now; waiting, until Ctrl-C")
    try:
        with follow(plan.name) as tell:
            while state.done < state.total:
                time.sleep(0.5)
                state.saw(store.refresh())
                state.running = elsewhere(store.folder / "status")
                tell(state)
    except KeyboardInterrupt:
        pass
    return state


def _list(plan: "Plan", store: "Store", json: bool) -> int:
    from ..campaigns.state import title

    if json:
        rows = [{**run.stated(), "done": store.has(run)} for run in plan.runs]
        emit({"campaign": plan.name, "runs": rows})
        return 0
    for run in plan.runs:
        say(f"{'done   ' if store.has(run) else 'missing'}  {title(run)}")
    done = sum(store.has(run) for run in plan.runs)
    say(f"{done} of {len(plan.runs)} runs are done")
    return 0


def _conclude(plan: "Plan", state: "State", folder: Path, json: bool) -> int:
    """Say how it went and return the exit code."""
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
        say(f"rows are in {folder}; next: ringyard table {folder}, {page}")
    return int(wrong)
