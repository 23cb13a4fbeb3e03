"""FIFO: order of arrival, a fixed number of workers, held to the end."""

from decimal import Decimal

from online_small import amounts, machine, online, run_checked, training_job, workers_by_slot

from ringyard.policies.online.baselines import FIFO


def test_jobs_come_one_after_the_other_where_only_one_fits() -> None:
    """Four samples take two workers two slots, and two samples one slot; 3 cpu hold 2 workers."""
    jobs = [training_job("a"), training_job("b", samples=2)]
    schedule = run_checked(FIFO, online([machine("m", cpu=3, port=9)], jobs, 3), workers=2)
    assert workers_by_slot(schedule) == {"a": {0: 2, 1: 2}, "b": {2: 2}}


def test_a_job_that_fits_overtakes_only_if_it_may() -> None:
    """`b` waits for the cpu of `a` until slot 2; the last cpu is free for `c` all the time."""
    large = {"worker": amounts(cpu=3), "samples": 2}
    jobs = [training_job("a", **large), training_job("b", **large), training_job("c", samples=1)]
    instance = online([machine("m", cpu=4, port=9)], jobs, 4)
    in_line = run_checked(FIFO, instance, workers=1)
    assert workers_by_slot(in_line) == {"a": {0: 1, 1: 1}, "b": {2: 1, 3: 1}, "c": {2: 1}}
    past = run_checked(FIFO, instance, workers=1, line="overtake")
    assert workers_by_slot(past) == {"a": {0: 1, 1: 1}, "b": {2: 1, 3: 1}, "c": {0: 1}}


def test_an_earlier_arrival_goes_first_whatever_its_place_in_the_file() -> None:
    jobs = [training_job("late", arrival_slot=1), training_job("early")]
    schedule = run_checked(FIFO, online([machine("m", cpu=2, port=9)], jobs, 4), workers=2)
    assert workers_by_slot(schedule) == {"early": {0: 2, 1: 2}, "late": {2: 2, 3: 2}}


def test_a_job_takes_the_machine_that_holds_all_of_it() -> None:
    """The first machine has room for one worker, the second for two with their server."""
    machines = [machine("narrow", cpu=1, port=1), machine("wide", cpu=2, port=1)]
    schedule = run_checked(FIFO, online(machines, [training_job("a")], 9), workers=2)
    (entry, _) = schedule.admissions[0].plan
    assert entry.workers == (("wide", 2),)
    assert entry.servers == (("wide", 1),)


def test_a_job_spreads_where_no_machine_holds_all_of_it() -> None:
    machines = [machine("a", cpu=1, port=1), machine("b", cpu=1, port=1)]
    schedule = run_checked(FIFO, online(machines, [training_job("x")], 9), workers=2)
    assert schedule.admissions[0].plan[0].workers == (("a", 1), ("b", 1))


def test_a_server_finds_its_only_machine_though_the_worker_could_be_there() -> None:
    """The worker fits on both machines, the server on the first alone, and not both there."""
    machines = [machine("first", cpu=2), machine("second", cpu=1)]
    job = training_job("x", server=amounts(cpu=2), workers_per_server=Decimal(1))
    schedule = run_checked(FIFO, online(machines, [job], 4), workers=1)
    assert schedule.admissions[0].plan[0].workers == (("second", 1),)
    assert schedule.admissions[0].plan[0].servers == (("first", 1),)


def test_nobody_waits_for_more_workers_than_there_is_room_for() -> None:
    instance = online([machine("m", cpu=3, port=9)], [training_job("a", samples=6)], 2)
    assert workers_by_slot(run_checked(FIFO, instance, workers=30)) == {"a": {0: 3, 1: 3}}


def test_nobody_takes_more_workers_than_its_batch_or_its_work() -> None:
    jobs = [training_job("batch", samples=8), training_job("work", samples=2, arrival_slot=2)]
    instance = online([machine("m", cpu=9, port=9)], jobs, 9)
    assert workers_by_slot(run_checked(FIFO, instance, workers=9)) == {
        "batch": {0: 4, 1: 4},
        "work": {2: 2},
    }


def test_machines_are_held_for_nothing_by_a_job_that_the_horizon_cuts_off() -> None:
    """Alone, `b` would complete in slot 0; behind `a`, it never starts."""
    a, b = training_job("a", samples=9), training_job("b", samples=1)
    machines = [machine("m", cpu=1, port=1)]
    assert workers_by_slot(run_checked(FIFO, online(machines, [b], 3), workers=1)) == {"b": {0: 1}}
    assert run_checked(FIFO, online(machines, [a, b], 3), workers=1).admissions == ()


def test_a_job_whose_one_worker_needs_too_many_servers_does_not_stop_the_line() -> None:
    """A worker of `a` takes two servers, and there is one port in all."""
    jobs = [training_job("a", workers_per_server=Decimal("0.5")), training_job("b", samples=1)]
    instance = online([machine("m", cpu=4, port=1)], jobs, 3)
    assert workers_by_slot(run_checked(FIFO, instance)) == {"b": {0: 1}}


def test_numbers_of_workers_are_drawn_from_1_to_30() -> None:
    jobs = [training_job(f"j{i}", samples=60, batch_samples=60, arrival_slot=i) for i in range(300)]
    instance = online([machine("m", cpu=10**6, port=10**6)], jobs, 400)
    for seed in range(2):
        schedule = run_checked(FIFO, instance, seed)
        assert {held[i] for i, held in enumerate(workers_by_slot(schedule).values())} == set(
            range(1, 31)
        )
