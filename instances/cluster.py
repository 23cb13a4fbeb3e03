"""The cluster: servers, their GPUs, and the bandwidths between and inside them."""

from dataclasses import dataclass
from typing import Annotated

from .reading.vocabulary import Count, Label, Later, NonEmpty, Positive


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """One machine with identical GPUs."""

    name: Annotated[Label, "unique name"]
    gpus: Annotated[Count, "GPUs in this server (O_s)"]
    region: Annotated[Label | None, Later(), "where it is; null: in no region"] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Cluster:
    """Servers joined by a network; a ring inside one server uses the faster inner links."""

    servers: Annotated[tuple[Server, ...], NonEmpty(), "the machines"]
    intra_bandwidth_gb_s: Annotated[Positive, "between GPUs of one server (b^i)"]
    inter_bandwidth_gb_s: Annotated[Positive, "uplink of every server (b^e), at most b^i"]
    reduce_gb_s: Annotated[Positive | None, "speed of adding gradients (C); null: takes no time"]
