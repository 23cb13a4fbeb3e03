"""The chart of a `reserved` schedule, in slots."""

from ..timeline.slots import ReservedTimeline
from . import Chart
from .slots import lay_out_slots, to_slots_page

CHART = Chart(timeline=ReservedTimeline, lay_out=lay_out_slots, page=to_slots_page)
