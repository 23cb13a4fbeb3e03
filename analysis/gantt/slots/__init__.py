"""Machines against slots: schedules of the families `online` and `reserved`."""

from functools import partial

from ..chart import Chart
from . import facts
from .facts import SlotFacts, gather_slots
from .layout import lay_out_slots
from .page import to_slots_page

ONLINE, RESERVED = (
    Chart(gather=partial(gather_slots, ways), lay_out=lay_out_slots, page=to_slots_page)
    for ways in (facts.ONLINE, facts.RESERVED)
)

__all__ = ["ONLINE", "RESERVED", "SlotFacts", "lay_out_slots", "to_slots_page"]
