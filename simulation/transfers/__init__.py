"""The replay of a plan of transfers: when updates arrive, and when they are applied."""

from .network import Network
from .replay import Replayed, replay

__all__ = ["Network", "Replayed", "replay"]
