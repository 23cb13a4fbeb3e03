"""What-if questions about outages: the option, the instances, and what is refused."""

import re
from dataclasses import replace
from decimal import Decimal

import pytest
from whatif_trace import asked, crowded, instances

from ringyard.analysis.whatif.goal import goal_of
from ringyard.campaigns.whatif import ReplayRequest, on_servers, setting_of
from ringyard.campaigns.whatif.goal import goal_search
from ringyard.campaigns.whatif.outages import compared
from ringyard.instances import InputError, RackServer, TraceInstance, digest, validate
from ringyard.instances.generate import generate
from ringyard.instances.trace import Outage
from ringyard.instances.trace.outages import with_outages
from ringyard.papers.gaps import one_server


def failing() -> TraceInstance:
    """Return the trace with an outage of each server."""
    outages = tuple(
        Outage(server=f"s{i}", from_s=Decimal(3 + i), until_s=Decimal(9 + i)) for i in range(3)
    )
    return replace(crowded(), outages=outages)


def test_random_outages_are_those_of_the_generator() -> None:
    """Draw k has the seed seed + k, on every cluster and for every policy."""
    words = "mtbf=10s,repair=5s,announced,seed=4,draws=2"
    replay = asked(crowded(), outages=f"none,{words}", policies="fifo,srtf", clusters="own,4x4")
    own = [one for one in replay.asked if one.at["cluster"] == "own"]
    assert [one.at["outages"] for one in own] == ["none"] * 2 + [words] * 4
    found = instances(replay)
    assert [found[i].outages for i in (0, 1)] == [(), ()]
    for i, seed in ((2, 4), (3, 4), (4, 5), (5, 5)):
        assert found[i].outages == with_outages(crowded(), seed, 10.0, 5.0, 1.0).outages
        assert all(one.known for one in found[i].outages)
    assert found[4].name == f"crowded: own, none, {words} (2 of 2 draws)"
    for instance in found:
        validate(instance)
    assert len({run.key for run in replay.runs}) == len(replay.asked)


def test_usual_values_of_random_outages() -> None:
    long = replace(crowded(), jobs=(replace(crowded().jobs[0], duration_s=Decimal(10**6)),))
    (instance,) = instances(asked(long, outages="mtbf=10h"))
    assert instance.outages == with_outages(long, 0, 36_000.0, 14_400.0).outages != ()


@pytest.mark.parametrize(
    ("words", "values"),
    [
        ("none,own", ["none", "own"]),
        ("repair=1min, mtbf=3min", ["repair=1min,mtbf=3min"]),
        (
            "mtbf=3min,repair=1min,mtbf=5min,repair=1min,draws=2,none",
            ["mtbf=3min,repair=1min", "mtbf=5min,repair=1min,draws=2", "none"],
        ),
        ("none,none", ["none"]),
    ],
)
def test_several_values_are_compared(words: str, values: list[str]) -> None:
    found = [one.at["outages"] for one in asked(failing(), outages=words).asked]
    assert list(dict.fromkeys(found)) == values


def test_one_value_is_compared_with_none() -> None:
    assert compared("mtbf=30d,draws=3") == "none,mtbf=30d,draws=3"
    assert compared("own") == "none,own"
    for words in (None, "none", "own,none", "mtbf=30d,mtbf=10d"):
        assert compared(words) == words


def test_the_outages_of_the_trace_are_replayed_by_default() -> None:
    (one,) = asked(failing()).asked
    assert (one.at["outages"], digest(one.run.instance)) == ("own", digest(failing()))
    (without,) = instances(asked(failing(), outages="none"))
    assert digest(without) == digest(crowded())


def test_a_checkpoint_is_set_where_there_may_be_outages() -> None:
    none, own = instances(asked(failing(), outages="none,own", checkpoint="0.5min"))
    assert (none.checkpoint_s, own.checkpoint_s) == (None, 30)
    (usual,) = instances(asked(failing(), checkpoint="2s"))
    assert usual.checkpoint_s == 2


def test_servers_that_are_gone_have_no_outages() -> None:
    replay = asked(failing(), clusters="own,own-s1,own+1x4")
    out = [[one.server for one in instance.outages] for instance in instances(replay)]
    assert out == [["s0", "s1", "s2"], ["s0", "s2"], ["s0", "s1", "s2"]]
    assert any("added servers never fail" in remark for remark in replay.remarks)
    assert not any("added" in remark for remark in asked(failing(), clusters="own-s1").remarks)
    assert one_server(failing()).outages == ()
    validate(one_server(failing()))


def test_jobs_that_hold_gpus_of_servers_that_are_gone_have_lost_them() -> None:
    """Another server of the same name is another machine."""
    begun = generate("philly", seed=1, jobs=60, servers=4, begun=Decimal("0.5"))
    assert isinstance(begun, TraceInstance)
    other = on_servers(begun, tuple(RackServer(name=one.name, gpus=2) for one in begun.servers))
    fewer = on_servers(begun, begun.servers[1:])
    lost = 0
    for before, after in zip(begun.jobs, fewer.jobs, strict=True):
        if before.held is not None and "s0" in dict(before.held):
            assert (after.held, after.stopped, after.held_s) == ((), True, 0)
            lost += 1
        else:
            assert after == before
    assert lost
    assert all(not job.held for job in other.jobs)
    validate(fewer)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("mtbf=0d", "--outages mtbf: found '0d', expected a time from a tick, 1 s, to 1,000,000"),
        ("mtbf=30", "--outages mtbf: found '30', expected at least the mean time of a repair, 4h"),
        ("mtbf=1h,repair=2h", "at least the mean time of a repair, 2h. Lengthen mtbf or shorten"),
        ("mtbf=1d,repair=0", "--outages repair: found '0', expected a time from a tick"),
        ("mtbf=20000000d", "Shorten it."),
        ("mtbf=soon", "--outages mtbf: found 'soon', expected a time such as 30d, 12h or 90min"),
        ("repair=4h", "--outages mtbf: found nothing, expected the mean time between failures"),
        ("mtbf=5d,seed=1,seed=2", "--outages mtbf: found nothing"),
        ("mtbf", "--outages mtbf: found '', expected a time"),
        ("own", "found 'own', expected none or random outages, because the trace has none"),
        ("non", "expected one of none, own, mtbf, repair, announced, seed, draws. Did you mean"),
        ("mtbf=5d,draws=0", "--outages draws: found '0', expected a whole number from 1 to 100"),
        ("mtbf=5d,draws=101", "--outages draws: found '101', expected"),
        ("mtbf=5d,seed=-1", "--outages seed: found '-1', expected a whole number"),
        ("mtbf=5d,seed=9223372036854775807", "--outages seed: found 92233"),
        ("mtbf=5d,announced=yes", "found 'announced=yes', expected announced alone"),
        ("mtbf=5d,", "Leave no name empty"),
        ("", "Leave no name empty"),
    ],
)
def test_outages_that_cannot_be_meant_are_refused(words: str, said: str) -> None:
    with pytest.raises(InputError, match=re.escape(said)):
        asked(crowded(), outages=words)


def test_too_many_outages_are_refused_before_they_are_drawn() -> None:
    """With a failure and a repair in 2 s, 10^8 s have some 5 * 10^7 outages of each server."""
    long = replace(crowded(), jobs=(replace(crowded().jobs[0], duration_s=Decimal(10**8)),))
    for words in ("mtbf=1s,repair=1s", "mtbf=1h,repair=1h,draws=100"):
        said = rf"--outages: found '{words}', expected at most 1,000,000 outages, but about"
        with pytest.raises(InputError, match=said):
            asked(long, outages=words)


@pytest.mark.parametrize(
    ("checkpoint", "outages", "said"),
    [
        ("30m", None, "outages as well, because only they cost work since a checkpoint"),
        ("30m", "none", "outages as well"),
        ("soon", "mtbf=1d", "--checkpoint: found 'soon', expected a time such as 30d"),
        ("1.5s", "mtbf=1d", "expected a multiple of the tick, 1 s. Round it."),
        ("0", "mtbf=1d", "expected a time from a tick"),
    ],
)
def test_checkpoints_that_cannot_be_meant_are_refused(
    checkpoint: str, outages: str | None, said: str
) -> None:
    with pytest.raises(InputError, match=re.escape(said)):
        asked(crowded(), outages=outages, checkpoint=checkpoint)


@pytest.mark.parametrize("clusters", ["3x4", "own,2x8", "tiny-trace-05x2-groups"])
def test_outages_of_the_trace_are_not_those_of_other_clusters(clusters: str) -> None:
    said = r"--clusters: found '.*', expected own, with more or fewer servers, because the outages"
    with pytest.raises(InputError, match=said + ".* Give --outages mtbf=30d,repair=4h or"):
        asked(failing(), clusters=clusters, drop=True)
    assert asked(failing(), clusters="own,3x4", outages="none").asked
    assert asked(failing(), clusters="own,3x4", outages="mtbf=1d").asked


@pytest.mark.parametrize("policy", ["gavel", "themis", "weight-search"])
def test_policies_that_do_not_follow_outages_are_refused_before_any_replay(policy: str) -> None:
    said = rf"--policies: found '{policy}', expected policies that follow outages, for --outages"
    for trace, outages in ((crowded(), "none,mtbf=1d"), (failing(), None)):
        with pytest.raises(InputError, match=said):
            asked(trace, policies=f"fifo,{policy}", outages=outages)
    assert asked(failing(), policies=policy, outages="none").asked


def test_a_search_for_few_jobs_is_refused_as_well() -> None:
    many = replace(
        failing(), jobs=tuple(replace(crowded().jobs[0], name=f"j{i}") for i in range(30))
    )
    assert asked(many, policies="state-search").asked  # The row says that there are too many jobs.
    with pytest.raises(InputError, match="found 'state-search', expected policies that follow"):
        asked(many, policies="state-search", first=2)


def test_remarks_say_what_chance_and_checkpoints_do() -> None:
    first = asked(crowded(), outages="none,mtbf=1d").remarks
    assert [remark.partition(",")[0] for remark in first] == [
        "the trace has no checkpoint_s",
        "1 draw of random outages may be chance. Add draws=5 for means with intervals.",
    ]
    assert asked(crowded(), outages="none,mtbf=1d,draws=3", checkpoint="30m").remarks == ()
    assert asked(crowded()).remarks == ()


def test_a_goal_needs_all_draws_of_each_size() -> None:
    request = ReplayRequest(policies="fifo", outages="mtbf=10s,repair=1s,draws=3")
    search = goal_search(goal_of("p95 wait 9s"), setting_of(crowded(), request), None)
    asked_for: list[int] = []

    def rows(_: str, runs: list[object]) -> object:
        asked_for.append(len(runs))
        return lambda run: (
            {"valid": True, "objective": 1.0, "mean_queueing_s": 1.0}
            | {"p95_queueing_s": float(sum(s.gpus for s in run.instance.servers) < 16) * 10}
        )

    assert search.run(rows) is None  # type: ignore[arg-type]
    assert asked_for == [3, 6]
    (answer,) = search.answers()
    assert (answer.least and answer.least.change, answer.at["outages"]) == (1, request.outages)


def test_a_goal_has_a_search_for_each_value() -> None:
    setting = setting_of(failing(), ReplayRequest(policies="fifo", outages="none,own"))
    search = goal_search(goal_of("p95 wait 9s"), setting, None)

    def rows(_: str, runs: list[object]) -> object:
        return lambda run: (
            {"valid": True, "objective": 1.0, "mean_queueing_s": 1.0}
            | {"p95_queueing_s": 10.0 if run.instance.outages else 1.0}
        )

    assert search.run(rows) is None  # type: ignore[arg-type]
    reached = {one.at["outages"]: one.least is not None for one in search.answers()}
    assert reached == {"none": True, "own": False}
