"""`ringyard.makespan`: an instance of rings on servers, written in Python."""

from typing import Any

from ..building import Number, Rows, built, rows_of, short
from .instance import MakespanInstance
from .mix import INTER, INTRA, REDUCE


def makespan(
    jobs: Rows,
    servers: Rows,
    *,
    name: str = "makespan",
    intra_bandwidth_gb_s: Number = INTRA,
    inter_bandwidth_gb_s: Number = INTER,
    reduce_gb_s: Number | None = REDUCE,
    **more: Any,
) -> MakespanInstance:
    """Return an instance of rings of GPUs that share the uplinks of servers.

    Args:
        jobs: At least `gpus` and `iterations`, and something that takes time: `backward_s`,
            `forward_s_per_sample` or `gradient_gb`.
        servers: A number is a server's GPUs: ``[4, 4]``, ``{"left": 4, "right": 4}``.
        name: What the instance is called.
        intra_bandwidth_gb_s: Between GPUs of one server; 12.5, which are 100 Gbit/s.
        inter_bandwidth_gb_s: Of every server's uplink; 1.25.
        reduce_gb_s: Speed of adding gradients; 50. None: it takes no time.
        **more: Other fields of the format: `contention`, `progress`, `overhead`, `slot_s`, ..

    Raises:
        InputError: With all problems, as of a file.
    """
    cluster = {
        "servers": rows_of(servers, "s", short(lambda gpus: {"gpus": gpus})),
        "intra_bandwidth_gb_s": intra_bandwidth_gb_s,
        "inter_bandwidth_gb_s": inter_bandwidth_gb_s,
        "reduce_gb_s": reduce_gb_s,
    }
    made: MakespanInstance = built(
        "makespan", "cluster", name=name, cluster=cluster, jobs=rows_of(jobs, "j"), **more
    )
    return made
