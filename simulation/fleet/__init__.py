"""What happens in time to GPUs that are rented for jobs that arrive."""

from .deciding import play_decider
from .play import play
from .played import Played, to_log
from .pool import NEVER
from .stream import MILLI, Stream, Terms, stream_from, stream_of
from .views import Board, Decider, Decision, Reviser, Tally, World

__all__ = [
    "MILLI",
    "NEVER",
    "Board",
    "Decider",
    "Decision",
    "Played",
    "Reviser",
    "Stream",
    "Tally",
    "Terms",
    "World",
    "play",
    "play_decider",
    "stream_from",
    "stream_of",
    "to_log",
]
