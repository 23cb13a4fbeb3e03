"""Outages under policies: who follows them, who refuses, and what known ones change."""

from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from check.trace.small import job, make_instance, type_of

from ringyard import RefusedError, solve
from ringyard.analysis.trace import metrics_of
from ringyard.cli import main
from ringyard.extensions import policy
from ringyard.families import FAMILIES
from ringyard.instances import Outage, TraceInstance, TraceSchedule
from ringyard.policies.trace.baselines import Sjf, SjfOptions
from ringyard.simulation.trace.simulate import simulate
from ringyard.simulation.trace.views import FULL, Rank

RANKERS = (
    *("2d-las", "fifo", "best-effort", "backfill", "quotas", "yarn-cs", "sjf", "srtf", "srsf"),
    *("las", "2d-gittins", "tiresias-l", "tiresias-g"),
)


def out(server: str, start: int, end: int, *, known: bool = False) -> Outage:
    return Outage(server=server, from_s=Decimal(start), until_s=Decimal(end), known=known)


def runs_of(schedule: TraceSchedule, name: str) -> list[tuple[Any, ...]]:
    """Return the start, the stop and the servers of each run of a job."""
    (entry,) = (entry for entry in schedule.jobs if entry.job == name)
    return [(run.start_s, run.stop_s, *dict(run.gpus)) for run in entry.runs]


def planned(instance: TraceInstance, method: Any) -> TraceSchedule:
    answer = solve(instance, method)
    assert answer.valid, answer.verdict.violations
    return answer.schedule


@pytest.mark.parametrize("method", [method.name for method in FAMILIES["trace"].methods])
def test_a_method_follows_outages_or_refuses_them_in_words(method: str) -> None:
    instance = make_instance({"a0": 1, "b0": 1}, job("x", 1, 5), outages=(out("a0", 2, 9),))
    if method in RANKERS:
        assert runs_of(planned(instance, method), "x") == [(0, 2, "a0"), (2, None, "b0")]
    else:
        with pytest.raises(RefusedError, match="server 'a0' has an outage"):
            solve(instance, method)


def test_the_default_method_follows_outages() -> None:
    instance = make_instance({"a0": 1}, job("x", 1, 5), outages=(out("a0", 2, 9),))
    assert solve(instance).verdict.ends == {"x": 12}


def test_a_known_outage_before_the_limit_is_avoided_where_another_server_is_free() -> None:
    jobs = job("x", 1, 5, limit_s=6), job("y", 1, 3, 1, limit_s=6)
    for known, start, first in (True, 5, "b0"), (True, 6, "a0"), (False, 5, "a0"):
        outages = (out("a0", start, 9, known=known),)
        instance = make_instance({"a0": 1, "b0": 1}, *jobs, outages=outages)
        for method in "backfill", "sjf:by=limit":
            schedule = planned(instance, method)
            assert runs_of(schedule, "x")[0][2] == first
            assert runs_of(schedule, "y")[0][0] == 1, "it starts there even so, and does not wait"
        assert runs_of(planned(instance, "fifo"), "x")[0][2] == "a0", "it knows no limits"


def test_backfill_promises_nothing_while_too_many_servers_are_out() -> None:
    jobs = job("wide", 2, 2, 1), job("x", 1, 4, 1), job("y", 1, 2, 1)
    instance = make_instance({"a0": 1, "b0": 1}, *jobs, outages=(out("a0", 0, 20),))
    for method in "backfill", "backfill:promised=3":
        schedule = planned(instance, method)
        found = [runs_of(schedule, name)[0][0] for name in ("wide", "x", "y")]
        assert found == [20, 1, 5]


def test_lost_work_counts_in_the_rank_of_a_job() -> None:
    """At 6, `x` has lost its 6 ticks of work, so that `y` with 9 ticks goes first."""
    jobs = job("x", 1, 10), job("y", 1, 9, 1)
    outages = (out("a0", 6, 8),)
    for checkpoint, first in (100, "y"), (2, "x"), (None, "x"):
        instance = make_instance({"a0": 1}, *jobs, outages=outages, checkpoint_s=checkpoint)
        schedule = planned(instance, "srtf")
        assert [name for name in "xy" if (8, None, "a0") in runs_of(schedule, name)] == [first]


def test_metrics_have_the_lost_work_and_the_goodput() -> None:
    """A job of two GPUs holds them for 6 s, of whose work 2 s are lost, and then for 6 s."""
    instance = make_instance({"a0": 2}, job("x", 2, 10), outages=(out("a0", 6, 8),), checkpoint_s=4)
    metrics = metrics_of(instance, solve(instance, "fifo").verdict)
    assert (metrics.lost_s, metrics.lost_gpu_s, metrics.goodput) == (2, 4, Fraction(10, 12))


def test_show_has_the_outages(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    outages = out("a0", 6, 8), out("a0", 9, 12, known=True)
    instance = make_instance({"a0": 2}, job("x", 2, 10), outages=outages, checkpoint_s=4)
    instance.save(tmp_path / "small.json")
    assert main(["show", str(tmp_path / "small.json")]) == 0
    words = "outages: 2, 1 known, 10 GPU-seconds, checkpoints after 4 s"
    assert words in capsys.readouterr().out


def test_a_function_of_a_user_follows_outages() -> None:
    jobs = job("x", 2, 4), job("y", 1, 4, 1)
    instance = make_instance({"a0": 1, "b0": 1}, *jobs, outages=(out("a0", 2, 9),))
    schedule = planned(instance, policy("trace")(lambda job: job.arrival))
    assert runs_of(schedule, "x") == [(0, 2, "a0", "b0"), (9, None, "a0", "b0")]
    assert runs_of(schedule, "y") == [(2, None, "b0")]


class Watching(Sjf):
    """Keeps the service of jobs, as it is asked for their ranks."""

    information = FULL

    def __init__(self) -> None:
        super().__init__(SjfOptions())
        self.seen = list[tuple[int, int]]()

    def rank(self, job: Any) -> Rank:
        self.seen.append((job.executed, job.attained))
        return Rank(key=0, until=job.attained + 1)


def test_work_before_time_0_is_lost_as_it_was_counted() -> None:
    """At half its speed, 3 ticks of work were done in 6 ticks. Two more ticks follow until 2."""
    held = {"held": (("a0", 1),), "done_s": 3, "unsaved_s": 6, "unsaved_done_s": 3}
    instance = make_instance(
        {"a0": 1},
        job("x", 1, 10, type="slow", **held),
        types=(type_of("slow", (1, {1: 0.5})),),
        outages=(out("a0", 2, 9),),
        checkpoint_s=20,
    )
    policy = Watching()
    simulate(instance, policy)
    assert policy.seen[:4] == [(3, 3), (4, 4), (0, 0), (0, 0)]
    assert solve(instance, "tiresias-g").valid


def test_a_run_that_stops_before_it_works_loses_nothing() -> None:
    instance = make_instance(
        {"a0": 1},
        job("x", 1, 10),
        outages=(out("a0", 2, 9), out("a0", 10, 20)),
        checkpoint_s=20,
        restart_s=3,
    )
    policy = Watching()
    simulate(instance, policy)
    assert policy.seen[:5] == [(0, 0), (1, 1), (0, 0), (0, 0), (0, 0)]
