"""How `makespan` schedules are drawn."""

from ..chart import Chart
from ..page import to_page
from .facts import gather
from .layout import lay_out

CHART = Chart(gather=gather, lay_out=lay_out, page=to_page)
