"""Gandiva's jobs take turns, share GPUs only where that pays, and move to fewer servers."""

from typing import Any

import pytest
from check.trace.small import job, make_instance
from policies.trace.played import ends, mean_jct, played
from simulation.trace.drawn_instances import drawn

import ringyard
from ringyard.analysis.check import check
from ringyard.policies.trace.gandiva import ReleasedGandiva
from ringyard.policies.trace.node_sets import (
    NodeSet,
    NodeSetKind,
    NodeSets,
    Unit,
    servers_for,
    slots_of,
)

TURN = "gandiva:interval_s=2"


def runs(instance, method, name):
    return next(own.runs for own in played(instance, method).jobs if own.job == name)


def test_two_jobs_take_turns():
    instance = make_instance({"a": 1}, job("x", 1, 4), job("y", 1, 4))
    assert ends(instance, TURN) == {"x": 6, "y": 8}
    assert [run.start_s for run in runs(instance, TURN, "x")] == [0, 4]


def test_a_turn_is_ten_times_as_long_as_running_again_costs():
    instance = make_instance({"a": 1}, job("x", 1, 40), job("y", 1, 40), restart_s=2)
    assert [run.start_s for run in runs(instance, TURN, "x")] == [0, 40, 80]


@pytest.mark.parametrize(("speed", "together"), [(0.9, True), (0.4, False)])
def test_jobs_share_their_gpus_for_longer_than_a_turn_only_if_that_pays(speed, together):
    mates = [job(name, 1, 18, packed_speed=speed) for name in "xy"]
    instance = make_instance({"a": 1}, *mates)
    shared = [run for run in runs(instance, TURN, "x") if run.share == "half"]
    assert shared[0].start_s == 0
    assert shared[0].stop_s == (None if together else 2)
    assert len(shared) == 1
    apart = mean_jct(instance, TURN + ":packing=no")
    assert (mean_jct(instance, TURN) < apart) == together


def test_jobs_that_cannot_share_never_do():
    instance = make_instance({"a": 1}, job("x", 1, 8, packed_speed=0.9), job("y", 1, 8))
    shares = {run.share for own in played(instance, TURN).jobs for run in own.runs}
    assert shares == {"whole"}


@pytest.mark.parametrize("communication", [0, 1])
def test_a_job_moves_to_fewer_servers_when_they_are_free_which_pays_if_it_exchanges(communication):
    wide = job("x", 4, 40, 1, communication=communication)
    instance = make_instance({"a": 4, "b": 2, "c": 2}, job("first", 4, 6), wide, restart_s=1)
    method = "gandiva:interval_s=60"
    # The first job takes all of a, so that the second begins across b and c.
    assert [run.gpus for run in runs(instance, method, "x")] == [(("b", 2), ("c", 2)), (("a", 4),)]
    moves, stays = mean_jct(instance, method), mean_jct(instance, method + ":migration=no")
    assert (moves < stays) == (communication > 0)


def test_slots_are_disjoint_and_fill_servers_one_by_one():
    assert slots_of({0: 4, 1: 4}, 2) == [{0: 2}, {0: 2}, {1: 2}, {1: 2}]
    assert slots_of({0: 4, 1: 4, 2: 4}, 6) == [{0: 4, 1: 2}, {1: 2, 2: 4}]


def test_a_new_set_takes_the_server_that_wastes_least_else_the_largest():
    assert servers_for({0: 8, 1: 5, 2: 4}, 4) == {2: 4}
    assert servers_for({0: 3, 1: 5, 2: 4}, 8) == {1: 5, 2: 4}
    assert servers_for({0: 3}, 4) is None


def test_who_had_a_turn_waits_and_slots_are_kept():
    own = NodeSet(NodeSetKind(1), {0: 2}, [Unit([k]) for k in range(3)])
    assert [unit.jobs for unit, _ in own.running()] == [[0], [1]]
    own.rotate()
    assert [unit.jobs for unit, _ in own.running()] == [[2], [0]]


def test_widths_get_servers_in_proportion_to_what_they_ask_for():
    sets = NodeSets(dict.fromkeys(range(4), 2), [range(4)])
    for number in range(8):
        sets.admit(number, NodeSetKind(1))
    for number in range(8, 12):
        sets.admit(number, NodeSetKind(2))
    assert [own.width for own in sets.sets] == [1, 1, 1, 1]
    sets.share_out({NodeSetKind(1): 8, NodeSetKind(2): 8})
    assert sorted(own.width for own in sets.sets) == [1, 1, 2, 2]


@pytest.mark.parametrize("seed", range(20))
def test_every_random_instance_is_finished_by_the_rules(seed):
    instance = drawn(seed)
    method = f"gandiva:interval_s={3 * instance.tick_s}"
    verdict = check(instance, played(instance, method))
    assert verdict.violations == ()
    assert len(verdict.ends) == len(instance.jobs)


def test_checks_leave_time_to_work_after_restarts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Restarts take 60 s. If every check moved jobs 10 s after the last one, none would end."""
    decide, asked = ReleasedGandiva.decide, list[int]()

    def counted(self: ReleasedGandiva, *given: Any) -> Any:
        asked.append(1)
        assert len(asked) <= 10_000, "the jobs do not end"
        return decide(self, *given)

    monkeypatch.setattr(ReleasedGandiva, "decide", counted)
    instance = ringyard.generate("tiresias", seed=3, jobs=200, servers=15)
    assert ringyard.solve(instance, "gandiva:rules=released").valid
