"""What holds of every scheduler of the family: valid schedules, and no look at what is hidden."""

import json
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest
from check.trace.small import job, make_instance
from policies.trace.played import played
from simulation.trace.drawn_instances import drawn

from ringyard.analysis.check import check
from ringyard.cli import main
from ringyard.instances import InputError, RefusedError, TraceInstance, TraceSchedule
from ringyard.instances.trace import trace
from ringyard.methods import all_methods, all_names, find_method
from ringyard.policies.trace import serve
from ringyard.run import solve
from ringyard.simulation.trace import (
    DISTRIBUTION,
    ESTIMATES,
    FULL,
    NONE,
    PREDICTED,
    EstimatedJobView,
    JobView,
    KnownJobView,
    PredictedJobView,
    simulate,
)
from ringyard.simulation.trace.placement import PLACEMENTS
from ringyard.simulation.trace.ranks import REMAINING, RankFormula

INFORMATION = {
    "fifo": NONE,
    "yarn-cs": NONE,
    "best-effort": NONE,
    "backfill": ESTIMATES,
    "backfill:promised=3": ESTIMATES,
    "backfill:order=multifactor:stops=lower": ESTIMATES,
    "quotas": ESTIMATES,
    "las": NONE,
    "2d-las": NONE,
    "tiresias-l": NONE,
    "tiresias-released": NONE,
    "tiresias-released:order=entry": NONE,
    "gavel": NONE,
    "2d-gittins": DISTRIBUTION,
    "tiresias-g": DISTRIBUTION,
    "a-srpt": PREDICTED,
    "sjf": FULL,
    "srtf": FULL,
    "srsf": FULL,
    "sjf:by=limit": ESTIMATES,
    "sjf:by=due": NONE,
    "srtf:by=limit": ESTIMATES,
    "srsf:by=limit": ESTIMATES,
}
"""What a policy may know of lengths, by its name. All these start jobs in an order."""

NAMES = {name.partition(":")[0] for name in INFORMATION}

VIEWS = {ESTIMATES: EstimatedJobView, PREDICTED: PredictedJobView, FULL: KnownJobView}

UNKNOWING = [name for name, what in INFORMATION.items() if what != FULL]
CHOICES = {
    "tiresias-l": ":thresholds=[20,90]:promote=1",
    "tiresias-g": ":thresholds=[20,90]:promote=1",
    "tiresias-released": ":thresholds=[20,90]:promote=1",
    "gavel": ":round_s=20:least_s=50",
}
"""Options with which much happens in small instances."""


def text(name: str, instance: TraceInstance, **more: Any) -> str:
    """Return a method with options that fit the ticks of an instance."""
    given = "".join(f":{key}={value}" for key, value in more.items())
    quantum = name in ("las", "2d-las", "2d-gittins", "tiresias-g", "tiresias-released", "gavel")
    return name + CHOICES.get(name, "") + given + f":interval_s={2 * instance.tick_s}" * quantum


def test_every_one_of_them_is_here() -> None:
    named = {method.name for method in all_methods("trace") if method.kind == "policy"}
    assert named >= NAMES


@pytest.mark.parametrize("name", INFORMATION)
def test_schedules_are_valid_whatever_the_placement(name: str) -> None:
    for seed, placement in enumerate(sorted(PLACEMENTS) * 2):
        instance = drawn(seed)
        method = text(name, instance, placement=placement)
        assert check(instance, played(instance, method)).violations == (), (seed, method)


@pytest.mark.parametrize("name", INFORMATION)
def test_only_what_may_be_known_is_shown(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    shown = []

    def spied(instance: TraceInstance, policy: Any, *rest: Any) -> Any:
        if hasattr(policy, "formula"):
            assert policy.formula().kind != REMAINING or INFORMATION[name] == FULL
            policy.formula = RankFormula
        for entry in ("rank", "decide"):
            if hasattr(policy, entry):
                shown.append(policy.information)
                watch(policy, entry)
        return simulate(instance, policy, *rest)

    def watch(policy: Any, entry: str) -> None:
        inner = getattr(policy, entry)

        def outer(seen: Any, *cluster: Any) -> Any:
            for one in [seen] if isinstance(seen, JobView) else seen:
                assert type(one) is VIEWS.get(INFORMATION[name], JobView)
                shown.append(hasattr(one._setting, "law"))
            return inner(seen, *cluster)

        setattr(policy, entry, outer)

    monkeypatch.setattr(serve, "simulate", spied)
    instance = drawn(3)
    played(instance, text(name, instance))
    assert shown[0] == INFORMATION[name]
    assert set(shown[1:]) == {INFORMATION[name] in (DISTRIBUTION, FULL)}


@pytest.mark.parametrize("name", [name for name in INFORMATION if "multifactor" not in name])
def test_a_formula_gives_the_ranks_of_the_policy(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Jobs are ranked by the engine, and then by the policy that it would stand for.

    Multifactor priorities change while jobs wait, and no policy is asked for them.
    """

    def asked(instance: TraceInstance, policy: Any, *rest: Any) -> Any:
        policy.formula = RankFormula
        return simulate(instance, policy, *rest)

    cases = [(drawn(seed), text(name, drawn(seed))) for seed in range(12)]
    usual = [played(instance, method).jobs for instance, method in cases]
    monkeypatch.setattr(serve, "simulate", asked)
    assert usual == [played(instance, method).jobs for instance, method in cases]


def before(instance: TraceInstance, schedule: TraceSchedule, tick: Decimal) -> set[Any]:
    """Return what was started and stopped before a tick."""
    ends = check(instance, schedule).ends
    seen = set()
    for entry in schedule.jobs:
        for run in entry.runs:
            stop = ends[entry.job] if run.stop_s is None else run.stop_s
            if run.start_s < tick:
                seen.add((entry.job, run.start_s, run.gpus, stop if stop < tick else None))
    return seen


@pytest.mark.parametrize("name", UNKNOWING)
def test_nobody_knows_what_has_not_been_seen(name: str) -> None:
    """A job takes longer than it did: until its former end, nobody does anything else."""
    for seed in range(8):
        instance = replace(drawn(seed), law=(Decimal(30), Decimal(70), Decimal(300)))
        predicted = (replace(one, predicted_s=one.duration_s) for one in instance.jobs)
        instance = replace(instance, jobs=tuple(predicted))
        method = text(name, instance)
        schedule = played(instance, method)
        ends = check(instance, schedule).ends
        for k, one in enumerate(instance.jobs[:3]):
            longer = replace(one, duration_s=3 * one.duration_s)
            jobs = (*instance.jobs[:k], longer, *instance.jobs[k + 1 :])
            other = replace(instance, jobs=jobs)
            end = ends[one.name]
            assert before(instance, schedule, end) == before(other, played(other, method), end)


def test_a_job_that_is_slowed_down_is_behind_who_has_as_much_left() -> None:
    """`wide` is half as fast: at 6 it has 7 left, and `new`, who needs 6, goes first."""
    jobs = job("wide", 2, 10, communication=1), job("new", 2, 6, arrival=6, communication=0)
    instance = make_instance({"a0": 1, "a1": 1}, *jobs)
    ends = check(instance, played(instance, "srtf")).ends
    assert ends == {"new": 12, "wide": 26}


@pytest.mark.parametrize(
    "method", ["2d-las", "las", "2d-gittins", "tiresias-g", "gandiva", "optimus"]
)
def test_an_interval_that_nobody_gave_goes_to_the_nearest_tick(method: str) -> None:
    """Of 60 s and 600 s, ticks of 7 s make 63 s and 602 s, ticks of 5,000 s one tick."""
    for tick, near in ((7, 602 if method == "optimus" else 63), (5000, 5000)):
        jobs = [job(name, 1, 100 * tick, i * tick) for i, name in enumerate("abc")]
        instance = make_instance({"a0": 1}, *jobs, tick_s=tick)
        found = solve(instance, method)
        assert found.valid
        assert f"interval_s is {near} because tick_s does not divide" in found.outcome.note
        assert found.schedule == solve(instance, f"{method}:interval_s={near}").schedule
        with pytest.raises(
            RefusedError, match=f"interval_s=61 is not a multiple of tick_s .{tick}"
        ):
            solve(instance, f"{method}:interval_s=61")


@pytest.mark.parametrize(
    ("options", "kind", "place"),
    [
        ("interval_s=0.5", RefusedError, "interval_s=0.5 is not a multiple of tick_s"),
        ("rounds=yes:interval_s=0", InputError, "the length of a round"),
        ("interval_s=1e12", RefusedError, "is more than 1e\\+09 ticks"),
        ("interval_s=100000.000000000000000000000001", RefusedError, "not a multiple of tick_s"),
    ],
)
def test_options_that_do_not_fit(options: str, kind: type[Exception], place: str) -> None:
    """What does not go with an instance is refused; what goes with none is wrong."""
    instance = make_instance({"a0": 1}, job("a", 1, 1))
    with pytest.raises(kind, match=place):
        played(instance, f"fifo:{options}")


def test_options_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", "options", "--family", "trace", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["options"]
    defaults = {(row["method"], row["option"]): row["default"] for row in rows}
    assert {name for name, _ in defaults} >= NAMES
    assert defaults["tiresias-l", "thresholds"] == "[3200]"
    assert defaults["yarn-cs", "placement"] == '"consolidate"'


KINDS = trace(
    [
        {"gpus": 1, "gpu": "v", "duration_s": 2, "speeds": [{"gpus": 1, "gpu": "k", "speed": 0.5}]},
        {"gpus": 1, "duration_s": 3},
    ],
    [{"gpus": 1, "gpu": "v"}, {"gpus": 1, "gpu": "k"}],
)
LIMITED = trace(
    [{"gpus": 1, "duration_s": 2, "group": "g"}, {"gpus": 1, "duration_s": 3, "group": "g"}],
    [2],
    groups=[{"name": "g", "most": 1}],
)


@pytest.mark.parametrize("instance", [KINDS, LIMITED], ids=["kinds", "most"])
@pytest.mark.parametrize("name", all_names("trace"))
def test_kinds_and_limits_are_served_or_refused_before_the_run(
    name: str, instance: TraceInstance
) -> None:
    method = find_method(name, "trace")
    reason = method.refuses(instance)
    if reason is not None:
        assert "GPUs" in reason or "`most`" in reason
        return
    assert check(instance, played(instance, name)).violations == ()
