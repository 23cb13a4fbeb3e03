"""Consolidate: as few servers as could hold the job if all were free, or none."""

from ...jit import kernel
from ...model import Model
from ..records import WHOLE, TraceData, TraceEngine
from .fewest_servers import fewest_servers


@kernel
def consolidate(engine: TraceEngine, job: int, width: int, share: int) -> int:
    """Choose the fewest servers; return their number, 0 if so few have not enough free GPUs."""
    least = _least(engine.model, engine.data, job, width)
    return int(fewest_servers(engine, width, share, least))


@kernel
def _least(model: Model, data: TraceData, job: int, width: int) -> int:
    """Return how many servers could hold so many GPUs if they were free, the largest first."""
    count, left, above = 0, width, 1 << 60
    while left > 0:
        size, same = 0, 0
        for s in range(model.servers):
            if not data.open_to[data.reach[job], s]:
                continue
            gpus = model.links[s].gpus // WHOLE
            if size < gpus < above:
                size, same = gpus, 0
            if gpus == size:
                same += 1
        if size == 0:
            return model.servers
        need = min(same, -(-left // size))
        count += need
        left -= need * size
        above = size
    return count
