"""What is said and drawn of a graph: its nodes in layers, how far each is, and why."""

from pathlib import Path

from ...analysis.figures.flow import FlowGraph, FlowStep
from ...instances.errors import plural
from .agenda import Agenda, Going, Status


def flow_of(name: str, agenda: Agenda, *, words: dict[str, str]) -> FlowGraph:
    """Return the graph for a drawing; `words` says some states in another way."""
    import networkx

    steps = {
        node.stage.name: FlowStep(
            name=node.stage.name,
            type=node.stage.type,
            state=words.get(node.status, node.status),
            about=about(node),
            needs=node.stage.needs,
        )
        for node in agenda.nodes.values()
    }
    graph: networkx.DiGraph[str] = networkx.DiGraph()
    graph.add_nodes_from(steps)
    graph.add_edges_from((need, step.name) for step in steps.values() for need in step.needs)
    layers = [
        tuple(map(steps.__getitem__, some)) for some in networkx.topological_generations(graph)
    ]
    return FlowGraph(about=f"graph of the campaign {name}", layers=tuple(layers))


def about(node: Going) -> str:
    """Say in a few words what a node has, or why it has nothing."""
    stage = node.stage
    if node.status is Status.NOT_RUN:
        return f"because {node.cause} failed"
    if stage.instances:
        return plural(len(stage.instances), "instance")
    if stage.runs:
        done = len(stage.runs) - len(node.missing)
        failed = f", {node.failed} failed" if node.failed else ""
        begins = f", begin with {', '.join(stage.starts)}" if stage.starts else ""
        return f"{done:,} of {plural(len(stage.runs), 'run')}{begins}{failed}"
    return node.note or plural(len(stage.takes), "row")


def files_of(agenda: Agenda) -> list[Path]:
    """Return the files that nodes wrote and that count now."""
    found = list[Path]()
    for node in agenda.nodes.values():
        record = node.step.record(agenda.store) if node.step else None
        found += [agenda.store.folder / "nodes" / name for name in (record or {}).get("files", ())]
    return found
