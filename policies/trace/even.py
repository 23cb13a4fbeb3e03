"""Optimus' placement: jobs evenly over the fewest servers that can hold them so."""

from collections.abc import Mapping, Sequence

from ...simulation.trace import Board, Hold, Seen


def evenly(jobs: Sequence[Seen], widths: Mapping[int, int], board: Board) -> dict[int, Hold]:
    """Return what jobs of these widths hold, the smallest first; whoever keeps its width stays."""
    free = [int(gpus) for gpus in board.free]
    holds: dict[int, Hold] = {}
    for job in jobs:
        if job.running and job.width == widths.get(job.number):
            holds[job.number] = Hold(job.width, board.pieces(job.number))
        elif job.running:
            for server, gpus in board.pieces(job.number).items():
                free[server] += gpus
    for number in sorted(widths.keys() - holds.keys(), key=lambda n: (widths[n], n)):
        pieces = even_pieces(free, widths[number])
        holds[number] = Hold(widths[number], pieces)
        for server, gpus in pieces.items():
            free[server] -= gpus
    return holds


def even_pieces(free: Sequence[int], width: int) -> dict[int, int]:
    """Return equal pieces on the emptiest servers, as few as possible; as they come if need be."""
    order = sorted(range(len(free)), key=lambda s: (-free[s], s))
    for count in range(1, min(width, len(order)) + 1):
        each, more = divmod(width, count)
        pieces = {server: each + (i < more) for i, server in enumerate(order[:count])}
        if all(free[server] >= gpus for server, gpus in pieces.items()):
            return pieces
    pieces = {}
    for server in order:
        pieces[server] = min(free[server], width - sum(pieces.values()))
    return {server: gpus for server, gpus in pieces.items() if gpus}
