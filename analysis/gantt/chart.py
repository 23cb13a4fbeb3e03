"""How schedules of a family are drawn over time."""

from collections.abc import Callable
from typing import Any, NamedTuple

from .shapes import Picture


class Chart(NamedTuple):
    """Facts are gathered, laid out as a picture, and written beside it as a page."""

    gather: Callable[..., Any]
    """Of instance, schedule, verdict, and a bound on the objective or None."""
    lay_out: Callable[[Any], Picture]
    page: Callable[[Any, Picture], str]
