"""A trace on which contention turns a conclusion round, and what-if questions about traces."""

from decimal import Decimal

from ringyard.campaigns.whatif import Replay, ReplayRequest, replay_of, setting_of
from ringyard.instances import RackServer, TraceInstance, TraceJob


def asked(trace: TraceInstance, **wish: object) -> Replay:
    request = ReplayRequest(**{"policies": "fifo", **wish})  # type: ignore[arg-type]
    return replay_of(setting_of(trace, request))


def instances(replay: Replay) -> list[TraceInstance]:
    found = [one.run.instance for one in replay.asked]
    assert all(isinstance(instance, TraceInstance) for instance in found)
    return found  # type: ignore[return-value]


def crowded() -> TraceInstance:
    """Return jobs that leave two idle GPUs on each of three servers, and two that want three each.

    From second 1 to 15 these two fit side by side only if both have GPUs on one server in common.
    """
    jobs = [
        TraceJob(name=f"{kind}{i}", gpus=2, duration_s=Decimal(seconds))
        for i in range(3)
        for kind, seconds in (("long", 15), ("short", 1))
    ]
    wide = [
        TraceJob(
            name=name,
            arrival_s=Decimal(1),
            gpus=3,
            duration_s=Decimal(10),
            communication=Decimal("0.25"),
            model="VGG16",
        )
        for name in ("x", "y")
    ]
    servers = tuple(RackServer(name=f"s{i}", gpus=4) for i in range(3))
    return TraceInstance(name="crowded", servers=servers, jobs=(*jobs, *wide))
