"""A campaign as one web page that needs no network: tables, figures, schedules to look into."""

from .page import to_page
from .preface import Findings
from .report import Report, gather

__all__ = ["Findings", "Report", "gather", "to_page"]
