"""The chart of an `online` schedule, in slots."""

from ..timeline.online import OnlineTimeline
from .draw import Chart
from .slots.layout import lay_out_slots
from .slots.page import to_slots_page

CHART = Chart(timeline=OnlineTimeline, lay_out=lay_out_slots, page=to_slots_page)
