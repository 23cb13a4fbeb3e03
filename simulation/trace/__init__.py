"""What happens in time to jobs that arrive, run, are stopped and run again."""

from .service import Service
from .simulate import Played, simulate
from .views import DISTRIBUTION, FULL, NONE, Board, Decider, Hold, Rank, Ranker, Seen, Told, World

__all__ = [
    "DISTRIBUTION",
    "FULL",
    "NONE",
    "Board",
    "Decider",
    "Hold",
    "Played",
    "Rank",
    "Ranker",
    "Seen",
    "Service",
    "Told",
    "World",
    "simulate",
]
