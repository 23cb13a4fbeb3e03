"""The machines of `online` instances, which may stand in regions."""

from dataclasses import replace

from ...families.contracts import Places

PLACES = Places(
    read=lambda one: one.machines,
    put=lambda one, machines: replace(one, machines=machines),
    fits=lambda one, job, own: not any(replace(one, machines=own, jobs=(job,)).problems()),
)
