"""Rules of `trace`: each returns what no mean of completion times is below."""

from .counting import COUNTING
from .intervals import intervals

RULES = {**COUNTING, "busy times in intervals": intervals}
"""By name: what follows from an instance and a step."""
