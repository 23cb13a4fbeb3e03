"""What is chosen of a trace, what is counted, what is rounded."""

from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from foreign_texts import HELIOS, PHILLY, TIRESIAS

HEAD = "job_id,arrival_s,gpus,duration_s\n"
FIVE = HEAD + "a,100,1,10\nb,90,2,10\nc,95.5,4,0.2\nd,130,16,7\ne,100,1,12.5\n"


def names(made: Any) -> str:
    return "".join(job.name for job in made.instance.jobs)


def test_the_first_job_arrives_at_0_and_the_order_of_the_file_stays(bring: Any) -> None:
    jobs = bring("csv", FIVE).instance.jobs
    assert [(job.name, job.arrival_s) for job in jobs] == [
        ("a", 10),
        ("b", 0),
        ("c", 6),
        ("d", 40),
        ("e", 10),
    ]
    kept = bring("csv", FIVE, keep_arrivals=True).instance.jobs
    assert [job.arrival_s for job in kept] == [100, 90, 96, 130, 100]


@pytest.mark.parametrize(
    ("choices", "left", "dropped"),
    [
        ({"first": 3}, "abc", {"after the first 3": 2}),
        ({"first": 9}, "abcde", {}),
        ({"from_s": Decimal(10)}, "ade", {"outside the window": 2}),
        ({"until_s": Decimal(10)}, "bc", {"outside the window": 3}),
        (
            {"from_s": Decimal(5), "until_s": Decimal(40), "first": 2},
            "ac",
            {"outside the window": 2, "after the first 2": 1},
        ),
        ({"largest": "drop", "servers": "2x2"}, "abce", {"more GPUs than the cluster has": 1}),
        (
            {"largest": "drop", "servers": "1x2", "first": 2},
            "ab",
            {"more GPUs than the cluster has": 2, "after the first 2": 1},
        ),
        ({"until_s": Decimal(20), "servers": "2x2"}, "abce", {"outside the window": 1}),
    ],
)
def test_what_is_left_out_is_counted(
    bring: Any, choices: dict[str, Any], left: str, dropped: dict[str, int]
) -> None:
    made = bring("csv", FIVE, **choices)
    assert (names(made), made.dropped) == (left, dropped)
    assert made.read == len(left) + sum(dropped.values())
    assert min(job.arrival_s for job in made.instance.jobs) == 0
    for why, count in dropped.items():
        assert f"{count} ({why})" in made.instance.notes


def test_only_successful_jobs_of_one_virtual_cluster(bring: Any) -> None:
    assert bring("helios", HELIOS, successful=True).dropped == {
        "no GPUs": 1,
        "never ran": 1,
        "not successful": 1,
    }
    made = bring("philly", PHILLY, vc="red")
    assert [job.name for job in made.instance.jobs] == ["a2"]
    assert made.dropped["of another virtual cluster"] == 1


@pytest.mark.parametrize(
    ("tick", "arrivals", "durations", "error"),
    [
        ("1", [10, 0, 6, 40, 10], [10, 10, 1, 7, 12], "0.8"),
        ("0.1", ["10", "0", "5.5", "40", "10"], ["10", "10", "0.2", "7", "12.5"], "0"),
        ("60", [0, 0, 0, 60, 0], [60, 60, 60, 60, 60], "59.8"),
    ],
)
def test_times_are_rounded_to_ticks_and_the_largest_error_is_told(
    bring: Any, tick: str, arrivals: list[Any], durations: list[Any], error: str
) -> None:
    made = bring("csv", FIVE, tick_s=Decimal(tick))
    assert [job.arrival_s for job in made.instance.jobs] == [Decimal(a) for a in arrivals]
    assert [job.duration_s for job in made.instance.jobs] == [Decimal(d) for d in durations]
    assert made.rounding_s == Fraction(error)


def test_what_the_user_says_stands_in_the_instance(bring: Any, tmp_path: Any) -> None:
    law = tmp_path / "law.csv"
    law.write_text("duration\r\n121\r\n0\r\n7.5")
    made = bring(
        "tiresias",
        TIRESIAS,
        law=law,
        racks=2,
        restart_s=Decimal(60),
        resume_s=Decimal(30),
        source="somewhere",
        licence="Apache-2.0",
    )
    instance = made.instance
    assert (instance.law, instance.restart_s, instance.resume) == ((121, Decimal("7.5")), 60, 30)
    assert (instance.source, instance.licence) == ("somewhere", "Apache-2.0")
    assert [server.rack for server in instance.servers] == ["r0", "r1"]
    assert made.remarks == ("past jobs left out of the law: 1 (0 GPU-seconds)",)
