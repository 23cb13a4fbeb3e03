"""The chart of a `reserved` schedule, in slots."""

from ..timeline.reserved import ReservedTimeline
from .draw import Chart
from .slots.layout import lay_out_slots
from .slots.page import to_slots_page

CHART = Chart(timeline=ReservedTimeline, lay_out=lay_out_slots, page=to_slots_page)
