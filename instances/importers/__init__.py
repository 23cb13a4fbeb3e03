"""Foreign traces: one file per format, each turning a text into jobs; `read_trace` does it all."""

from .choices import ImportChoices, Imported
from .formats import FORMATS
from .read import read_trace

__all__ = ["FORMATS", "ImportChoices", "Imported", "read_trace"]
