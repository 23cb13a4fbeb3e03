"""Plans as lines for runs: what is written comes back, and what is wrong has its line."""

from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from simulation.trace.drawn_instances import in_kinds
from simulation.trace.test_trace_agreement import drawn_policy
from strategies import makespan_instances, makespan_schedules
from written_runs import lost

from ringyard.families import family_of
from ringyard.families.family import RunRow
from ringyard.instances import InputError
from ringyard.instances.importers.runs import (
    Clock,
    read_job_ids,
    read_runs,
    run_lines,
    slurm_lines,
)
from ringyard.instances.makespan import makespan
from ringyard.instances.trace import trace
from ringyard.instances.trace.mix import random_trace
from ringyard.simulation.trace import simulate
from ringyard.simulation.trace.records import to_schedule

TRACE = trace([{"gpus": 2, "duration_s": 10}, {"gpus": 4, "duration_s": 6}], {"a": 2, "b;=1": 4})
RINGS = makespan([{"gpus": 2, "iterations": 3, "backward_s": 1}], [2], slot_s=Decimal(3))
HEAD = "job,start_s,end_s,servers\n"
NOON = Clock.of("2024-03-01T12:00", "test")


@pytest.mark.parametrize("index", range(40))
def test_runs_of_any_trace_come_back(index: int) -> None:
    instance = random_trace(7, index)
    if index % 4 == 0:
        instance = in_kinds(instance, Random(index))
    policy, service = drawn_policy(index, instance)
    schedule = to_schedule(instance, simulate(instance, policy, service).trace, "drawn")
    assert lost(instance, schedule) == []


@given(st.data())
def test_assignments_of_any_rings_come_back(data: st.DataObject) -> None:
    instance = data.draw(makespan_instances())
    schedule = data.draw(makespan_schedules(instance, latest=12))
    assert lost(instance, schedule) == []


def read(folder: Path, text: str, instance: Any = TRACE, clock: Clock | None = None) -> Any:
    """Read a CSV of runs."""
    file = folder / "runs.csv"
    file.write_text(text)
    return read_runs(file, instance, clock)


def test_a_table_by_hand_needs_no_ends_and_no_order(tmp_path: Path) -> None:
    text = 'servers,job,start_s\n"a=1;""b;=1=1""",j0,2\nb;=1=4,j1,1e1\n'
    text = text.replace("b;=1=4", '"""b;=1=4"""')
    plan = read(tmp_path, text)
    assert [(own.job, own.runs[0].gpus, own.end_s) for own in plan.jobs] == [
        ("j0", (("a", 1), ("b;=1", 1)), None),
        ("j1", (("b;=1", 4),), None),
    ]


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("j9,0,9,a=2", "line 2, job: found 'j9', expected a job of the instance. Correct it, or"),
        (",0,9,a=2", "line 2, job: found an empty cell"),
        ("j0,0,9,c=2", "line 2, servers: found 'c', expected servers of the instance"),
        ("j0,0,9,a", "line 2, servers: found 'a', expected servers and their GPUs"),
        ("j0,0,9,a=0", "line 2, servers: found 'a=0'"),
        ("j0,0,9,", "line 2, servers: found ''"),
        ("j0,0,9,a=1;a=1", "line 2, servers: found 'a=1;a=1', expected server a once"),
        ("j0,,9,a=2", "line 2, start_s: found an empty cell"),
        ("j0,x,9,a=2", "line 2, start_s: found 'x', expected a number of seconds"),
        ("j0,-1,9,a=2", "line 2, start_s: found '-1', expected a time from time 0 on"),
        ("j0,0.5,9,a=2", "line 2, start_s: found '0.5', expected a multiple of 1 s"),
        ("j0,0,9.25,a=2", "line 2, end_s: found '9.25', expected a multiple of 1 s"),
        ("j0,9,9,a=2", "line 2, end_s: found '9', expected a time after the start"),
        ("j0,0,9", "line 2: found 3 cells, expected 4 cells, as in the header"),
        ("j0,0,,a=2\nj0,5,9,a=2", "line 2: found nothing, expected an end, because"),
    ],
)
def test_a_wrong_line_is_named(tmp_path: Path, line: str, complaint: str) -> None:
    with pytest.raises(InputError) as caught:
        read(tmp_path, f"{HEAD}{line}\n")
    assert str(caught.value).startswith(f"{tmp_path / 'runs.csv'}: {complaint}")


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "file: found an empty file"),
        ("job,start_s\nj0,0\n", "line 1: found nothing, expected a column servers"),
        ("job,start,servers\nj0,2024-03-01T12:00,a=2\n", "--epoch: found nothing, expected the"),
        (f"gpus,share,{HEAD}3,half,j0,0,9,a=2\n", "line 2, gpus: found '3', expected 2, the GPUs"),
        (f"gpus,share,{HEAD}2,most,j0,0,9,a=2\n", "line 2, share: found 'most', expected whole or"),
    ],
)
def test_a_wrong_table_is_refused(tmp_path: Path, text: str, complaint: str) -> None:
    with pytest.raises(InputError) as caught:
        read(tmp_path, text)
    assert str(caught.value).startswith(f"{tmp_path / 'runs.csv'}: {complaint}")


@pytest.mark.parametrize(
    ("cells", "complaint"),
    [
        ("2024-03-01T12:00:00+01:00,", "expected a date and time such as 2024-03-01T08:00+01:00, "),
        ("1.3.2024 12:00,", "expected a date and time"),
        ("2024-13-01T12:00,", "expected a date and time"),
        ("2024-03-01T11:59:59,", "expected a time from time 0 on"),
        ("2024-03-01T12:00:00.5,", "expected a multiple of 1 s"),
        ("2024-03-01T12:00:01,2", "expected the time of start_s, 2 s after --epoch"),
        (",2", "start: found an empty cell"),
    ],
)
def test_dates_are_checked(tmp_path: Path, cells: str, complaint: str) -> None:
    with pytest.raises(InputError) as caught:
        read(tmp_path, f"start,start_s,job,servers\n{cells},j0,a=2\n", clock=NOON)
    assert complaint in str(caught.value)


def test_a_start_in_continuous_time_needs_a_decimal_number_of_slots(tmp_path: Path) -> None:
    rings = replace(RINGS, progress="continuous")
    with pytest.raises(InputError, match="a decimal number of at most 1e15 times 3 s"):
        read(tmp_path, f"{HEAD}j0,1,,s0=2\n", rings)
    made = read(tmp_path, f"{HEAD}j0,0.3,,s0=2\n", rings)
    assert made.assignments[0].start_slot == Decimal("0.1")


def test_an_epoch_is_checked_and_keeps_its_offset() -> None:
    for text in ("noon", "2024-03-01", "2024-02-30T08:00", "2024-03-01T08:00+25:00"):
        with pytest.raises(InputError, match="--epoch: found"):
            Clock.of(text, "test")
    clock = Clock.of("2024-12-31T23:59:59.5Z", "test")
    assert clock.text(Fraction(1, 2)) == "2025-01-01T00:00:00+00:00"
    assert clock.text(Fraction(3, 4)) == "2025-01-01T00:00:00.25+00:00"
    with pytest.raises(InputError, match="before the year 10000"):
        clock.text(Fraction(10**15))


ROWS = (
    RunRow("70", Fraction(0), Fraction(5), (("n3", 1),), begun=True, going=True),
    RunRow("69", Fraction(1), Fraction(9), (("n4", 1),), begun=True),
    RunRow("71", Fraction(0), Fraction(20), (("n1", 4),)),
    RunRow("72_3", Fraction(5, 2), Fraction(9), (("n2", 2), ("n3", 1))),
    RunRow("71", Fraction(30), Fraction(40), (("n2", 4),)),
)


def test_commands_for_slurm_have_starts_and_nodes() -> None:
    assert slurm_lines("x", ROWS, NOON, None).splitlines() == [
        "# 4 jobs of x; time 0 is 2024-03-01T12:00:00",
        "# 70 runs on n3  # GPUs: 1 on n3",
        "scontrol update JobId=71 StartTime=2024-03-01T12:00:00 ReqNodeList=n1  # GPUs: 4 on n1",
        "# at 2024-03-01T12:00:00: scontrol requeue 69 && scontrol update JobId=69"
        " StartTime=2024-03-01T12:00:01 ReqNodeList=n4  # GPUs: 1 on n4",
        "scontrol update JobId=72_3 StartTime=2024-03-01T12:00:03 ReqNodeList=n2,n3"
        "  # GPUs: 2 on n2, 1 on n3",
        "# at 2024-03-01T12:00:20: scontrol requeue 71 && scontrol update JobId=71"
        " StartTime=2024-03-01T12:00:30 ReqNodeList=n2  # GPUs: 4 on n2",
    ]


def test_jobs_of_slurm_have_ids(tmp_path: Path) -> None:
    rows = [RunRow("bert", Fraction(0), Fraction(1), (("n 1", 1),))]
    with pytest.raises(InputError) as caught:
        slurm_lines("x", rows, NOON, None)
    assert [one.path for one in caught.value.problems] == ["job", "server"]
    file = tmp_path / "ids.csv"
    file.write_text("job,job_id\nbert,71\n")
    assert read_job_ids(file) == {"bert": "71"}
    with pytest.raises(InputError, match="--job-ids: found nothing, expected an id of job 'bert'"):
        slurm_lines("x", rows, NOON, {})
    file.write_text("job,job_id\nbert,a\nbert,71\n")
    with pytest.raises(InputError) as caught:
        read_job_ids(file)
    assert [one.path for one in caught.value.problems] == ["line 2, job_id", "line 3, job"]


def test_runs_are_in_order_of_their_starts() -> None:
    lines = run_lines(reversed(ROWS), None).splitlines()
    assert lines[0] == "job,start_s,end_s,gpus,servers"
    assert lines[1:3] == ["71,0,20,4,n1=4", "70,0,5,1,n3=1"]
    assert lines[3:] == ["69,1,9,1,n4=1", "72_3,2.5,9,3,n2=2;n3=1", "71,30,40,4,n2=4"]


def test_a_job_that_runs_at_time_0_is_requeued_unless_it_goes_on() -> None:
    jobs = [{"gpus": 2, "duration_s": 9, "done_s": 4, "held": {"a": 2}}]
    instance = trace([*jobs, {"gpus": 2, "duration_s": 2}], {"a": 2, "b": 2})
    runs = family_of(instance).runs
    assert runs is not None
    rows = [RunRow("j0", Fraction(at), None, ((server, 2),)) for at, server in ((0, "a"), (3, "a"))]
    found = []
    for row in (*rows, rows[0]._replace(gpus=(("b", 2),))):
        plan = runs.schedule(instance, [row, RunRow("j1", Fraction(9), None, (("b", 2),))])
        back = list(runs.rows(instance, plan, {"j0": Fraction(20), "j1": Fraction(20)}))
        found.append([(one.begun, one.going) for one in back])
    assert found == [[(True, True), (False, False)]] + 2 * [[(True, False), (False, False)]]
