"""Pack: on one server if one has room, the one where fewest GPUs stay free; else the emptiest."""

from ...jit import kernel
from ...model import Model
from ...state import State
from ..records import Trace
from .consolidate import fullest


@kernel
def pack(model: Model, state: State, trace: Trace, width: int, share: int) -> int:
    """Choose as few servers as are possible now; return their number."""
    return int(fullest(model, state, trace, width, share, model.servers))
