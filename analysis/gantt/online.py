"""The chart of an `online` schedule, in slots."""

from ..timeline.slots import OnlineTimeline
from . import Chart
from .slots import lay_out_slots, to_slots_page

CHART = Chart(timeline=OnlineTimeline, lay_out=lay_out_slots, page=to_slots_page)
