"""The generator of `trace` instances draws what it says."""

from collections import Counter
from dataclasses import replace
from decimal import Decimal
from statistics import fmean, median
from typing import Any

import pytest

from ringyard.instances import InputError, RackLinks, ServerUplink, TraceInstance, digest, validate
from ringyard.instances.generate import generate
from ringyard.instances.trace.kinds import measured, measured_models
from ringyard.instances.trace.mix import PRESETS, QUANTILES, random_trace


def made(family: str, seed: int = 0, **options: Any) -> TraceInstance:
    instance: TraceInstance = generate(family, seed=seed, **options)
    return instance


@pytest.mark.parametrize("family", PRESETS)
def test_the_same_seed_is_the_same_instance(family: str) -> None:
    one, two, other = (made(family, seed, jobs=30) for seed in (4, 4, 5))
    assert one == two
    assert digest(one) != digest(other)


@pytest.mark.parametrize("seed", range(3))
def test_the_testbed_has_the_published_mix(seed: int) -> None:
    found = made("tiresias", seed)
    assert [server.gpus for server in found.servers] == [4] * 15
    widths = Counter(job.gpus for job in found.jobs)
    assert widths == {1: 240, 2: 40, 4: 80, 8: 90, 16: 25, 32: 5}
    assert all(120 <= job.duration_s <= 7200 for job in found.jobs)
    gap = found.jobs[-1].arrival_s / (len(found.jobs) - 1)
    assert 25 < gap < 35


def test_the_testbed_has_the_mean_duration_that_the_published_delays_imply() -> None:
    """(8146 + d) / (963 + d) = 5.5 for d = 633."""
    durations = [float(job.duration_s) for job in made("tiresias").jobs]
    assert fmean(durations) == pytest.approx(633, rel=0.02)
    assert median(durations) == pytest.approx(273, rel=0.02)


@pytest.mark.parametrize(("doubling", "power"), [("2", 1.0), ("0.5", -1.0)])
def test_durations_grow_with_gpus_within_their_limits(doubling: str, power: float) -> None:
    plain, grown = made("tiresias", 3), made("tiresias", 3, doubling=Decimal(doubling))
    for one, other in zip(plain.jobs, grown.jobs, strict=True):
        wanted = float(one.duration_s) * one.gpus**power
        within = min(7200.0, max(120.0, wanted))
        assert float(other.duration_s) == pytest.approx(within, abs=one.gpus + 1)
        assert (other.gpus, other.arrival_s, other.model) == (one.gpus, one.arrival_s, one.model)


def test_jobs_come_in_order_and_the_first_at_once() -> None:
    for family in PRESETS:
        arrivals = [job.arrival_s for job in made(family, jobs=40).jobs]
        assert arrivals == sorted(arrivals)
        assert arrivals[0] == 0


@pytest.mark.parametrize("family", QUANTILES)
def test_durations_have_the_quantiles_of_their_table(family: str) -> None:
    durations = sorted(float(job.duration_s) for job in made(family, jobs=2000).jobs)
    for part, seconds in QUANTILES[family][1:-2]:
        assert durations[int(part * 2000)] == pytest.approx(seconds, rel=0.06, abs=1)


def test_widths_have_the_published_means() -> None:
    for family, mean in (("philly", 1.75), ("helios", 3.72)):
        assert fmean(job.gpus for job in made(family, jobs=1000).jobs) == pytest.approx(
            mean, abs=0.03
        )


@pytest.mark.parametrize("load", ["0.5", "1.2"])
def test_the_load_is_the_work_that_arrives_over_what_the_cluster_has(load: str) -> None:
    found = made("pai", jobs=3000, load=Decimal(load))
    work = sum(job.gpus * job.duration_s for job in found.jobs)
    span = found.jobs[-1].arrival_s
    assert float(work / span / found.gpus) == pytest.approx(float(load), rel=0.08)


def test_arrivals_rise_and_fall_by_the_day() -> None:
    """The rate is 1 + sin(time) times its mean, of which 1/2 + 1/pi is in the first half."""
    found = made("tiresias", jobs=4000, gap_s=Decimal(100), daily=Decimal(1))
    early = sum(job.arrival_s % 86_400 < 43_200 for job in found.jobs) / 4000
    assert early == pytest.approx(0.5 + 1 / 3.14159, abs=0.06)


def test_skewed_models_exchange_more() -> None:
    jobs = made("tiresias").jobs
    by_model = {job.model: job.communication for job in jobs}
    skewed = {model for model, much in by_model.items() if much == Decimal("0.67")}
    assert skewed == {"VGG19", "VGG16", "VGG11", "AlexNet"}
    assert len(by_model) == 10


def test_elastic_jobs_gain_ever_less_from_more_gpus() -> None:
    for job in made("elastic").jobs:
        speeds = dict(
            sorted({job.gpus: Decimal(1), **{w.gpus: w.speed for w in job.speeds}}.items())
        )
        assert set(speeds) == {1, 2, 4, 8, 16, 32}
        each = [speed / gpus for gpus, speed in speeds.items()]
        assert list(speeds.values()) == sorted(speeds.values())
        assert each == sorted(each, reverse=True)
        assert job.curve is not None


def test_racks_and_contention_are_options() -> None:
    racks = made("tiny-trace", servers=5, rack_servers=2, contention="racks")
    assert [server.rack for server in racks.servers] == ["rack0"] * 2 + ["rack1"] * 2 + ["rack2"]
    assert racks.contention == RackLinks(oversubscription=Decimal(2))
    uplinks = made("tiny-trace", contention="server_uplink", degradation=Decimal("0.5"))
    assert uplinks.contention == ServerUplink(degradation=Decimal("0.5"))
    assert made("tiny-trace").contention is None


def test_times_are_whole_ticks() -> None:
    validate(made("tiresias", tick_s=Decimal("7.5")))


def test_options_that_cross_are_refused() -> None:
    with pytest.raises(InputError, match="least_s: found 9, expected at most most_s"):
        made("tiny-trace", least_s=Decimal(9), most_s=Decimal(3))


def test_labels_are_drawn_and_leave_the_rest_as_it_was() -> None:
    plain = made("tiny-trace", jobs=60, tick_s=Decimal("0.5"))
    options = {"groups": 3, "priorities": 2, "overestimate": Decimal(1), "slack": Decimal(2)}
    found = made("tiny-trace", jobs=60, tick_s=Decimal("0.5"), **options)
    validate(found)
    counts = Counter(job.group for job in found.jobs)
    assert [name for name, _ in counts.most_common()] == ["group0", "group1", "group2"]
    assert {job.priority for job in found.jobs} == {0, 1}
    for job, before in zip(found.jobs, plain.jobs, strict=True):
        assert job.limit_s is not None
        assert job.due_s is not None
        assert job.duration_s <= job.limit_s <= job.duration_s * 2
        assert job.duration_s <= job.due_s <= job.duration_s * 3
        assert replace(job, group=None, priority=0, limit_s=None, due_s=None) == before


def test_groups_have_equal_quotas_and_room_for_their_widest_jobs() -> None:
    """Of 60 GPUs, half are quotas of 10 each, and a group may hold twice its part, 40."""
    options = {"groups": 3, "quota": Decimal("0.5"), "most": Decimal(2)}
    found = made("tiresias", **options)
    validate(found)
    assert {(one.name, one.quota, one.most) for one in found.groups} == {
        (f"group{k}", 10, 40) for k in range(3)
    }
    assert found.jobs == made("tiresias", groups=3).jobs
    narrow = made("tiresias", groups=3, most=Decimal("0.1"))
    validate(narrow)
    for group in narrow.groups:
        widest = max(job.gpus for job in narrow.jobs if job.group == group.name)
        assert (group.quota, group.most) == (0, max(2, widest))


def test_random_instances_have_every_feature() -> None:
    found = [random_trace(0, index) for index in range(60)]
    assert {type(one.contention) for one in found} == {type(None), ServerUplink, RackLinks}
    for feature in ("packed_speed", "speeds", "curve", "group", "limit_s", "due_s"):
        assert {bool(getattr(one.jobs[0], feature)) for one in found} == {False, True}
    groups = [group for one in found for group in one.groups]
    assert {group.quota > 0 for group in groups} == {False, True}
    assert {group.most is None for group in groups} == {False, True}
    assert {one.restart_s > 0 for one in found} == {False, True}
    assert {one.resume_s is None for one in found} == {False, True}
    assert {len({server.rack for server in one.servers}) > 1 for one in found} == {False, True}


def test_options_of_groups_and_kinds_are_in_a_quarter_of_the_random_instances() -> None:
    found = [random_trace(5, index) for index in range(400)]
    counts = {
        "quota": sum(any(group.quota for group in one.groups) for one in found),
        "most": sum(one.limited is not None for one in found),
        "priorities": sum(any(job.priority for job in one.jobs) for one in found),
        "groups": sum(len({job.group for job in one.jobs}) > 1 for one in found),
        "kinds": sum(len(one.kinds) > 1 for one in found),
    }
    assert {name: count >= len(found) // 4 for name, count in counts.items()} == dict.fromkeys(
        counts, True
    )


@pytest.mark.parametrize("least_s", ["0.001", "120"])
def test_a_tail_so_light_that_floats_cannot_hold_it_leaves_the_least(least_s: str) -> None:
    options = {"tail": Decimal(10_000), "least_s": Decimal(least_s), "tick_s": Decimal("0.001")}
    longest = max(job.duration_s for job in made("tiresias", **options).jobs)
    # Of 480 jobs none is beyond the part 1 - 1/48,000 or so, where the law is at e^(10.8/10,000).
    assert Decimal(least_s) <= longest <= Decimal(least_s) * Decimal("1.01")


def test_speeds_on_kinds_are_those_that_gavel_measured() -> None:
    """ResNet-50 with batches of 128 does not fit into the memory of several k80."""
    found = made("gavel", 3, jobs=120, servers=9)
    assert found.kinds == ("v100", "p100", "k80")
    for job in found.jobs:
        speeds = {entry.gpu: entry.speed for entry in job.speeds}
        assert (job.gpu, speeds) == ("v100", measured()[str(job.model), job.gpus])
    assert measured()["ResNet-50 128", 1].keys() == {"p100", "k80"}
    assert measured()["ResNet-50 128", 4].keys() == {"p100"}
    assert measured()["CycleGAN", 1]["k80"] == Decimal("0.114")
    assert {model for model, _ in measured()} == {*measured_models(1)}


def test_other_options_stay_the_same_with_kinds() -> None:
    plain = made("philly", 2, jobs=40)
    typed = made("philly", 2, jobs=40, kinds=2, picky=Decimal("0.5"))
    for one, other in zip(plain.jobs, typed.jobs, strict=True):
        assert replace(other, gpu=None, speeds=()) == one
    assert {server.gpu for server in typed.servers} == {"v100", "p100"}
    alone = [job for job in typed.jobs if not job.speeds]
    assert 10 <= len(alone) <= 30
    for job in typed.jobs:
        assert all(Decimal("0.5") <= entry.speed <= 1 for entry in job.speeds)
