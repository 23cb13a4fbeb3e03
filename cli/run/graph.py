"""A campaign as a graph: drawn, and listed with how far its nodes are."""

from pathlib import Path
from typing import Any

from ...analysis.figures.flow import FlowGraph, to_dot, to_text
from ...analysis.figures.flow_picture import draw_flow
from ...campaigns.graph.agenda import Agenda
from ...campaigns.graph.stages import implied
from ...campaigns.graph.words import about, files_of, flow_of
from ...campaigns.plan import Plan
from ...campaigns.store import Store
from ...instances.errors import Problem, raise_any
from ...instances.writing import write_whole
from ..shared.options import place_problems, written
from ..shared.output import emit, say, table

FORMATS = (".svg", ".pdf", ".png", ".dot", ".txt")

MISSING = {"waiting": "missing", "running": "missing"}
"""What is said of a node that no process works on."""


def show_graph(plan: Plan, store: Store, picture: Path | None, json: bool) -> int:
    """Draw a campaign with what its folder has of it, in the terminal or into a file."""
    _refuse(store.folder, picture)
    agenda = Agenda(plan.stages or implied(plan.runs), store)
    agenda.advance()
    flow = flow_of(plan.name, agenda, words=MISSING)
    if picture is not None:
        with written(picture):
            _draw(flow, picture)
    if json:
        emit({"campaign": plan.name, "nodes": node_rows(agenda)})
    elif picture is None:
        say(to_text(flow))
        table(["node", "type", "state", "needs", "about"], _rows(flow))
    return 0


def show_nodes(agenda: Agenda) -> None:
    """List the nodes with what came of them, and the files that this left."""
    rows = [[n.stage.name, n.stage.type, n.status.value, about(n)] for n in agenda.nodes.values()]
    table(["node", "type", "state", "about"], rows)
    for path in files_of(agenda):
        say(f"see {path}")


def node_rows(agenda: Agenda) -> list[dict[str, Any]]:
    """Return the nodes as plain rows."""
    return [
        {
            "node": node.stage.name,
            "type": node.stage.type,
            "needs": list(node.stage.needs),
            "starts": list(node.stage.starts),
            "state": MISSING.get(node.status, node.status.value),
            "about": about(node),
        }
        for node in agenda.nodes.values()
    ]


def _rows(flow: FlowGraph) -> list[list[str]]:
    return [
        [step.name, step.type, step.state, ", ".join(step.needs) or "-", step.about]
        for step in flow.steps
    ]


def _refuse(folder: Path, picture: Path | None) -> None:
    problems = place_problems("--picture", str(folder), picture)
    if picture is not None and picture.suffix.lower() not in FORMATS:
        expected, advice = f"one of {', '.join(FORMATS)}", "name the file graph.svg"
        problems.append(Problem("--picture", str(picture), expected, advice))
    raise_any("ringyard run", problems)


def _draw(flow: FlowGraph, path: Path) -> None:

    write = {".dot": to_dot, ".txt": to_text}.get(path.suffix.lower())
    if write is None:
        draw_flow(flow, path)
    else:
        write_whole(path, write(flow).encode())
