"""What the experiments of Tiresias compare: the jobs, changes to them, the methods, the columns."""

from collections.abc import Mapping
from decimal import Decimal
from functools import cache
from typing import Any

from ...instances import TraceInstance
from ...instances.generate import generate
from ..compared import OBJECTIVE
from ..study import Settings

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


TESTBED, TRACE = "testbed", "trace"

MIXES: dict[str, tuple[str, Mapping[str, Any]]] = {
    TESTBED: ("tiresias", {"jobs": 480}),
    TRACE: ("philly", {"jobs": 1000, "most_s": Decimal(86_400)}),
}
"""Families of the generator, and their options, that stand for the paper's two experiments."""

SMALL = 60
"""Jobs of a small version."""

AS_IT_IS = "as it is"

CHANGES: dict[str, tuple[str, Mapping[str, Any]]] = {
    "restarts cost nothing": (TESTBED, {"restart_s": Decimal(0)}),
    "as fast on many servers as on one": (
        TESTBED,
        {"communication": Decimal(0), "skewed_communication": Decimal(0)},
    ),
    "rings share uplinks": (TESTBED, {"contention": "server_uplink"}),
    "a job every 60 s": (TESTBED, {"gap_s": Decimal(60)}),
    "uniform durations": (TESTBED, {"durations": "uniform"}),
    "load 1.5": (TRACE, {"load": Decimal("1.5")}),
}
"""What is changed about one of the mixes, one thing at a time."""


def instance(mix: str, seed: int, settings: Settings, change: str = AS_IT_IS) -> TraceInstance:
    """Return the instance of a seed: with the same random numbers, whatever is changed."""
    return _drawn(mix, seed, change, settings.points is not None)


@cache
def _drawn(mix: str, seed: int, change: str, small: bool) -> TraceInstance:
    family, usual = MIXES[mix]
    changed = {} if change == AS_IT_IS else CHANGES[change][1]
    options = {**usual, **changed, **({"jobs": SMALL} if small else {})}
    name = f"{mix}-s{seed}" if change == AS_IT_IS else f"{mix}-s{seed} {change}"
    found: TraceInstance = generate(family, seed=seed, name=name, **options)
    return found
