"""The rule `uplinks`, against all ways to share out slots between levels of contention."""

from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from itertools import product
from math import ceil, floor, lcm

import pytest
from check.certificates.proofs import checked
from check.certificates.test_limits import stated
from little import few

from ringyard.instances import Cluster, MakespanInstance, RingJob, Server, ServerUplink
from ringyard.instances.cluster import FluidLinks, Leaf


def crossing(
    *, gpus: int, servers: int, rings: int, progress: str, gradient: str = "0.5"
) -> MakespanInstance:
    """Return equal rings, each of one GPU more than a server has, that slow one another down."""
    return MakespanInstance(
        name="crossing",
        cluster=Cluster(
            servers=tuple(Server(name=f"s{k}", gpus=gpus) for k in range(servers)),
            intra_bandwidth_gb_s=Decimal(4),
            inter_bandwidth_gb_s=Decimal(1),
            reduce_gb_s=None,
        ),
        jobs=tuple(
            RingJob(
                name=f"j{k}",
                gpus=gpus + 1,
                iterations=7,
                gradient_gb=Decimal(gradient),
                backward_s=Decimal("0.25"),
            )
            for k in range(rings)
        ),
        contention=ServerUplink(share=Decimal("0.5"), degradation=Decimal("0.5")),
        progress=progress,  # type: ignore[arg-type]
        slot_s=Decimal(5),
    )


def levels(
    instance: MakespanInstance, worth: Fraction, several: int | None = None
) -> list[tuple[Fraction, Fraction]]:
    """Return rate and price by the number of rings on the busiest server.

    With eight or more, all that may be there count: no faster than eight, in no less of a server.
    `several` are the jobs of more than one GPU, if there are others than those of the instance.
    """
    (job, *_), (server, *_) = instance.jobs, instance.cluster.servers
    rings, found = min(server.gpus, several or len(instance.jobs)), []
    sent = Fraction(job.gradient_gb) * (job.gpus - 1) / job.gpus
    for n in range(1, min(rings, 8) + 1):
        k = max(Fraction(1), Fraction(n, 2))
        slowed = k + Fraction(1, 2) * (k - 1)
        seconds = 2 * sent * slowed + Fraction(job.backward_s)
        rate = Fraction(instance.slot_s) / seconds
        rate = Fraction(floor(rate)) if instance.progress == "floor" else rate
        many = range(n, n + 1) if n < 8 else range(n, rings + 1)
        # GPUs in n rings on one server, in the worst of all that this level stands for: a ring
        # has size + 1 - n of them at most, and then 1 / n of the uplink there.
        least = min(Fraction(job.gpus, m * (server.gpus + 1 - m)) for m in many)
        if many[-1] <= 8:
            grain = lcm(*range(1, many[-1] + 1))
            least = Fraction(ceil(least * grain), grain)
        if rate:
            found.append((rate, job.gpus + worth * least))
    return found


def cheapest(some: list[tuple[Fraction, Fraction]], iterations: int, *, slotted: bool) -> Fraction:
    """Return the least price of slots: of two levels, in parts of a slot, so many slots in all."""
    if not slotted:
        return min(iterations / rate * price for rate, price in some)
    found = []
    for (fast, dear), (slow, cheap) in product(some, repeat=2):
        for slots in range(1, 200):
            for part in {Fraction(0), Fraction(slots)} | (
                {(iterations - slots * slow) / (fast - slow)} if fast != slow else set()
            ):
                if 0 <= part <= slots and part * fast + (slots - part) * slow >= iterations:
                    found.append(part * dear + (slots - part) * cheap)
            if slots * min(fast, slow) >= iterations:
                break
    return min(found)


@pytest.mark.parametrize("progress", ["floor", "fractional", "continuous"])
@pytest.mark.parametrize(
    ("gpus", "servers", "rings"), [(2, 3, 2), (4, 3, 3), (12, 2, 11), (12, 2, 2), (16, 2, 8)]
)
@pytest.mark.parametrize("worth", few(2, ["1/2", "40", "0", "3"]))
@pytest.mark.parametrize("gradient", ["0.5", "0.001"])
def test_every_ring_takes_its_cheapest_slots(
    progress: str, gpus: int, servers: int, rings: int, worth: str, gradient: str
) -> None:
    # Where little is sent many rings beside each other are the cheapest.
    instance = crossing(
        gpus=gpus, servers=servers, rings=rings, progress=progress, gradient=gradient
    )
    lines = stated(instance, rule="uplinks", worth=worth, **{"from": 0})
    slotted, value = progress != "continuous", Fraction(worth)
    each = cheapest(levels(instance, value), instance.jobs[0].iterations, slotted=slotted)
    end = rings * each / (servers * (gpus + value))
    assert checked(instance, lines).follows == (Fraction(ceil(end)) if slotted else end,)


@pytest.mark.parametrize("rings", [1, 2, 3, 6])
def test_jobs_that_fit_into_a_server_take_their_gpus_alone(rings: int) -> None:
    # Smaller servers beside; a job of as many GPUs as the largest has; two that are no rings.
    instance = crossing(gpus=3, servers=1, rings=rings, progress="continuous", gradient="0.01")
    cluster = instance.cluster
    smaller = tuple(replace(cluster.servers[0], name=f"small{k}", gpus=1) for k in range(2))
    whole = replace(instance.jobs[0], name="whole", gpus=3, iterations=11, gradient_gb=Decimal(0))
    small = [replace(whole, name=f"small{k}", gpus=1, iterations=30) for k in range(2)]
    instance = replace(
        instance,
        cluster=replace(cluster, servers=(*cluster.servers, *smaller)),
        jobs=(*instance.jobs, whole, *small),
    )
    value = Fraction(3)
    # Iterations of a quarter of a second, in slots of five.
    inside = 3 * Fraction(11, 20) + 2 * Fraction(30, 20)
    crossed = levels(only_rings(instance), value, len(instance.jobs) - 2)
    each = cheapest(crossed, instance.jobs[0].iterations, slotted=False)
    end = (inside + rings * each) / (3 + 2 + 3 * value)
    lines = stated(instance, rule="uplinks", worth="3", **{"from": 0})
    assert checked(instance, lines).follows == (end,)


def only_rings(instance: MakespanInstance) -> MakespanInstance:
    """Return the instance with the jobs that are larger than the largest server."""
    jobs = tuple(job for job in instance.jobs if job.gpus > instance.cluster.servers[0].gpus)
    return replace(instance, jobs=jobs)


def test_where_links_are_shared_fairly_nothing_follows() -> None:
    instance = crossing(gpus=2, servers=2, rings=2, progress="fractional")
    leaves = (Leaf(name="leaf", servers=("s0", "s1")),)
    fair = MakespanInstance(
        name="fair",
        cluster=instance.cluster,
        jobs=instance.jobs,
        contention=FluidLinks(leaves=leaves),
    )
    refused = checked(fair, stated(fair, rule="uplinks", worth=1, **{"from": 0})).refused
    assert refused is not None
    assert "only to `server_uplink` contention" in refused.why
