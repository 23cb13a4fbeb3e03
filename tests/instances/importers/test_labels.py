"""Groups, waits, limits and deadlines of a log come along, and an invalid one costs no job."""

from decimal import Decimal
from typing import Any

import pytest
from foreign_texts import CHRONUS, ELASTICFLOW, HELIOS, PAI, PHILLY

from ringyard.instances.importers.assemble import import_text

LABELS = ("group", "priority", "limit_s", "due_s", "waited_s")
SLURM = """\
JobID|Submit|Start|Elapsed|Timelimit|State|AllocTRES|Account|User|QOS
7|2024-03-01T08:00:00|2024-03-01T08:10:00|05:00:00|1-00:00:00|NODE_FAIL|gres/gpu=8|nlp|ann|high
7|2024-03-01T08:00:00|2024-03-01T14:00:00|09:00:00|1-00:00:00|COMPLETED|gres/gpu=8|nlp|ann|high
8|2024-03-01T08:00:30|2024-03-01T08:00:30|01:00:00|UNLIMITED|COMPLETED|gres/gpu=1|cv|bob|low
9|2024-03-01T08:01:00|Unknown|01:00:00||COMPLETED|gres/gpu=1|||
"""
WAITED = PAI.replace("group", "wait_time").replace(",g\n", ",4\n")
SOFT = CHRONUS.replace("5,10,0,strict", "5-9,10-3,0,soft", 1).replace("10,0,strict", "10,1,best")


def labels(made: Any) -> dict[str, tuple[Any, ...]]:
    return {job.name: tuple(getattr(job, name) for name in LABELS) for job in made.instance.jobs}


def test_slurm_says_who_waited_and_for_how_long(bring: Any) -> None:
    """The first attempt of job 7 started after 600 s; the later one is no new wait."""
    made = bring("sacct", SLURM, qos="high=2,low=-1")
    assert labels(made) == {
        "7": ("nlp", 2, 86_400, None, 600),
        "8": ("cv", -1, None, None, 0),
        "9": (None, 0, None, None, None),
    }
    assert made.unused == ("User",)
    by_user = labels(bring("sacct", SLURM, group="User"))
    assert [found[0] for found in by_user.values()] == ["ann", "bob", None]


@pytest.mark.parametrize(
    ("format", "text", "found"),
    [
        # In Philly's log a1 was submitted at 01:00:00 and a2 at 01:00:05; both began at 01:00:10.
        ("philly", PHILLY, [("blue", 0, None, None, 10), ("red", 0, None, None, 5)]),
        ("helios", HELIOS, [("vcA", 0, None, None, 0), ("vcB", 0, None, None, 0)]),
        ("pai", WAITED, [("u1", 0, None, None, 4)] * 2),
        # ElasticFlow's deadlines count from the zero of the arrivals, 30 s and 60 s.
        ("tiresias", ELASTICFLOW, [(None, 0, None, 969, None), (None, 0, None, 939, None)]),
        # Chronus counts minutes from the arrival; a second value of a list is worth less.
        (
            "chronus",
            SOFT,
            [("red", 0, None, 300, None), ("blue", 0, None, None, None)],
        ),
    ],
)  # fmt: skip
def test_labels_of_public_logs(bring: Any, format: str, text: str, found: list[Any]) -> None:
    assert list(labels(bring(format, text)).values()) == found


@pytest.mark.parametrize(
    ("old", "new", "remark"),
    [
        ("|UNLIMITED|", "|soon|", "values not used: Timelimit: expected a time such as"),
        ("0:30|2024-03-01T08:00:30", "0:30|2024-03-01", "values not used: Start before"),
        ("0:30|2024-03-01T08:00:30", "0:30|later", "values not used: Start: expected a time"),
        ("|cv|", f"|{'c' * 101}|", "values not used: Account: expected a name of 1 to 100"),
    ],
)
def test_an_invalid_label_costs_no_job(
    bring: Any, faults: Any, old: str, new: str, remark: str
) -> None:
    made = bring("sacct", SLURM.replace(old, new))
    assert len(made.instance.jobs) == 3
    assert [remark in one for one in made.remarks].count(True) == 1
    if "before" not in remark:
        assert "line 4" in faults("sacct", SLURM.replace(old, new))[0]


def test_times_are_rounded_to_ticks_and_too_long_ones_are_left_out(bring: Any) -> None:
    csv = "job_id,arrival_s,gpus,duration_s,limit_s,due_s,waited_s\na,0,1,60,20,20,20\n"
    assert labels(bring("csv", csv, tick_s=Decimal(60)))["a"][2:] == (60, 60, 0)
    assert labels(bring("csv", csv.replace("60,20", "60,1e12")))["a"][2] is None


def test_groups_get_quotas_and_limits(bring: Any) -> None:
    assert bring("sacct", SLURM).instance.groups == ()
    groups = bring("sacct", SLURM, quota="nlp=1", most="nlp=16, cv=1").instance.groups
    assert [(one.name, one.quota, one.most) for one in groups] == [("nlp", 1, 16), ("cv", 0, 1)]


def test_a_limit_of_the_whole_cluster_and_left_out_records_are_told(bring: Any) -> None:
    """The cluster has 16 GPUs, and job 10 asks for none."""
    more = SLURM + "10|2024-03-01T08:01:00|Unknown|01:00:00||COMPLETED||||\n"
    made = bring("sacct", more, most="nlp=16,cv=15")
    said = [one for one in made.remarks if "--most" in one]
    assert said == ["--most nlp=16 has no effect, because the cluster has 16 GPUs"]
    told = import_text(made.instance.notes)
    assert told == "the import took 3 jobs from 5 records and left out 1 (no GPUs)"
    assert import_text(bring("sacct", SLURM).instance.notes) is None


@pytest.mark.parametrize(
    ("more", "problem"),
    [
        ({"quota": "nlp=-1"}, "--quota: found 'nlp=-1', expected names and whole numbers of at"),
        ({"most": "npl=3"}, "expected a group of the log: cv, nlp. Did you mean 'nlp'?"),
        ({"quota": "nlp=99"}, "--quota nlp: found 99, expected at most 16, so that all quotas fit"),
        ({"quota": "cv=1,cv=2"}, "--quota: found 'cv=2', expected cv once. Drop one."),
        ({"qos": "high"}, "--qos: found 'high', expected names and whole numbers"),
        ({"qos": "high=1.5"}, "--qos: found 'high=1.5'"),
        ({"qos": "hihg=1"}, "expected a QOS of the log: high, low. Did you mean 'high'?"),
        ({"group": "Team"}, "line 1: found nothing, expected a column Team"),
    ],
)
def test_what_cannot_be_asked_for(faults: Any, more: Any, problem: str) -> None:
    assert problem in faults("sacct", SLURM, **more)[0]
