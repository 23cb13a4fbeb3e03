"""The `trace` family's files: what they say, and what is refused."""

from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest

from ringyard.instances import (
    InputError,
    JobGroup,
    Outage,
    RackLinks,
    RackServer,
    TraceInstance,
    TraceJob,
    Width,
    digest,
    load_instance,
    save,
    validate,
)
from ringyard.instances.reading.encode import to_text
from ringyard.instances.trace.mix import random_trace

JOB = TraceJob(name="a", gpus=2, duration_s=Decimal(4))
INSTANCE = TraceInstance(
    name="yard",
    servers=(
        RackServer(name="s0", gpus=2, rack="r0"),
        RackServer(name="s1", gpus=2, rack="r1"),
        RackServer(name="s2", gpus=4, rack="r0"),
    ),
    jobs=(JOB,),
)


@pytest.mark.parametrize("index", range(8))
def test_a_file_says_all_of_it(index: int, tmp_path: Path) -> None:
    instance = random_trace(1, index)
    save(instance, tmp_path / "yard.json")
    assert load_instance(tmp_path / "yard.json") == instance


def test_a_job_without_a_model_says_nothing_of_it() -> None:
    text = to_text(replace(INSTANCE, contention=RackLinks()))
    assert text.count('"model"') == 1, "that of the contention, which tells its kind"
    assert digest(replace(INSTANCE, jobs=(replace(JOB, model="VGG16"),))) != digest(INSTANCE)


def test_the_racks_are_leaves_of_a_tree() -> None:
    links = replace(INSTANCE, contention=RackLinks(oversubscription=Decimal(3))).fluid
    assert links is not None
    assert {leaf.name: leaf.servers for leaf in links.leaves} == {"r0": ("s0", "s2"), "r1": ("s1",)}
    assert links.leaf_oversubscription == 3
    assert INSTANCE.fluid is None


def test_kinds_of_gpus_change_the_digest_of_those_who_have_them_only() -> None:
    typed = with_kinds("v100", "k80")
    assert typed.kinds == ("v100", "k80")
    assert INSTANCE.kinds == (None,)
    assert len({digest(with_kinds("v100", other)) for other in ("v100", "k80")}) == 2
    assert to_text(INSTANCE).count('"gpu"') == 0


def test_outages_change_the_digest_of_those_who_have_them_only() -> None:
    out = with_outages(("s0", 3, 9), ("s0", 9, 10))
    validate(out)
    known = replace(out, outages=(replace(out.outages[0], known=True), out.outages[1]))
    assert len({digest(one) for one in (INSTANCE, out, known)}) == 3
    assert digest(replace(INSTANCE, outages=(), checkpoint_s=None)) == digest(INSTANCE)
    assert to_text(out).count('"known"') == to_text(INSTANCE).count('"outages"') == 0


def test_resuming_costs_as_much_as_restarting_unless_it_is_said() -> None:
    dear = replace(INSTANCE, restart_s=Decimal(5))
    assert dear.resume == 5
    assert replace(dear, resume_s=Decimal(0)).resume == 0


def with_job(**changes: object) -> TraceInstance:
    return replace(INSTANCE, jobs=(replace(JOB, **changes),))  # type: ignore[arg-type]


def with_groups(*groups: JobGroup, group: str | None = None) -> TraceInstance:
    return replace(with_job(group=group), groups=groups)


def with_outages(*spans: tuple[str, float, float]) -> TraceInstance:
    """Return outages of servers, each from and until."""
    outages = tuple(
        Outage(server=name, from_s=Decimal(a), until_s=Decimal(b)) for name, a, b in spans
    )
    return replace(INSTANCE, outages=outages)


def with_kinds(first: str, second: str | None, **changes: object) -> TraceInstance:
    """Return 4 GPUs of each of two kinds."""
    servers = tuple(
        replace(server, gpu=gpu)
        for server, gpu in zip(INSTANCE.servers, (first, second, second), strict=True)
    )
    sizes = (replace(servers[0], gpus=4), servers[1], replace(servers[2], gpus=2))
    return replace(with_job(**changes), servers=sizes)


def widths(*pairs: tuple[int, str]) -> tuple[Width, ...]:
    return tuple(Width(gpus=gpus, speed=Decimal(speed)) for gpus, speed in pairs)


FAULTS: dict[str, tuple[TraceInstance, str]] = {
    "servers": (
        replace(INSTANCE, servers=INSTANCE.servers[:1] * 2),
        r"servers\[1\].name: found 's0', expected a name other than in servers\[0\]",
    ),
    "jobs": (replace(INSTANCE, jobs=(JOB, JOB)), r"jobs\[1\].name: found 'a'"),
    "arrival": (
        with_job(arrival_s=Decimal("0.5")),
        r"jobs\[0\].arrival_s: found 0.5, expected a multiple of tick_s \(1\). Round it",
    ),
    "duration": (
        replace(with_job(duration_s=Decimal("1.5")), tick_s=Decimal("0.2")),
        r"jobs\[0\].duration_s: found 1.5, expected a multiple of tick_s \(0.2\)",
    ),
    "cost": (
        replace(INSTANCE, resume_s=Decimal("0.1")),
        "resume_s: found 0.1, expected a multiple",
    ),
    "long": (
        replace(with_job(duration_s=Decimal(10**7)), tick_s=Decimal("0.001")),
        "expected at most 1e[+]09 ticks of 0.001 s. Lengthen tick_s",
    ),
    "limit": (
        with_job(limit_s=Decimal("0.5")),
        r"jobs\[0\].limit_s: found 0.5, expected a multiple of tick_s \(1\)",
    ),
    "deadline": (with_job(due_s=Decimal("0.5")), r"jobs\[0\].due_s: found 0.5, expected a multi"),
    "wait": (with_job(waited_s=Decimal("0.5")), r"jobs\[0\].waited_s: found 0.5, expected a m"),
    "large": (with_job(gpus=9), r"jobs\[0\].gpus: found 9, expected at most 8, all GPUs"),
    "twice": (
        with_job(speeds=widths((4, "1.5"), (4, "1.6"))),
        r"jobs\[0\].speeds\[1\].gpus: found 4, expected each number of GPUs of a kind once",
    ),
    "wide": (
        with_job(speeds=widths((16, "3"))),
        r"jobs\[0\].speeds\[0\].gpus: found 16, expected at most 8",
    ),
    "group twice": (
        with_groups(JobGroup(name="g"), JobGroup(name="g")),
        r"groups\[1\].name: found 'g', expected a name other than in groups\[0\]",
    ),
    "unknown group": (
        with_groups(JobGroup(name="g"), JobGroup(name="vision"), group="visoin"),
        r"jobs\[0\].group: found 'visoin', expected one of g, vision. Did you mean 'vision'",
    ),
    "quotas": (
        with_groups(JobGroup(name="g", quota=5), JobGroup(name="h", quota=4)),
        r"groups\[1\].quota: found 4, expected at most 3, so that all quotas fit into 8 GPUs",
    ),
    "quota above most": (
        with_groups(JobGroup(name="g", quota=3, most=2)),
        r"groups\[0\].quota: found 3, expected at most 2, the most of group 'g'. Lower it",
    ),
    "larger than its group": (
        with_groups(JobGroup(name="g", most=1), group="g"),
        r"jobs\[0\].gpus: found 2, expected at most 1, the most of group 'g'. Drop the job",
    ),
    "unknown server": (
        with_outages(("s7", 0, 4)),
        r"outages\[0\].server: found 's7', expected one of s0, s1, s2",
    ),
    "outage that ends before it begins": (
        with_outages(("s0", 4, 4)),
        r"outages\[0\].until_s: found 4, expected more than 4, its from_s",
    ),
    "outage between ticks": (
        with_outages(("s0", 0, 4.5)),
        r"outages\[0\].until_s: found 4.5, expected a multiple of tick_s \(1\)",
    ),
    "outages at once": (
        with_outages(("s0", 3, 9), ("s1", 2, 4), ("s0", 1, 4)),
        r"outages\[0\].from_s: found 3, expected at least 4, because outages\[2\] of 's0' ends",
    ),
    "checkpoint": (
        replace(INSTANCE, checkpoint_s=Decimal("0.5")),
        "checkpoint_s: found 0.5, expected a multiple of tick_s",
    ),
    "unknown kind": (
        with_kinds("v100", "k80", gpu="v10"),
        r"jobs\[0\].gpu: found 'v10', expected one of v100, k80. Did you mean 'v100'",
    ),
    "unknown kind of a speed": (
        with_kinds("v100", "k80", speeds=(Width(gpus=1, gpu="p100", speed=Decimal(1)),)),
        r"jobs\[0\].speeds\[0\].gpu: found 'p100', expected one of v100, k80",
    ),
    "no kinds": (
        with_job(gpu="v100"),
        r"jobs\[0\].gpu: found 'v100', expected null: no server has a kind of GPUs",
    ),
    "a server without a kind": (
        with_kinds("v100", None),
        r"servers\[1\].gpu: found null, expected the kind of its GPUs, because other servers",
    ),
    "too few of its kind": (
        with_kinds("v100", "k80", gpu="k80", gpus=5),
        r"jobs\[0\].gpus: found 5, expected at most 4, all k80 GPUs of the cluster",
    ),
    "too few of every kind": (
        with_kinds("v100", "k80", gpus=5),
        r"jobs\[0\].gpus: found 5, expected at most 4, all GPUs of a kind of the cluster",
    ),
    "a speed on too many of a kind": (
        with_kinds("v100", "k80", speeds=(Width(gpus=5, gpu="k80", speed=Decimal(1)),)),
        r"jobs\[0\].speeds\[0\].gpus: found 5, expected at most 4, all k80 GPUs",
    ),
    "a kind twice": (
        with_kinds(
            "v100",
            "k80",
            gpu="v100",
            speeds=(*widths((1, "0.5")), Width(gpus=1, gpu="v100", speed=Decimal(1))),
        ),
        r"jobs\[0\].speeds\[1\].gpus: found 1, expected each number of GPUs of a kind once",
    ),
    "own": (
        with_job(speeds=widths((2, "1.1"))),
        r"jobs\[0\].speeds\[0\].speed: found 1.1, expected 1 on the 2 requested GPUs",
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_told_with_its_place(fault: str) -> None:
    instance, words = FAULTS[fault]
    with pytest.raises(InputError, match=words):
        validate(instance)


def test_groups_are_part_of_the_digest_only_where_there_are_some() -> None:
    assert replace(INSTANCE, groups=()) == INSTANCE
    assert '"groups"' not in to_text(INSTANCE)
    named = with_groups(JobGroup(name="g", quota=8), group="g")
    validate(named)
    validate(with_job(group="any"))
    assert len({digest(one) for one in (named, with_job(group="g"), INSTANCE)}) == 3
