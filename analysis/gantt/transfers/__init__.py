"""Updates on their way to the server against time: plans of the family `transfers`."""

from ..chart import Chart
from .facts import TransferFacts, gather_transfers
from .layout import lay_out_transfers
from .page import to_transfers_page

CHART = Chart(gather=gather_transfers, lay_out=lay_out_transfers, page=to_transfers_page)

__all__ = ["CHART", "TransferFacts", "gather_transfers", "lay_out_transfers", "to_transfers_page"]
