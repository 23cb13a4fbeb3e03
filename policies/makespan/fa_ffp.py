"""FA-FFP, fragment-aware first-fit packing: which idle GPUs a small job of SJF-BCO takes.

The pseudo-code takes the least loaded GPUs of the whole cluster. The text speaks of
packing into servers that are occupied already, which is the other mode here.
"""

from ...simulation import Model
from ...simulation.jit import kernel
from ...simulation.makespan.admission import may_use
from .gpus import GpuState, put_back, put_idle_ones, take_lightest

NO_GPU = -1


@kernel
def lightest(model: Model, cluster: GpuState, job: int, load: float) -> bool:
    """Choose the least loaded idle GPUs, if they have at most `load` each; needs their heap.

    GPUs that are not open to the job are kept behind the heap meanwhile.
    """
    a, b, top = cluster.first[job], cluster.first[job + 1], cluster.counts[0].heap
    if top < b - a:
        return False
    i = a
    while i < b and cluster.counts[0].heap > 0:
        gpu = take_lightest(cluster)
        closed = not may_use(model, job, cluster.server_of[gpu])
        cluster.idle[cluster.counts[0].heap] = gpu if closed else NO_GPU
        if not closed:
            cluster.chosen[i] = gpu
            i += 1
    for k in range(cluster.counts[0].heap, top):
        if cluster.idle[k] != NO_GPU:
            put_back(cluster, cluster.idle[k])
    if i == b and cluster.load[cluster.chosen[b - 1]] <= load:
        return True
    for k in range(a, i):
        put_back(cluster, cluster.chosen[k])
    return False


@kernel
def tightest(model: Model, cluster: GpuState, job: int, load: float) -> bool:
    """Choose GPUs with at most `load` in one server if possible, an occupied one if possible.

    Of servers that hold the whole job the one with the fewest GPUs to offer is taken. If
    there is none, the one with the most gives them all, and the rest is looked for anew.
    """
    i, b = cluster.first[job], cluster.first[job + 1]
    if _idle(model, cluster, job) < b - i:
        return False
    while i < b:
        server = _best_server(model, cluster, job, b - i, load)
        if server < 0:
            break
        count = min(put_idle_ones(cluster, server, load), b - i)
        for _ in range(count):
            cluster.chosen[i] = take_lightest(cluster)
            cluster.held[cluster.chosen[i]] = 1
            i += 1
        cluster.counts[0].heap = 0
    for k in range(cluster.first[job], i):
        cluster.held[cluster.chosen[k]] = 0
    return bool(i == b)


@kernel
def _idle(model: Model, cluster: GpuState, job: int) -> int:
    total = 0
    for server in range(model.servers):
        if may_use(model, job, server):
            total += cluster.state.loads[server].free
    return total


@kernel
def _best_server(model: Model, cluster: GpuState, job: int, need: int, load: float) -> int:
    """Return the server to take GPUs from next, or -1 if none has any to offer."""
    best, most, offer = -1, 0, 0
    for server in range(model.servers):
        free = cluster.state.loads[server].free
        occupied = int(free < model.links[server].gpus)
        if free == 0 or _rank(free, need, occupied) < most or not may_use(model, job, server):
            continue
        found = _eligible(cluster, server, load)
        rank = _rank(found, need, occupied)
        closer = found < offer if found >= need else found > offer
        if found > 0 and (rank > most or (rank == most and closer)):
            best, most, offer = server, rank, found
    return best


@kernel
def _rank(found: int, need: int, occupied: int) -> int:
    return 1 + occupied + (2 if found >= need else 0)


@kernel
def _eligible(cluster: GpuState, server: int, load: float) -> int:
    count = 0
    for gpu in range(cluster.gpus_from[server], cluster.gpus_from[server + 1]):
        if cluster.held[gpu] == 0 and cluster.load[gpu] <= load:
            count += 1
    return count
