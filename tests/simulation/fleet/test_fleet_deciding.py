"""Revisers and deciders are asked when they should be, and told what is true."""

from dataclasses import replace
from importlib import import_module
from typing import Any

import numpy as np
import pytest
from check.fleet.logs import fleet, job
from rental_small import power, stream
from simulation.fleet.by_lot import Lots, plan
from simulation.fleet.by_lot import fleet as by_lot
from simulation.fleet.hand import played, rows, stages, widths

from ringyard.instances import Limits, RefusedError, RentalPlan
from ringyard.simulation.fleet import (
    FleetDecision,
    FleetHistory,
    FleetSetting,
    FleetView,
    simulate,
    simulate_decider,
    stream_of,
)

LINEAR = power(1)
ONE = stream("a", 1, (1, LINEAR))
TWO = stream("a", 1, (1, LINEAR), (1, LINEAR))


class Rising:
    """One GPU for each, two after the first revision."""

    def __init__(self, every: int, plans: list[RentalPlan]) -> None:
        self.every, self.tallies = every, list[FleetHistory]()
        self._plans = plans

    def plan(self, tally: FleetHistory) -> RentalPlan:
        self.tallies.append(tally)
        return self._plans[min(len(self.tallies), len(self._plans)) - 1]


def test_a_reviser_is_told_what_was_seen_by_each_revision() -> None:
    instance = fleet([ONE], job("i", "a", 4), job("j", "a", 4, arrival=7))
    reviser = Rising(5, [widths(a=1)])
    assert played(instance, reviser).end.tolist() == [4, 11]
    told = [
        (one.now, one.spent, one.seen.tolist(), one.done.tolist(), one.worked.tolist())
        for one in reviser.tallies
    ]
    assert told == [
        (0, 0, [0], [0], [[0]]),
        (5, 4000, [1], [1], [[4]]),
        (10, 4000 + 3000, [2], [1], [[4]]),
    ]


def test_a_job_takes_its_new_width_where_its_next_epoch_begins() -> None:
    instance = fleet([TWO], job("j", "a", 8, 8), job("k", "a", 2, 2, arrival=5))
    got = played(instance, Rising(5, [widths(a=stages(1, 1)), widths(a=stages(2, 2))]))
    assert rows(got.runs) == [(0, 0, 8, 1000), (0, 8, 12, 2000), (1, 5, 7, 2000)]


class Noted:
    """Writes down what it sees; gives the first job all that it rents."""

    def __init__(self, interval: int = 0, until: int = 0, rent: int = 2000) -> None:
        self.interval, self.until, self._rent = interval, until, rent
        self.boards: list[FleetView] = []

    def begin(self, setting: FleetSetting) -> None:
        self.setting = setting

    def decide(self, view: FleetView) -> FleetDecision:
        self.boards.append(view)
        held = np.zeros(len(view.jobs), np.int64)
        held[:1] = view.usable(self._rent)
        return FleetDecision(milli=held, rent=self._rent)


def decided(instance: Any, policy: Any, **more: Any) -> Any:
    return simulate_decider(stream_of(instance)[0], policy, keep=True, **more)


def test_a_decider_sees_who_is_there_and_what_they_had() -> None:
    instance = fleet([TWO], job("i", "a", 4, 2), job("j", "a", 2, 2, arrival=1))
    policy = Noted()
    got = decided(instance, policy)
    assert got.end.tolist() == [3, 5]
    told = [
        (b.now, b.jobs.tolist(), b.epoch.tolist(), b.milli.tolist(), b.attained.tolist())
        for b in policy.boards
    ]
    assert told == [
        (0, [0], [0], [0], [0]),
        (1, [0, 1], [0, 0], [2000, 0], [2000, 0]),
        (2, [0, 1], [1, 0], [2000, 0], [4000, 0]),
        (3, [1], [0], [0], [0]),
        (4, [1], [1], [2000], [2000]),
    ]
    assert [b.started.tolist() for b in policy.boards[:2]] == [[False], [True, False]]
    assert rows(got.leases) == [(2000, 0, 5)]
    assert (policy.setting.types, policy.setting.whole) == (instance.types, False)


def test_a_decider_is_asked_at_multiples_of_its_interval_while_jobs_are_there() -> None:
    instance = fleet([ONE], job("i", "a", 14, arrival=1), job("j", "a", 2, arrival=20))
    policy = Noted(interval=3)
    decided(instance, policy)
    assert [b.now for b in policy.boards] == [0, 1, 3, 6, 8, 20]


def test_a_decider_is_not_asked_while_it_stands_still() -> None:
    class Still(Noted):
        """Would say something else from ticks 8 and 18 on, and never again after that."""

        def decide(self, view: FleetView) -> FleetDecision:
            until = next((tick for tick in (8, 18) if tick > view.now), 10**9)
            return replace(super().decide(view), still=until)

    policy = Still(interval=3)
    decided(fleet([ONE], job("i", "a", 54), job("j", "a", 2, arrival=11)), policy)
    # Multiples of 3, and what happens: j comes at 11, i ends at 27, and j at 28.
    assert [b.now for b in policy.boards] == [0, 9, 11, 18, 27]


def test_gpus_are_kept_until_the_tick_that_is_asked_for() -> None:
    got = decided(fleet([ONE], job("j", "a", 4)), Noted(until=50))
    assert rows(got.leases) == [(2000, 0, 50)]


def test_gpus_on_their_way_are_not_usable() -> None:
    instance = fleet([ONE], job("j", "a", 4), provision_s=5)
    policy = Noted()
    assert decided(instance, policy).first.tolist() == [5]
    assert [(b.now, b.rented, b.ready) for b in policy.boards] == [(0, 0, 0), (5, 2000, 2000)]


def test_a_job_that_runs_again_stands_still_first() -> None:
    class Turns(Noted):
        """Stops the job from 2 to 6."""

        def decide(self, view: FleetView) -> FleetDecision:
            held = np.full(len(view.jobs), 0 if 2 <= view.now < 6 else 1000)
            return FleetDecision(milli=held, rent=1000)

    got = decided(fleet([ONE], job("j", "a", 5), rescale_s=3), Turns(interval=2))
    assert rows(got.runs) == [(0, 0, 2, 1000), (0, 6, 12, 1000)]


class Greedy(Noted):
    def decide(self, view: FleetView) -> FleetDecision:
        return FleetDecision(milli=np.full(len(view.jobs), 3000), rent=2000)


def test_who_gives_out_more_than_is_usable_is_refused() -> None:
    with pytest.raises(RefusedError, match="gives out 3000 of 2000 thousandths of GPUs"):
        decided(fleet([ONE], job("j", "a", 4)), Greedy())


def test_who_never_gives_anything_is_refused() -> None:
    with pytest.raises(RefusedError, match="1 jobs are never given any GPUs"):
        decided(fleet([ONE], job("j", "a", 4)), Noted(rent=0))


def test_time_up_and_progress_of_a_plan() -> None:
    instance = fleet([ONE], *(job(f"j{i}", "a", 5, arrival=10 * i) for i in range(300)))
    told: list[int] = []
    assert played(instance, widths(a=1), progress=told.append).finished
    assert told == sorted(told)
    assert 100 < len(set(told)) <= told[-1] == 300
    stopped = played(instance, widths(a=1), limits=Limits(time_s=0))
    assert not stopped.finished
    assert (stopped.end[-1], stopped.first[-1]) == (-1, -1)


def test_time_up_and_progress_of_a_decider(monkeypatch: pytest.MonkeyPatch) -> None:
    module = import_module("ringyard.simulation.fleet.simulate")  # The function has its name.
    monkeypatch.setattr(module, "OFTEN", 10)
    instance = fleet([ONE], *(job(f"j{i}", "a", 5, arrival=10 * i) for i in range(30)))
    told: list[int] = []
    assert decided(instance, Noted(), progress=told.append).finished
    assert told == sorted(set(told))
    assert not decided(instance, Noted(), limits=Limits(time_s=0)).finished


def test_looks_at_the_clock_grow_rare_behind_the_last_arrival() -> None:
    """A job of a billion ticks is not walked through."""
    told: list[int] = []
    got = played(fleet([ONE], job("j", "a", 10**9)), widths(a=1), progress=told.append)
    assert got.end.tolist() == [10**9]
    assert len(told) < 5000


@pytest.mark.parametrize("seed", range(10))
def test_marks_are_the_integrals_of_the_log(seed: int) -> None:
    instance = by_lot(seed)
    stream_, _ = stream_of(instance)
    whole = simulate(stream_, plan(instance, seed), seed=seed)
    marks = np.unique(np.linspace(0, int(whole.end.max()), 9).astype(np.int64))
    for got in (
        simulate(stream_, plan(instance, seed), seed=seed, keep=True, marks=marks),
        simulate_decider(stream_, Lots(seed), keep=True, marks=marks[marks <= whole.end.min()]),
    ):
        for tick, rented, held in got.marks.tolist():
            assert rented == sum(
                gpus * (min(stop, tick) - min(start, tick)) for gpus, start, stop in got.leases
            )
            assert held == sum(
                gpus * (min(stop, tick) - min(start, tick)) for _, start, stop, gpus in got.runs
            )


def test_forgetting_changes_nothing() -> None:
    """Logs and rings outgrow their first room; without a log nothing else differs."""
    jobs = [job(f"j{i:03}", "a", 30 + i % 7, 20 + i % 11, arrival=i) for i in range(400)]
    instance = fleet([TWO], *jobs, rescale_s=2, provision_s=3)
    for terms in ({}, {"billing_s": 16, "node_gpus": 2}):
        own = replace(
            instance,
            **{k: v if k == "node_gpus" else v * instance.tick_s for k, v in terms.items()},
        )
        stream_, _ = stream_of(own)
        kept = simulate(stream_, widths(a=stages(1, 3)), keep=True)
        forgot = simulate(stream_, widths(a=stages(1, 3)))
        assert kept.end.tolist() == forgot.end.tolist()
        assert (kept.paid, forgot.leases.size, forgot.runs.size) == (forgot.paid, 0, 0)
        assert len(kept.runs) == 800
        assert int(kept.held.sum()) == sum(g * (b - a) for _, a, b, g in kept.runs.tolist())


@pytest.mark.parametrize("rent", [2000, 3000])
def test_many_periods_in_which_nothing_happens_are_not_walked_through(rent: int) -> None:
    """A million million ticks of work, billed by three; the last period ends after the last job."""
    instance = fleet([ONE], job("j", "a", 10**12), job("k", "a", 4, arrival=1), billing_s=3)
    got = decided(instance, Noted(rent=rent))
    done = -(-(10**12) // (rent // 1000)) + -(-4 // (rent // 1000))
    assert got.end.max() == done
    assert rows(got.leases) == [(rent, 0, -(-done // 3) * 3)]
    assert got.paid == rent * -(-done // 3) * 3
