"""GPUs and jobs against time: logs of the family `fleet`, whose GPUs are rented."""

from ..chart import Chart
from .facts import FleetFacts, gather_fleet
from .layout import lay_out_fleet
from .page import to_fleet_page

CHART = Chart(gather=gather_fleet, lay_out=lay_out_fleet, page=to_fleet_page)

__all__ = ["CHART", "FleetFacts", "gather_fleet", "lay_out_fleet", "to_fleet_page"]
