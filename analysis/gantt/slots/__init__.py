"""Machines against slots: schedules of the families `online` and `reserved`."""

from .facts import SlotFacts, gather_slots
from .layout import lay_out_slots
from .page import to_slots_page

__all__ = ["SlotFacts", "gather_slots", "lay_out_slots", "to_slots_page"]
