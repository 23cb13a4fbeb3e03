"""What is compared on the jobs of Tiresias, and by which columns."""

from ..compared import OBJECTIVE

BASE, PACKED = "Tiresias-L", "Tiresias-L, packed"

METHODS = {
    BASE: "tiresias-l",
    PACKED: "tiresias-l:placement=pack",
    "Tiresias-G": "tiresias-g",
    "YARN-CS": "yarn-cs",
    "Best-effort": "best-effort",
    "Gandiva": "gandiva",
    "SRTF": "srtf",
    "SRSF": "srsf",
}
"""What is compared, and the methods that stand for it here; packed: no job waits for servers."""

OPTIONS = {
    "packed": "tiresias-l:placement=pack",
    "all consolidated": "tiresias-l:placement=consolidate",
    "threshold 1 h": "tiresias-l:thresholds=[3600]",
    "threshold 2 h": "tiresias-l:thresholds=[7200]",
    "threshold 4 h": "tiresias-l:thresholds=[14400]",
    "packed, threshold 2 h": "tiresias-l:placement=pack:thresholds=[7200]",
    "3 queues": "tiresias-l:thresholds=[3200, 12800]",
    "4 queues": "tiresias-l:thresholds=[3200, 12800, 51200]",
}
"""Options of Tiresias-L; thresholds count GPU-seconds."""

MEAN, MEDIAN, TAIL = OBJECTIVE, "median_jct_s", "p95_jct_s"
"""Columns of completion times."""
