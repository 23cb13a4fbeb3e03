"""What-if questions as a campaign: its file and its runs."""

import json
import re

from ...instances import TraceInstance, digest
from ..runs import BOUND, Run
from .questions import ReplayRun


def plan_of(trace: TraceInstance, asked: list[ReplayRun], *, strong: bool) -> tuple[str, list[Run]]:
    """Return the campaign file that makes the runs again, and the runs.

    With `strong` bounds, each instance is also given to the bound that takes its time.
    """
    runs = [one.run for one in asked]
    if strong:
        first = {digest(run.instance): run for run in reversed(runs)}
        runs += [
            Run(instance=run.instance, method=BOUND, seed=run.seed, time_limit=run.time_limit)
            for run in first.values()
        ]
    unique = {run.key: run for run in runs}
    return _text(trace, runs), list(unique.values())


def _text(trace: TraceInstance, runs: list[Run]) -> str:
    """Return the file; its instances lie in the folder beside it."""
    files = dict.fromkeys(f"instances/{digest(run.instance)}.json.gz" for run in runs)
    fields = {
        "format": "ringyard-campaign/1",
        "name": f"whatif-{slug(trace.name)}",
        "about": f"The jobs of {trace.name}, replayed.",
        "instances": list(files),
        "methods": list(dict.fromkeys(run.method for run in runs)),
        "first_seed": runs[0].seed,
        "time_limit": runs[0].time_limit,
    }
    return "".join(
        f"{key} = {json.dumps(value, ensure_ascii=False)}\n" for key, value in fields.items()
    )


def slug(name: str) -> str:
    """Return a name that a folder may have."""
    return re.sub(r"[^\w.-]+", "-", name).strip(".-") or "trace"
