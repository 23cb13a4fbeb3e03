"""Instances written in Python: short forms, the same as a file's, faults with their place."""

import gc
from decimal import Decimal
from fractions import Fraction
from itertools import count, repeat
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import polars
import pytest

import ringyard
from ringyard.families import FAMILIES
from ringyard.instances import Linear, RingJob, Server, TraceInstance
from ringyard.instances.building import from_columns
from ringyard.instances.trace import Width

JOBS: dict[str, Any] = {
    "wide": {"gpus": 6, "iterations": 40, "gradient_gb": 0.3, "backward_s": 0.5},
    "solo": {"gpus": 1, "iterations": 80, "backward_s": 0.5},
}

CASES: dict[str, tuple[Any, dict[str, Any]]] = {
    "makespan": (ringyard.makespan, {"jobs": JOBS, "servers": [4, 4]}),
    "online": (
        ringyard.online,
        {
            "jobs": [{"samples": 100, "batch_samples": 4, "sample_s": 0.1}],
            "machines": [4, 4],
            "horizon_slots": 40,
        },
    ),
    "reserved": (
        ringyard.reserved,
        {"jobs": [{"most_workers": 3}], "machines": [2, 2], "horizon_slots": 4},
    ),
    "trace": (
        ringyard.trace,
        {"jobs": [{"gpus": 2, "duration_s": 60}], "servers": {"left": 4, "right": 4}},
    ),
    "rental": (
        ringyard.rental,
        {"types": [{"rate_per_h": 2, "work_h": 0.5, "speedup": 0.6}], "budget_gpus": 3},
    ),
    "fleet": (
        ringyard.fleet,
        {
            "types": {"bert": {"rate_per_h": 2, "work_h": 0.5, "speedup": {1: 1, 2: 1.8, 4: 3}}},
            "jobs": [{"type": "bert", "work_s": 600}, {"type": "bert", "work_s": [900]}],
            "budget_gpus": 4,
            "span_s": 3600,
        },
    ),
    "coded": (ringyard.coded, {"workers": 5}),
    "shuffle": (ringyard.shuffle, {"rows": 4, "workers": [([0, 1], [2]), ([2, 3], [0])]}),
    "transfers": (
        ringyard.transfers,
        {
            "updates": [("w0", 0.5), ("w1", 0.25)],
            "links": [("w0", "ps", 1), ("w1", "ps", 1.25)],
            "server": "ps",
            "drop_s": 10,
        },
    ),
}
"""What a person writes by hand for each family."""


def test_every_family_can_be_written() -> None:
    assert set(CASES) == set(FAMILIES)


@pytest.mark.parametrize("kind", CASES)
def test_what_is_written_is_saved_solved_and_read_again(kind: str, tmp_path: Path) -> None:
    build, fields = CASES[kind]
    instance = build(**fields)
    assert isinstance(instance, FAMILIES[kind].instance)
    assert instance.name == kind
    instance.save(tmp_path / "one.json")
    assert ringyard.load(tmp_path / "one.json") == instance
    answer = ringyard.solve(instance, FAMILIES[kind].default, time_limit=1e-9)
    assert answer.verdict is None or answer.valid


@pytest.mark.parametrize("kind", CASES)
def test_a_misspelt_field_is_told_of(kind: str) -> None:
    build, fields = CASES[kind]
    with pytest.raises(ringyard.InputError, match=f"ringyard.{kind}: titel: .* mean 'title'"):
        build(**fields, titel="x")


def test_short_forms_are_what_a_file_says() -> None:
    short = ringyard.makespan(JOBS, [4, 4], name="first", inter_bandwidth_gb_s=1)
    assert [server.name for server in short.cluster.servers] == ["s0", "s1"]
    wide = short.jobs[0]
    assert (wide.name, wide.gpus, wide.gradient_gb) == ("wide", 6, Decimal("0.3"))
    rows = [{"name": name, **fields} for name, fields in JOBS.items()]
    assert (
        ringyard.makespan(rows, {"s0": 4, "s1": {"gpus": 4}}, name="first", inter_bandwidth_gb_s=1)
        == short
    )
    entities = ringyard.makespan(short.jobs, short.cluster.servers, inter_bandwidth_gb_s=1)
    assert entities == ringyard.makespan(JOBS, [4, 4], inter_bandwidth_gb_s=Fraction(1))


@pytest.mark.parametrize(
    "number", [0.5, Decimal("0.5"), Fraction(1, 2), np.float64(0.5), np.float32(0.5)]
)
def test_numbers_of_any_sort_are_taken_as_written(number: Any) -> None:
    instance = ringyard.makespan(
        [{"gpus": 1, "iterations": np.int64(3), "backward_s": number}], [1]
    )
    assert instance.jobs[0].backward_s == Decimal("0.5")
    assert instance.jobs[0].iterations == 3


def test_a_decimal_fraction_stays_exact() -> None:
    instance = ringyard.trace([{"gpus": 1, "duration_s": 0.3}], [1], tick_s=0.1)
    assert instance.jobs[0].duration_s == Decimal("0.3")


@pytest.mark.parametrize("package", [pandas, polars])
def test_rows_may_be_a_data_frame(package: Any) -> None:
    table = package.DataFrame(
        {"name": ["a", "b"], "gpus": [2, 1], "duration_s": [60, 30], "arrival_s": [None, 5.0]}
    )
    instance = ringyard.trace(table, [2])
    assert isinstance(instance, TraceInstance)
    assert [(job.name, job.gpus, job.arrival_s) for job in instance.jobs] == [
        ("a", 2, 0),
        ("b", 1, 5),
    ]


def test_a_column_of_a_data_frame_is_a_list() -> None:
    instance = ringyard.trace([{"gpus": 2, "duration_s": 6}], pandas.Series([4, 2]))
    assert [server.gpus for server in instance.servers] == [4, 2]


def test_the_order_of_a_set_does_not_change_with_the_process() -> None:
    servers = [{"gpus": 1, "region": name} for name in "abcdef"]
    job = {"gpus": 1, "duration_s": 1, "allowed_regions": set("fbdeca")}
    assert ringyard.trace([job], servers).jobs[0].allowed_regions == tuple("abcdef")


def test_utilities_and_gains_in_short() -> None:
    job = {"samples": 100, "batch_samples": 4, "sample_s": 0.1}
    law = Linear(value=Decimal(5), loss_per_slot=Decimal(1))
    jobs = [job, {**job, "utility": 7}, {**job, "utility": (7, 3)}, {**job, "utility": law}]
    instance = ringyard.online(jobs, [4], horizon_slots=20)
    assert [[one.utility.at(n) for n in (3, 4, 20)] for one in instance.jobs] == [
        *([1, 1, 1], [7, 7, 7], [7, 0, 0], [2, 1, 0])
    ]
    rings = ringyard.reserved([{"most_workers": 4, "gain": 3}], [4], horizon_slots=2)
    assert rings.jobs[0].worth(4) == 6


def test_measured_times_are_a_list() -> None:
    instance = ringyard.coded(3, [1, 1, 2.5])
    assert instance.time.times_s == (1, 1, Decimal("2.5"))  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("write", "message"),
    [
        (
            lambda: ringyard.makespan({"wide": {"gpus": 9, "iterations": 4, "backward_s": 1}}, [4]),
            r"jobs\['wide'\].gpus: found 9, expected at most 4, all GPUs of the cluster",
        ),
        (
            lambda: ringyard.makespan([{"gpus": 1, "iteration": 4, "backward_s": 1}], [4]),
            r"ringyard.makespan: jobs\[0\].iteration: .* Did you mean 'iterations'",
        ),
        (lambda: ringyard.makespan(JOBS, [0]), r"makespan: servers\[0\].gpus: found 0, .* Raise"),
        (
            lambda: ringyard.makespan(JOBS, [4, 4], inter_bandwidth_gb_s=float("nan")),
            "inter_bandwidth_gb_s: found nan, .* Write a finite number",
        ),
        (lambda: ringyard.makespan([7], [4]), r"jobs\[0\]: found 7, expected an object"),
        (lambda: ringyard.makespan(JOBS, 2), r"servers: found 2, .* Put the elements in \[ \]"),  # type: ignore[arg-type]
        (lambda: ringyard.makespan([], [4]), "jobs: found an empty list, .* Add at least one"),
        (
            lambda: ringyard.makespan([{"name": "j1", **JOBS["solo"]}, JOBS["solo"]], [4]),
            r"jobs\[1\].name: found 'j1', expected a name other than in jobs\[0\]",
        ),
        (
            lambda: ringyard.trace([{"gpus": 1, "duration_s": Fraction(1, 3)}], [4]),
            r"jobs\[0\].duration_s: found 1/3 \(Fraction\), expected a number above 0",
        ),
        (
            lambda: ringyard.rental([{"rate_per_h": 1, "speedup": 0.5}], budget_gpus=1),
            r"types\[0\].epochs\[0\].work_h: found nothing, .* Add \"work_h\"",
        ),
        (
            lambda: ringyard.transfers([("w0", 1)], [("w0", "ps")], server="ps", drop_s=1),
            r"links\[0\]: found a list of 2, expected an object",
        ),
    ],
)
def test_faults_name_the_place_as_it_was_written(write: Any, message: str) -> None:
    with pytest.raises(ringyard.InputError, match=message):
        write()


def test_all_faults_are_told_at_once() -> None:
    jobs = [{"gpus": -1, "iterations": 1, "backward_s": 1}, {"gpus": 1, "iterations": "2"}]
    with pytest.raises(ringyard.InputError) as caught:
        ringyard.makespan(jobs, [4])
    assert [problem.path for problem in caught.value.problems] == [
        "jobs[0].gpus",
        "jobs[1].iterations",
    ]


def test_entities_with_numbers_in_floating_point_are_read_as_well() -> None:
    job = RingJob(name="a", gpus=1, iterations=2, backward_s=0.1)  # type: ignore[arg-type]
    instance = ringyard.makespan([job], [Server(name="left", gpus=2)])
    assert instance.jobs[0].backward_s == Decimal("0.1")
    assert instance.cluster.servers[0].name == "left"


@pytest.mark.parametrize("word", ["inter_bandwith_gb_s", "inter_bandwidth"])
def test_a_field_that_there_is_not_is_told_with_those_of_the_function(word: str) -> None:
    with pytest.raises(ringyard.InputError, match="Did you mean 'inter_bandwidth_gb_s'") as error:
        ringyard.makespan([{"gpus": 1, "iterations": 1, "backward_s": 1}], [4], **{word: 3})
    assert "cluster" not in str(error.value)


def test_entities_of_columns_are_those_of_calls() -> None:
    """Columns may be longer than asked for. Nothing else than garbage collection may change."""
    columns: dict[str, Any] = {
        "gpus": [1, 2, 3],
        "speed": map(Decimal, count(1)),
        "gpu": repeat(None),
    }
    made = from_columns(Width, 2, **columns)
    assert made == [Width(gpus=n, speed=Decimal(n)) for n in (1, 2)]
    assert gc.isenabled()
    with pytest.raises(KeyError, match="speed"):
        from_columns(Width, 2, gpus=[1, 2])
    assert gc.isenabled()
