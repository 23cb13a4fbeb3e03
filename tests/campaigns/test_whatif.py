"""What-if questions: the instances that stand for them, and what a person is told."""

import re
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest
from whatif_trace import asked, crowded, instances

from ringyard.analysis.whatif.goal import goal_of
from ringyard.campaigns.whatif import ReplayRequest, setting_of
from ringyard.campaigns.whatif.goal import goal_search
from ringyard.instances import (
    InputError,
    JobGroup,
    RackLinks,
    ServerUplink,
    TraceInstance,
    Width,
    digest,
    save,
    validate,
)
from ringyard.instances.trace import trace as trace_of


def test_a_replay_of_the_trace_as_it_is_changes_nothing() -> None:
    (instance,) = instances(asked(crowded()))
    assert digest(instance) == digest(crowded())
    assert instance.name == "crowded: own, none"
    assert instance.notes.startswith(f"The jobs of crowded ({digest(crowded())[:12]})")


def test_every_axis_is_crossed_with_every_other() -> None:
    replay = asked(
        crowded(),
        policies="fifo,2d-las",
        placements="pack,spread",
        clusters="own,2x8",
        contention="none,uplink:share=0.5,racks",
        load="1,2",
    )
    assert len(replay.asked) == len(replay.runs) == 2 * 2 * 2 * 3 * 2
    assert len({tuple(one.at.values()) for one in replay.asked}) == len(replay.asked)
    assert {one.run.method for one in replay.asked if one.at["placement"] == "spread"} == {
        "fifo:placement=spread",
        "2d-las:placement=spread",
    }
    models = {one.at["contention"]: one.run.instance.contention for one in replay.asked}  # type: ignore[union-attr]
    assert models == {
        "none": None,
        "uplink:share=0.5": ServerUplink(share=Decimal("0.5")),
        "racks": RackLinks(oversubscription=Decimal(2)),
    }
    for instance in instances(replay):
        validate(instance)


def test_a_cluster_in_words_has_servers_of_several_sizes_in_racks() -> None:
    (instance,) = instances(asked(crowded(), clusters="2x8+2x4/2"))
    sizes = [(server.gpus, server.rack) for server in instance.servers]
    assert sizes == [(8, "r0"), (8, "r0"), (4, "r1"), (4, "r1")]


def test_a_cluster_may_have_more_servers_beside_its_last() -> None:
    (instance,) = instances(asked(crowded(), clusters="own+1x8+1x2"))
    own = crowded().servers
    assert instance.servers[: len(own)] == own
    assert [one.gpus for one in instance.servers[len(own) :]] == [8, 2]
    assert {one.rack for one in instance.servers[len(own) :]} == {own[-1].rack}
    validate(instance)


@pytest.mark.parametrize(
    ("word", "kept"),
    [
        ("own-s1", [("s0", 4), ("s2", 4)]),
        ("own-2x4", [("s0", 4)]),
        ("own-1x4+1x8", [("s0", 4), ("s1", 4), ("more 0", 8)]),
        ("own+1x2+1x2-1x2", [("s0", 4), ("s1", 4), ("s2", 4), ("more 0", 2)]),
        ("own-s0-s2", [("s1", 4)]),
    ],
)
def test_a_cluster_may_have_fewer_servers(word: str, kept: list[tuple[str, int]]) -> None:
    (instance,) = instances(asked(crowded(), clusters=word))
    assert [(one.name, one.gpus) for one in instance.servers] == kept


def mixed() -> TraceInstance:
    """Return `wide`, which needs 4 v100, `both` on 1 GPU of any kind named, and `slow` on k80."""
    jobs = [
        {"name": "wide", "gpus": 4, "gpu": "v100", "duration_s": 5},
        {
            "name": "both",
            "gpus": 1,
            "gpu": "v100",
            "duration_s": 5,
            "speeds": [{"gpus": 1, "gpu": "k80", "speed": 0.5}, {"gpus": 2, "speed": 1.5}],
        },
        {"name": "slow", "gpus": 1, "gpu": "k80", "duration_s": 5},
    ]
    kinds = {"v0": "v100", "v1": "v100", "k0": "k80"}
    return trace_of(jobs, {name: {"gpus": 2, "gpu": gpu} for name, gpu in kinds.items()})


def test_servers_are_added_and_removed_by_kind() -> None:
    words = {
        "own+1x2:k80": ["v100", "v100", "k80", "k80"],
        "own+1x4:v100": ["v100", "v100", "k80", "v100"],
        "2x2:v100+1x8:k80": ["v100", "v100", "k80"],
    }
    for word, kinds in words.items():
        (instance,) = instances(asked(mixed(), clusters=word))
        assert [server.gpu for server in instance.servers] == kinds
        validate(instance)


def test_jobs_and_speeds_that_lack_gpus_of_a_kind_are_left_out() -> None:
    """Two v100 remain: `wide` goes. Without k80, `slow` goes, and `both` loses its speed there."""
    (few,) = instances(asked(mixed(), clusters="own-1x2:v100", drop=True))
    assert [job.name for job in few.jobs] == ["both", "slow"]
    assert len(few.jobs[0].speeds) == 2
    (one,) = instances(asked(mixed(), clusters="own-k0", drop=True))
    assert [job.name for job in one.jobs] == ["wide", "both"]
    assert [width.gpus for width in one.jobs[1].speeds] == [2]
    for instance in (few, one):
        validate(instance)
    with pytest.raises(InputError, match="need more than its kinds of GPUs have for them"):
        asked(mixed(), clusters="own-k0")


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("own+1x2", "found nothing, expected the kind of the GPUs as well, one of v100, k80"),
        ("own+1x2:k8", "found 'k8', expected one of v100, k80. Did you mean 'k80'"),
        ("own-3x2:v100", "expected to remove at most 2 servers of 2 GPUs"),
    ],
)
def test_a_kind_of_servers_is_named_and_known(word: str, said: str) -> None:
    with pytest.raises(InputError, match=re.escape(said)):
        asked(mixed(), clusters=word)


def test_a_goal_adds_servers_of_a_kind() -> None:
    setting = setting_of(mixed(), ReplayRequest(policies="fifo"))
    search = goal_search(goal_of("p95 wait 9s"), setting, "4:k80")
    assert (search.gpus, search.gpu, search.sized(2).name) == (4, "k80", "own+2x4:k80")
    usual = goal_search(goal_of("p95 wait 9s"), setting, None)
    assert (usual.gpus, usual.gpu) == (2, "v100")
    with pytest.raises(InputError, match="found 'h100', expected one of v100, k80"):
        goal_search(goal_of("p95 wait 9s"), setting, "4:h100")


def test_names_of_servers_may_look_like_sizes() -> None:
    names = ("gpu-1", "gpu-1x4", "gpu-1-2")
    servers = tuple(
        replace(one, name=name) for one, name in zip(crowded().servers, names, strict=True)
    )
    for gone in names:
        (instance,) = instances(asked(replace(crowded(), servers=servers), clusters=f"own-{gone}"))
        assert [one.name for one in instance.servers] == [name for name in names if name != gone]


def test_a_cluster_may_be_that_of_another_file(tmp_path: Path) -> None:
    other = replace(crowded(), name="other", servers=crowded().servers[:1])
    save(other, tmp_path / "other.json")
    (instance,) = instances(asked(crowded(), clusters=str(tmp_path / "other.json")))
    assert instance.servers == other.servers
    assert instance.jobs == crowded().jobs


def test_clusters_have_names_of_their_own(tmp_path: Path) -> None:
    for file in ("one.json", "two.json"):
        save(replace(crowded(), name="other"), tmp_path / file)
    with pytest.raises(InputError, match="expected clusters of different names, but there are two"):
        asked(crowded(), clusters=f"{tmp_path / 'one.json'},{tmp_path / 'two.json'}")


def test_jobs_too_large_for_one_cluster_are_left_out_of_all() -> None:
    replay = asked(crowded(), clusters="own,1x2", drop=True)
    assert replay.dropped == 2
    assert [len(instance.jobs) for instance in instances(replay)] == [6, 6]
    request = ReplayRequest(policies="fifo", clusters="own,1x2", drop=True)
    assert (setting_of(crowded(), request).left_out or "").startswith("2 jobs too large")
    assert setting_of(crowded(), replace(request, clusters="own")).left_out is None


def test_no_cluster_may_be_too_small_for_all_jobs() -> None:
    with pytest.raises(InputError, match=r"'long0' \(2\).* and 5 more need more than its 1 GPU"):
        asked(crowded(), clusters="1x1", drop=True)


def test_no_cluster_may_be_too_small_for_all_quotas() -> None:
    grouped = replace(crowded(), groups=(JobGroup(name="g", quota=4), JobGroup(name="h", quota=1)))
    words = r"found '2x2', expected room for all quotas of groups, 5 GPUs. Enlarge it"
    with pytest.raises(InputError, match=words):
        asked(grouped, clusters="3x2,2x2")


def test_widths_beyond_a_smaller_cluster_are_left_out() -> None:
    speeds = (Width(gpus=1, speed=Decimal("0.4")), Width(gpus=12, speed=Decimal(3)))
    elastic = replace(crowded().jobs[-1], speeds=speeds)
    trace = replace(crowded(), jobs=(elastic,))
    (instance,) = instances(asked(trace, clusters="1x4"))
    assert instance.jobs[0].speeds == speeds[:1]


def test_a_load_moves_arrivals_to_the_nearest_tick() -> None:
    late = replace(crowded().jobs[-1], arrival_s=Decimal(15))
    trace = replace(crowded(), jobs=(late,))
    arrivals = {
        one.at["load"]: one.run.instance.jobs[0].arrival_s  # type: ignore[union-attr]
        for one in asked(trace, load="0.5,1,2.5,4").asked
    }
    assert arrivals == {"0.5": 30, "1": 15, "2.5": 6, "4": 4}


def test_the_first_jobs_are_those_that_arrive_first() -> None:
    jobs = crowded().jobs[::-1]
    (instance,) = instances(asked(replace(crowded(), jobs=jobs), first=6))
    assert instance.jobs == jobs[2:]


def test_communication_is_set_for_all_or_by_model() -> None:
    def talk(words: str) -> set[tuple[str | None, Decimal]]:
        (instance,) = instances(asked(crowded(), communication=words))
        return {(job.model, job.communication) for job in instance.jobs}

    half, some = Decimal("0.5"), Decimal("0.1")
    assert talk("0.5") == {(None, half), ("VGG16", half)}
    assert talk("VGG16=0.5") == {(None, Decimal(0)), ("VGG16", half)}
    assert talk("0.1,VGG16=0.5") == {(None, some), ("VGG16", half)}


def test_silent_jobs_and_a_single_rack_are_remarked() -> None:
    silent = asked(crowded(), communication="0", contention="none,uplink").remarks
    assert len(silent) == 1
    assert "--communication 0.3" in silent[0]
    assert asked(crowded(), communication="0").remarks == ()
    (racks,) = asked(crowded(), contention="racks", clusters="own,4x4/2").remarks
    assert racks.startswith("all servers of own are in one rack")


def grouped() -> TraceInstance:
    """Return the trace with its wide jobs in the group nlp, and the first job in vision."""
    jobs = [replace(job, group="nlp" if job.gpus > 2 else None) for job in crowded().jobs]
    return replace(crowded(), jobs=(replace(jobs[0], group="vision"), *jobs[1:]))


def test_jobs_of_a_group_or_a_model_may_be_left_out() -> None:
    words = "group=nlp,group=vision+group=none,model=VGG16"
    asked_ = asked(grouped(), without=words, load="1,2").asked
    counts = {one.at["jobs"]: len(one.run.instance.jobs) for one in asked_}  # type: ignore[union-attr]
    assert counts == {
        "all": 8,
        "without group=nlp": 6,
        "without group=vision+group=none": 2,
        "without model=VGG16": sum(job.model != "VGG16" for job in grouped().jobs),
    }
    assert len(asked_) == 8
    assert asked_[1].run.instance.name == "crowded: own, none, without group=nlp"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("nlp", "expected group=NAME or model=NAME"),
        ("group=nlpp", "a group of the jobs: nlp, none, vision. Did you mean 'nlp'?"),
        ("model=BERT", "a model of the jobs: VGG16"),
        ("group=nlp+group=vision+group=none", "some jobs left"),
        ("group=nlp,group=nlp", "found 'group=nlp', expected it once. Drop the second."),
        ("group=nlp+group=nlp", "expected each group and model once"),
        ("group=nlp+model=VGG16,model=VGG16+group=nlp", "found 'model=VGG16+group=nlp', expected"),
        ("", "Leave no name empty"),
    ],
)
def test_jobs_to_leave_out_must_be_some(words: str, said: str) -> None:
    with pytest.raises(InputError, match=re.escape(said)):
        asked(grouped(), without=words)


@pytest.mark.parametrize(
    ("goal", "least"),
    [
        ("mean jct 8.4s", "8.5 s, the mean jct if every job starts at once"),
        ("p50 jct 9s", "10 s"),
        ("p99 jct 14.9s", "15 s"),
        ("mean slowdown 0.5", "1, the mean slowdown"),
    ],
)
def test_a_goal_below_the_times_of_jobs_alone_is_refused(goal: str, least: str) -> None:
    """Jobs take 1 s, 1 s, 1 s, 10 s, 10 s, 15 s, 15 s and 15 s, the wide ones within a server."""
    setting = setting_of(crowded(), ReplayRequest(policies="fifo"))
    with pytest.raises(InputError, match=re.escape(f"expected at least {least}")):
        goal_search(goal_of(goal), setting, None)


@pytest.mark.parametrize("goal", ["mean jct 8.5s", "p99 jct 15s", "mean slowdown 1", "p95 wait 0s"])
def test_a_goal_that_jobs_alone_reach_is_searched_for(goal: str) -> None:
    setting = setting_of(crowded(), ReplayRequest(policies="fifo"))
    assert goal_search(goal_of(goal), setting, None).gpus == 4


def test_a_goal_needs_jobs_that_may_be_faster_on_a_new_server() -> None:
    """On servers of 2 GPUs, both wide jobs take 13 s, and all eight 48 + 26 s."""
    setting = setting_of(crowded(), ReplayRequest(policies="fifo", clusters="6x2"))
    assert goal_search(goal_of("mean jct 9s"), setting, "4").gpus == 4
    with pytest.raises(InputError, match=re.escape("expected at least 9.25 s")):
        goal_search(goal_of("mean jct 9s"), setting, "2")


def test_strong_bounds_are_a_run_for_each_instance() -> None:
    replay = asked(crowded(), policies="fifo,2d-las", contention="none,uplink", strong=True)
    assert len(replay.asked) == 4
    assert [run.method for run in replay.runs].count("bound") == 2
