"""Servers against time: which GPUs each ring holds, and when rings slow each other down.

A timeline (`analysis/timeline/`) is laid out in plain shapes (`page.py` of each folder, `layout.py`
of `slots/`) and painted twice: as SVG by our own writer, also inside an HTML page, and as PNG or
PDF by matplotlib. Families that plan slot by slot are laid out in `slots/`, the others in folders
of their names.
"""

from .draw import chart_of, draw_gantt, gantt_format, gantt_picture

__all__ = ["chart_of", "draw_gantt", "gantt_format", "gantt_picture"]
