"""Pack: on one server if one has room, the one where fewest GPUs stay free; else the emptiest."""

from ...jit import kernel
from ...model import Model
from ...state import State
from ..records import EngineLog, TraceData
from .fewest_servers import fewest_servers


@kernel
def pack(
    model: Model, state: State, trace: EngineLog, data: TraceData, width: int, share: int
) -> int:
    """Choose as few servers as are possible now; return their number, 0 if there are not enough."""
    return int(fewest_servers(model, state, trace, data, width, share, model.servers))
