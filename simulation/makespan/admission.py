"""Which servers the jobs of a group may use."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..jit import kernel

if TYPE_CHECKING:
    from ..model import Model


def open_to(model: "Model") -> NDArray[np.bool_]:
    """Return for each group (down) the servers that it may use."""
    group = np.arange(model.jobs["group"].max() + 1)
    found: NDArray[np.bool_] = (model.links["open"][: model.servers] >> group[:, None] & 1) > 0
    return found


@kernel
def may_use(model: "Model", job: int, server: int) -> bool:
    """Say whether a job may use a server."""
    return is_open(model, model.jobs[job].group, server)


@kernel
def is_open(model: "Model", group: int, server: int) -> bool:
    """Say whether the jobs of a group may use a server."""
    return bool(model.links[server].open >> group & 1)
