"""What holds of every simulation, and how the queue is served."""

from collections.abc import Mapping, Sequence

import numpy as np
import pytest
from check.trace.small import job, make_instance
from simulation.trace.drawn_instances import Drawing, drawn

from ringyard.instances import RefusedError, TraceInstance
from ringyard.policies.trace.baselines import Fifo, TwoDLas
from ringyard.simulation.trace import (
    NONE,
    ClusterView,
    GrantedGpus,
    JobView,
    Rank,
    Ranker,
    Service,
    TraceDecider,
    TraceSetting,
    simulate,
)
from ringyard.simulation.trace.records import EngineLog


def lives(instance: TraceInstance, policy: object, **service: object) -> np.ndarray:
    return simulate(instance, policy, Service(**service)).trace.lives


def runs(trace: EngineLog) -> list[tuple[int, int, int]]:
    """Return job, start and stop of every run."""
    log = trace.log[: trace.counts[0]["logged"]]
    return list(zip(log["job"].tolist(), log["start"].tolist(), log["stop"].tolist(), strict=True))


@pytest.mark.parametrize("seed", range(5))
def test_the_same_twice(seed: int) -> None:
    often = Service(interval=2)
    first, second = (simulate(drawn(seed), Drawing(seed), often).trace for _ in range(2))
    for name in ("lives", "used"):
        assert np.array_equal(getattr(first, name), getattr(second, name))
    assert runs(first) == runs(second)


@pytest.mark.parametrize("seed", range(5))
def test_forgetting_changes_nothing(seed: int) -> None:
    """The log overflows several times; with `keep=False` it stays as short as it began."""
    jobs = [job(f"j{k}", 1 + k % 3, 40, arrival=k, communication=0.5) for k in range(60)]
    instance = make_instance({"a0": 2, "a1": 2}, *jobs, restart_s=seed)
    kept = simulate(instance, TwoDLas(), Service(interval=seed + 1)).trace
    forgot = simulate(instance, TwoDLas(), Service(interval=seed + 1, keep=False)).trace
    others = [name for name in kept.lives.dtype.names if name != "entry"]
    assert np.array_equal(kept.lives[others], forgot.lives[others])
    assert kept.log.size > 2 * forgot.log.size
    assert kept.counts[0]["pieced"] > forgot.counts[0]["pieced"]


@pytest.mark.parametrize("seed", range(20))
def test_nothing_is_lost(seed: int) -> None:
    """Work, service and GPU-time agree with the log; in the end all GPUs are free."""
    instance = drawn(seed)
    played = simulate(instance, Drawing(seed), Service(interval=3))
    trace = played.trace
    log = trace.log[: trace.counts[0]["logged"]]
    for number, life in enumerate(trace.lives):
        own = log[log["job"] == number]
        assert own["start"][0] == life["first"] >= life["arrival"]
        assert (own["start"][1:] >= own["stop"][:-1]).all()
        assert own["stop"][-1] == life["end"]
        assert 0 < life["executed"] <= (own["stop"] - own["start"]).sum()
        assert life["starts"] == own.size
    pieces = trace.gpus[: trace.counts[0]["pieced"]]
    held = [pieces[run["first"] : run["first"] + run["pieces"]].sum() for run in log]
    assert trace.used.sum() == (np.array(held) * (log["stop"] - log["start"])).sum()
    assert trace.counts[0]["free"] == 2 * instance.gpus


class Leader(Ranker):
    """Ranks jobs the other way round."""

    def rank(self, one: JobView) -> Rank:
        return Rank(key=-one.number)


class Polite(Leader):
    preempts = False


def test_whoever_may_not_stop_others_waits() -> None:
    instance = make_instance({"a0": 1}, job("a", 1, 5), job("b", 1, 2, arrival=1))
    assert lives(instance, Leader())["end"].tolist() == [7, 3]
    assert lives(instance, Polite())["end"].tolist() == [5, 7]


def test_who_blocks_lets_nobody_pass() -> None:
    jobs = job("a", 1, 5), job("wide", 2, 2, arrival=1), job("b", 1, 2, arrival=2)

    class Open(Fifo):
        blocks = False

    assert lives(make_instance({"a0": 2}, *jobs), Fifo())["end"].tolist() == [5, 7, 9]
    assert lives(make_instance({"a0": 2}, *jobs), Open())["end"].tolist() == [5, 7, 4]


def test_ends_come_before_starts_at_the_same_tick() -> None:
    instance = make_instance({"a0": 1}, job("a", 1, 3), job("b", 1, 2, arrival=3))
    assert lives(instance, Fifo())["first"].tolist() == [0, 3]


def test_between_events_the_queue_is_served_at_multiples_of_the_interval() -> None:
    """Nothing happens from 0 to 9, but ranks change: `b` has its turns from 4 and from 12."""
    instance = make_instance({"a0": 1}, job("a", 1, 8), job("b", 1, 6))
    assert runs(simulate(instance, TwoDLas(), Service(interval=4)).trace) == [
        (0, 0, 4),
        (1, 4, 8),
        (0, 8, 12),
        (1, 12, 14),
    ]


def test_in_rounds_nothing_starts_between() -> None:
    """`a` ends at 3; `b` starts at 4, and `c`, who arrives at 5, at 8."""
    instance = make_instance({"a0": 1}, job("a", 1, 3), job("b", 1, 1), job("c", 1, 1, arrival=5))
    trace = simulate(instance, Fifo(), Service(interval=4, events=False)).trace
    assert trace.lives["first"].tolist() == [0, 4, 8]


class Nobody(TraceDecider):
    """Lets nobody run."""

    information = NONE

    def begin(self, setting: object) -> None:
        pass

    def decide(self, jobs: Sequence[JobView], cluster: ClusterView) -> Mapping[int, GrantedGpus]:
        return {}


def test_who_waits_for_ever_is_named() -> None:
    instance = make_instance({"a0": 1}, *(job(f"j{k}", 1, 1) for k in range(5)))
    with pytest.raises(
        RefusedError, match=r"never lets j0, j1, j2 and 2 more run, so choose another"
    ):
        simulate(instance, Nobody())


class Alternating(TraceDecider):
    """Lets the first and the second job run in turn, and may say when it decides anew."""

    information = NONE

    def __init__(self, *, says: bool) -> None:
        self._says, self.asked = says, list[int]()

    def begin(self, setting: TraceSetting) -> None:
        self._setting = setting

    def decide(self, jobs: Sequence[JobView], cluster: ClusterView) -> Mapping[int, GrantedGpus]:
        turn = self._setting.now // 10
        self.asked.append(self._setting.now)
        self.again = 10 * (turn + 1) if self._says else 0
        return {jobs[turn % len(jobs)].number: GrantedGpus(1)} if jobs else {}


def test_who_says_when_to_decide_anew_is_asked_then_and_when_something_happens() -> None:
    instance = make_instance({"a0": 1}, job("a", 1, 25), job("b", 1, 12, arrival=3))
    asked = {}
    for says in (False, True):
        policy = Alternating(says=says)
        trace = simulate(instance, policy, Service(interval=2)).trace
        asked[says] = policy.asked, trace.lives["end"].tolist()
    assert asked[True][1] == asked[False][1] == [37, 32]
    assert asked[True][0] == [0, 3, 10, 20, 30, 32, 37]
    assert len(asked[False][0]) > 15


class Watcher(Leader):
    """Notes what it sees of jobs, after their first start and when they wait again."""

    starts = wakes = True

    def __init__(self) -> None:
        self.seen: list[tuple[str, bool, int, int, int]] = []

    def rank(self, one: JobView) -> Rank:
        self.seen.append((one.name, one.running, one.executed, one.attained, one.waiting_since))
        return Rank(key=-one.number, wake=0 if one.running else 99)


def test_a_policy_sees_that_a_job_was_stopped() -> None:
    """`a` has worked for 3 ticks on 2 GPUs, and waits since then."""
    instance = make_instance({"a0": 2}, job("a", 2, 5), job("b", 2, 2, arrival=3))
    watcher = Watcher()
    trace = simulate(instance, watcher).trace
    assert trace.lives["end"].tolist() == [7, 5]
    assert watcher.seen[1] == ("a", True, 3, 6, 0)
    assert watcher.seen[-1] == ("a", False, 3, 6, 3)
