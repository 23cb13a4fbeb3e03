"""The servers of `makespan` instances, which may stand in regions."""

from dataclasses import replace

from ...families.contracts import Places

PLACES = Places(
    read=lambda one: one.cluster.servers,
    put=lambda one, servers: replace(one, cluster=replace(one.cluster, servers=servers)),
    fits=lambda _, job, servers: job.gpus <= sum(server.gpus for server in servers),
)
