"""What `ringyard show` says of a `transfers` instance."""

from typing import Any

from ...families.contracts import Said
from ...instances import TransfersInstance
from ...instances.errors import plural
from ...instances.reading.encode import as_number, decimal_text
from ...simulation.transfers import Network
from ..shared.output import say, show_rows
from ..shared.verdict_words import exact_texts

SAID = Said(
    parts=lambda verdict: {
        "applied": exact_texts(verdict.applied),
        "dropped": list(verdict.dropped),
        "spread": as_number(verdict.spread),
    },
    beside=lambda verdict: (
        "applied",
        f"{plural(len(verdict.applied), 'update')}, {len(verdict.dropped)} dropped",
    ),
    rest=lambda verdict: (
        f", {plural(len(verdict.applied), 'update')} applied, {len(verdict.dropped)} dropped"
    ),
)


def show_transfers(problem: TransfersInstance, most: int) -> None:
    """Print the network, what limits apply, and the first updates."""
    network = Network.of(problem)
    nodes = {node for link in problem.links for node in (link.a, link.b)}
    size = f"{plural(len(nodes), 'node')}, {plural(len(problem.links), 'link')}"
    say(f"network: {size}; server {problem.server}")
    say(f"  aggregators: {_few(problem.aggregators)}; replica: {problem.replica or 'none'}")
    drop = f"a dropped update counts for {decimal_text(problem.drop_s)} s"
    say(f"goal: {problem.goal} moment at which updates are applied; {drop}")
    if problem.staleness is not None:
        say(f"  at most {plural(problem.staleness, 'update')} between reading and applying")
    if problem.divergence is not None:
        norms = decimal_text(problem.divergence)
        say(f"  the replica may lack updates whose norms add up to {norms}")
    total = sum(float(one.size_gb) for one in problem.updates)
    say(f"updates: {len(problem.updates)}, {total:.4g} GB")
    rows = [_row(network, name) for name in list(network.updates)[:most]]
    heads = ["  update", "worker", "GB", "ready, s", "alone, s", "behind", "norm", "due, s"]
    show_rows(heads, rows, len(problem.updates))


def _row(network: Any, name: str) -> list[Any]:
    one = network.updates[name]
    alone = float(network.alone_s(name, network.instance.server))
    due = None if one.due_s is None else float(one.due_s)
    size, ready, norm = float(one.size_gb), float(one.ready_s), float(one.norm)
    return [f"  {name}", one.worker, size, ready, alone, one.behind, norm, due]


def _few(names: tuple[str, ...], most: int = 4) -> str:
    """Name the first of some nodes."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more if names else "none"
