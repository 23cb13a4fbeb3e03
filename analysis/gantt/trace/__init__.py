"""Servers against time: schedules of the family `trace`, whose jobs may stop and move."""

from ..chart import Chart
from .facts import TraceFacts, gather_trace
from .layout import lay_out_trace
from .page import to_trace_page

CHART = Chart(gather=gather_trace, lay_out=lay_out_trace, page=to_trace_page)

__all__ = ["CHART", "TraceFacts", "gather_trace", "lay_out_trace", "to_trace_page"]
