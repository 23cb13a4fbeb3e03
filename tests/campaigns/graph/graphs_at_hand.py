"""Campaign files with nodes, and an executor that does runs and steps in this process."""

from pathlib import Path
from typing import Any

from campaigns.runs_at_hand import Here

from ringyard.campaigns.drive import drive
from ringyard.campaigns.executors import Executor
from ringyard.campaigns.graph.agenda import Agenda
from ringyard.campaigns.graph.perform_step import perform_step
from ringyard.campaigns.perform import perform
from ringyard.campaigns.plan import Plan, read_plan
from ringyard.campaigns.runs import Task
from ringyard.campaigns.state import CampaignState
from ringyard.campaigns.store import keep_plan, prepared

HEAD = 'format = "ringyard-campaign/1"\nname = "try"\n'


def node(name: str, type_: str, *needs: str, **fields: Any) -> str:
    """Write a node; values of fields as Python and TOML both write them."""
    lines = [f"name = {name!r}", f"type = {type_!r}"]
    lines += [f"needs = {list(needs)!r}"] if needs else []
    return "\n".join(["[[nodes]]", *lines, *(f"{k} = {v!r}" for k, v in fields.items()), ""])


DRAW = node("draw", "generate", family="small", seeds=2, set=["jobs=4", "servers=2"])
QUICK = node("quick", "solve", "draw", methods=["gang-lpt", "random"], seeds=2)
LIMITS = node("limits", "bound", "draw")
CHECK = node("check", "verify", "quick", "limits")
EXACT = node("exact", "solve", "draw", "check", methods=["enumeration"])
BEST = node("best", "table", "check", "exact", kind="runs")
WHOLE = HEAD + DRAW + QUICK + LIMITS + CHECK + EXACT + BEST


def plan_of(folder: Path, text: str) -> Plan:
    """Read a campaign file with this text."""
    path = folder / "try.toml"
    path.write_text(text, encoding="utf-8")
    return read_plan(path)


def does(task: Task) -> dict[str, Any]:
    """Do a run, or the step of a node."""
    return perform_step(task) if "step" in task else perform(task)


def run(
    folder: Path, text: str, here: Executor | None = None, news: list[str] | None = None
) -> tuple[CampaignState, Agenda]:
    """Run a campaign in this process; return how it went."""
    plan = plan_of(folder, text)
    store = prepared(folder / "out")
    keep_plan(store, plan.text, plan.runs)
    agenda, told = Agenda(plan.stages, store), [] if news is None else news
    tell = lambda state: told.extend(state.take_news())  # noqa: E731
    return drive(store, plan.runs, here or Here(does), tell, agenda), agenda


def states(agenda: Agenda) -> dict[str, str]:
    """Return how far each node is."""
    return {name: going.status.value for name, going in agenda.nodes.items()}
