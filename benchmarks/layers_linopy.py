"""The programs in linopy, over labelled dimensions."""

from typing import Any

import linopy
import numpy as np
import xarray as xr
from layers_arrays import matrix_of, shape_of

__all__ = ["WAYS", "matrix_of", "shape_of"]


linopy.options["semantics"] = "v1"  # What is absent has to be filled in by name


def along(dim: str, values: Any) -> Any:
    """Return numbers along a dimension."""
    return xr.DataArray(values, dims=dim, coords={dim: range(len(values))})


def occupancy(data: Any) -> Any:
    """State who starts when and has which GPUs."""
    wanted, least = along("job", data.gpus), along("job", data.least)
    sizes, slot = along("server", data.sizes), along("slot", np.arange(data.slots))
    most = np.minimum(wanted, sizes).expand_dims(slot=slot).transpose("job", "server", "slot")
    may_start = (slot <= data.slots - least).transpose("job", "slot")
    model = linopy.Model()
    latest = model.add_variables(lower=0, upper=data.slots, integer=True, name="latest")
    start = model.add_variables(binary=True, coords=may_start.coords, mask=may_start, name="start")
    gpus = model.add_variables(lower=0, upper=most, integer=True, name="gpus")
    longest = range(int(least.max()))
    shifted = [wanted.where(least > k, 0) * start.shift(slot=k).fillna(0) for k in longest]
    model.add_constraints(start.sum("slot") == 1, name="once")
    taken = linopy.merge(shifted, cls=linopy.LinearExpression)
    model.add_constraints(gpus.sum("server") - taken == 0, name="gang")
    model.add_constraints(gpus.sum("job") <= sizes, name="capacity")
    model.add_constraints(((slot + least) * start).sum("slot") - latest <= 0, name="makespan")
    model.add_objective(latest)
    return model.to_highspy()


def load_limit(data: Any) -> Any:
    """State which GPUs each job has, and the largest load."""
    wanted, work = along("job", data.gpus), along("job", data.work)
    places = along("place", np.arange(data.places))
    model = linopy.Model()
    on = model.add_variables(binary=True, coords=[wanted.indexes["job"], places.indexes["place"]])
    latest = model.add_variables(lower=0, upper=data.most)
    model.add_constraints(on.sum("place") == wanted)
    model.add_constraints((work * on).sum("job") - latest <= 0)
    model.add_objective(latest)
    return model.to_highspy()


def tickwise(data: Any) -> Any:
    """State who runs in which tick, and who has not ended."""
    release, ticks, need, rate, halves = (along("job", part) for part in data[:5])
    tick = along("tick", np.arange(data.last))
    present = (tick >= release).transpose("job", "tick")
    may_end = (tick + 1 >= release + ticks).transpose("job", "tick")
    lower = (tick < release + ticks).astype(int).transpose("job", "tick")
    model = linopy.Model()
    run = model.add_variables(binary=True, coords=present.coords, mask=present, name="run")
    still = model.add_variables(
        lower=lower, upper=1, integer=True, coords=present.coords, mask=present, name="open"
    )
    model.add_constraints(run - still <= 0, name="runs", mask=present)
    later = (tick > release).transpose("job", "tick")
    model.add_constraints(still - still.shift(tick=1).fillna(0) <= 0, name="ended", mask=later)
    done = (rate * run.fillna(0)).cumsum("tick")
    left = need * still.shift(tick=-1).fillna(0)
    model.add_constraints(done + left >= need, name="completes", mask=may_end)
    held = (halves * run.fillna(0)).sum("job")
    seen = present.any("job")
    model.add_constraints(held <= data.room, name="capacity", mask=seen)
    model.add_objective(still.sum())
    return model.to_highspy()


WAYS = {"occupancy": occupancy, "load-limit": load_limit, "tickwise": tickwise}
