"""The conditions under which each decision of MLfabric is tried, and what is drawn there."""

from collections.abc import Mapping
from functools import cache
from typing import Any, NamedTuple

from ...instances import TransfersInstance
from ...instances.generate import generate


class Condition(NamedTuple):
    """A condition: how its row begins, and the options of the generator."""

    head: tuple[str, ...]
    options: tuple[tuple[str, Any], ...]


def _point(*head: str, **options: Any) -> Condition:
    return Condition(head, tuple(options.items()))


ONE_LINK: Mapping[str, Any] = {"racks": 1, "server_gb_s": "1.25"}
"""The server's link is as narrow as a worker's, and all go through it."""

ORDERING = [
    _point(sizes, str(count), workers=count, sizes=sizes, **ONE_LINK)
    for count in (2, 8, 32)
    for sizes in ("equal", "spread")
]

AGGREGATION = [
    _point(
        str(in_rack),
        times,
        workers=4 * in_rack,
        racks=4,
        sizes="equal",
        worker_gb_s="1",
        server_gb_s="8",
        oversubscription=times,
        aggregators=1,
        aggregator_gb_s="8",
        goal="last",
    )
    for in_rack in (2, 4, 8)
    for times in ("1", "4", "8")
]

REPLICATION = [
    _point(
        room,
        workers=16,
        sizes="spread",
        oversubscription="2",
        aggregators=1,
        divergence=room,
    )
    for room in ("1", "4", "8", "16")
]

TOGETHER = [
    _point(
        sizes,
        times,
        slow,
        workers=24,
        sizes=sizes,
        oversubscription=times,
        slow=slow,
        aggregators=1,
        divergence="6",
        ready_s="0.5",
    )
    for sizes in ("equal", "spread")
    for times in ("1", "4")
    for slow in ("0", "0.2")
]


def drawn(point: Condition, seed: int) -> TransfersInstance:
    """Return the instance that a seed gives under a condition."""
    return _drawn(point.options, seed)


@cache
def _drawn(options: tuple[tuple[str, Any], ...], seed: int) -> TransfersInstance:
    name = "-".join(["mlfabric", *(str(value) for _, value in options), f"s{seed}"])
    found: TransfersInstance = generate("transfers", seed=seed, name=name, **_read(options))
    return found


def _read(options: tuple[tuple[str, Any], ...]) -> dict[str, Any]:
    from ...instances.options import read_words

    return read_words([f"{key}={value}" for key, value in options], "options", "workers=4")
