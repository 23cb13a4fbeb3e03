"""Output of `ringyard show` for parts of a training step: `coded`, `shuffle`, `transfers`."""

from typing import TYPE_CHECKING, Any

from ...families.family import VerdictTexts
from ...instances.errors import plural
from ...instances.reading.encode import as_number, decimal_text
from ..shared.output import say, show_rows
from ..shared.verdicts import exact_texts

if TYPE_CHECKING:
    from ...instances import CodedInstance, ShuffleInstance, TaskTime, TransfersInstance


def show_coded(problem: "CodedInstance", _: int = 0) -> None:
    """Print the workers, the distribution of their times, and the limit for many workers."""
    from ...analysis.coded import limit_of

    rows = "any number of parts divides the rows"
    if problem.rows is not None:
        rows = f"{plural(problem.rows, 'row')}, padded so that all parts are equal"
    say(f"workers: {problem.workers:,}, {rows}")
    say(f"  with all rows, a single worker takes {law_text(problem.time)}")
    limit = limit_of(problem.time)
    say(f"for many workers (n) the best code has {limit.parts:.4g} n parts and needs")
    say(f"  {limit.scaled_s:.6g}/n s. Its gain over uncoded parts {limit.gain}")


def law_text(law: "TaskTime") -> str:
    """Return a distribution as text."""
    from ...instances import Bimodal, ParetoTime, ShiftedExponential

    if isinstance(law, ShiftedExponential):
        rate = f"an exponential time of rate {law.rate_per_s:f} per second"
        return f"{law.least_s:f} s and {rate}"
    if isinstance(law, ParetoTime):
        return f"more than t s with probability ({law.least_s:f}/t)^{law.tail:f}"
    if isinstance(law, Bimodal):
        return f"{law.fast_s:f} s, or {law.slow_s:f} s with probability {law.slow:f}"
    low, high = min(law.times_s), max(law.times_s)
    return f"one of {len(law.times_s)} measured times, from {low:f} to {high:f} s"


SHOWN_ROWS = 8
"""Most rows of a worker that are listed."""


SHUFFLE_TEXTS = VerdictTexts(
    parts=lambda verdict: {"unknown": {name: list(rows) for name, rows in verdict.unknown.items()}}
)


def show_shuffle(problem: "ShuffleInstance", most: int) -> None:
    """Print the missing rows, and the first workers."""
    missing = problem.missing
    lacked = frozenset[int]().union(*missing)
    say(f"rows: {problem.rows}, {len(lacked)} of them missing on some worker")
    say(f"a message to several workers costs {decimal_text(problem.multicast)}, to one worker 1")
    say(f"workers: {len(problem.workers)}")
    rows = [
        [f"  {one.name}", len(one.has), len(one.wants), len(own), _row_numbers(own)]
        for one, own in list(zip(problem.workers, missing, strict=True))[:most]
    ]
    show_rows(["  worker", "has", "wants", "lacks", "namely"], rows, len(problem.workers))


def _row_numbers(rows: frozenset[int]) -> str:
    first = ", ".join(map(str, sorted(rows)[:SHOWN_ROWS]))
    return f"{first}, .." if len(rows) > SHOWN_ROWS else first or "-"


TRANSFERS_TEXTS = VerdictTexts(
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


def show_transfers(problem: "TransfersInstance", most: int) -> None:
    """Print the network, the limits that apply, and the first updates."""
    from ...simulation.transfers import Network

    network = Network.of(problem)
    nodes = {node for link in problem.links for node in (link.a, link.b)}
    size = f"{plural(len(nodes), 'node')}, {plural(len(problem.links), 'link')}"
    say(f"network: {size}, server {problem.server}")
    say(f"  aggregators: {_few(problem.aggregators)}, replica: {problem.replica or 'none'}")
    drop = f"a dropped update costs {decimal_text(problem.drop_s)} s"
    say(f"goal: {problem.goal} moment at which updates are applied, where {drop}")
    if problem.staleness is not None:
        say(f"  at most {plural(problem.staleness, 'update')} between reading and applying")
    if problem.divergence is not None:
        norms = decimal_text(problem.divergence)
        say(f"  the replica may lack updates whose norms add up to {norms}")
    total = sum(float(one.size_gb) for one in problem.updates)
    say(f"updates: {len(problem.updates)}, {total:.4g} GB")
    rows = [_update_row(network, name) for name in list(network.updates)[:most]]
    heads = ["  update", "worker", "GB", "ready, s", "alone, s", "behind", "norm", "due, s"]
    show_rows(heads, rows, len(problem.updates))


def _update_row(network: Any, name: str) -> list[Any]:
    one = network.updates[name]
    alone = float(network.alone_s(name, network.instance.server))
    due = None if one.due_s is None else float(one.due_s)
    size, ready, norm = float(one.size_gb), float(one.ready_s), float(one.norm)
    return [f"  {name}", one.worker, size, ready, alone, one.behind, norm, due]


def _few(names: tuple[str, ...], most: int = 4) -> str:
    """Return the names of the first nodes."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more if names else "none"
