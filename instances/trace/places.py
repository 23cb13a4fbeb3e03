"""The servers of `trace` instances, which may stand in regions."""

from dataclasses import replace
from typing import Any

from ...families.contracts import Places


def _fits(_: Any, job: Any, servers: tuple[Any, ...]) -> bool:
    most = max([job.gpus, *(width.gpus for width in job.speeds)])
    return bool(most <= sum(server.gpus for server in servers))


PLACES = Places(
    read=lambda one: one.servers,
    put=lambda one, servers: replace(one, servers=servers),
    fits=_fits,
)
