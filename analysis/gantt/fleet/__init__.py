"""GPUs and jobs against time: logs of the family `fleet`, whose GPUs are rented."""

from .facts import FleetFacts, gather_fleet
from .layout import lay_out_fleet
from .page import to_fleet_page

__all__ = ["FleetFacts", "gather_fleet", "lay_out_fleet", "to_fleet_page"]
