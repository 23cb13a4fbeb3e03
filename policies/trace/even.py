"""Optimus' placement: jobs evenly over the fewest servers that can hold them so."""

from collections.abc import Collection, Mapping, Sequence
from heapq import heapify, heappop, heappush

from ...simulation.trace import ClusterView, GrantedGpus, JobView


def evenly(
    jobs: Sequence[JobView],
    widths: Mapping[int, int],
    sets: Sequence[Collection[int]],
    cluster: ClusterView,
) -> dict[int, GrantedGpus]:
    """Return what jobs of these widths hold, the smallest first; a job that keeps its width stays.

    Jobs that may use fewer servers, by the `sets` that they belong to, come before the others and
    may drive these away.
    """
    free = [int(gpus) for gpus in cluster.free]
    own = {job.number: sets[job.reach] for job in jobs}
    holds: dict[int, dict[int, int]] = {}
    for job in jobs:
        if job.running and job.width == widths.get(job.number):
            holds[job.number] = cluster.pieces(job.number)
        elif job.running:
            _add(free, cluster.pieces(job.number), 1)
    coming = [(len(own[n]), widths[n], n) for n in widths.keys() - holds.keys()]
    heapify(coming)
    while coming:
        reach, width, number = heappop(coming)
        pieces = even_pieces(free, width, own[number])
        while sum(pieces.values()) < width:
            wider = [
                n for n, held in holds.items() if len(own[n]) > reach and held.keys() & own[number]
            ]
            if not wider:
                break
            other = max(wider, key=lambda n: (len(own[n]), n))
            _add(free, holds.pop(other), 1)
            heappush(coming, (len(own[other]), widths[other], other))
            pieces = even_pieces(free, width, own[number])
        else:
            holds[number] = pieces
            _add(free, pieces, -1)
    return {number: GrantedGpus(widths[number], pieces) for number, pieces in holds.items()}


def even_pieces(free: Sequence[int], width: int, servers: Collection[int]) -> dict[int, int]:
    """Return equal pieces on the emptiest servers, as few as possible; as they come if need be.

    They are fewer than wanted if these servers have no more.
    """
    order = sorted(servers, key=lambda s: (-free[s], s))
    for count in range(1, min(width, len(order)) + 1):
        each, more = divmod(width, count)
        pieces = {server: each + (i < more) for i, server in enumerate(order[:count])}
        if all(free[server] >= gpus for server, gpus in pieces.items()):
            return pieces
    pieces = {}
    for server in order:
        pieces[server] = min(free[server], width - sum(pieces.values()))
    return {server: gpus for server, gpus in pieces.items() if gpus}


def _add(free: list[int], pieces: Mapping[int, int], sign: int) -> None:
    for server, gpus in pieces.items():
        free[server] += sign * gpus
