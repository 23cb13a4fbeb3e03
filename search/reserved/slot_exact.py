"""The most that can be added in a slot, by GADGET's program."""

from ...formulations.matrix import matrix_of, set_point
from ...formulations.reserved import gadget_slot
from ...formulations.reserved.slot_data import RingSlotData
from ...formulations.solution import Caps
from ...formulations.solve import solve
from ...instances import Limits
from ...policies.reserved.yard import Placement
from .slot_rounding import repair


def exact_slot(data: RingSlotData, limits: Limits) -> dict[int, Placement]:
    """Return the placements of an optimum, by ring; if time is up, of the best point found."""
    model = gadget_slot.build(data)
    program = matrix_of(model)
    found = solve(program, caps=Caps(time_s=limits.left_s(), threads=limits.threads))
    if found.point is None:
        return repair(data, {})
    set_point(model, program, found.point)
    counts = gadget_slot.read(model)
    places = {ask.job: place for place, ask in enumerate(data.asks)}
    return repair(data, {places[job]: placement for job, placement in counts.items()})
