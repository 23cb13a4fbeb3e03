"""Which part of its dominant resource a worker of each ring takes."""

import numpy as np

from ...simulation.reserved.model import Floats, ReservedModel


def dominant_shares(model: ReservedModel) -> Floats:
    """Return for each ring the largest part of a resource that a worker takes of all there is."""
    total = model.capacity.sum(axis=0)
    held: Floats = (model.worker[:, total > 0] / total[total > 0]).max(axis=1)
    return np.asarray(held)
