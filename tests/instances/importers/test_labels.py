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


KINDS = """\
JobID|Submit|Elapsed|State|AllocTRES
1|2024-03-01T08:00:00|01:00:00|COMPLETED|gres/gpu:v100=4,gres/gpu=4
2|2024-03-01T08:10:00|02:00:00|COMPLETED|gres/gpu:k80=2
3|2024-03-01T08:20:00|00:30:00|COMPLETED|gres/gpu=1
4|2024-03-01T08:30:00|00:30:00|COMPLETED|gres/gpu:p100=1
"""


def on_kinds(made: Any) -> dict[str, tuple[str | None, dict[str, float]]]:
    jobs = made.instance.jobs
    return {job.name: (job.gpu, {w.gpu: float(w.speed) for w in job.speeds}) for job in jobs}


def test_jobs_stay_on_the_kind_of_gpus_on_which_they_ran(bring: Any) -> None:
    made = bring("sacct", KINDS, servers="1x8:v100,2x4:k80")
    assert [(s.gpus, s.gpu) for s in made.instance.servers] == [(8, "v100"), (4, "k80"), (4, "k80")]
    assert on_kinds(made) == {"1": ("v100", {}), "2": ("k80", {}), "3": (None, {})}
    assert made.dropped == {"on GPUs of the kind p100, which the cluster lacks": 1}


def test_relative_speeds_open_other_kinds_to_them(bring: Any) -> None:
    speeds = "v100=1,p100=0.8,k80=0.25"
    made = bring("sacct", KINDS, servers="1x8:v100,2x4:k80", speeds=speeds)
    assert on_kinds(made) == {
        "1": ("v100", {"k80": 0.25}),
        "2": ("k80", {"v100": 4.0}),
        "3": (None, {}),
        "4": ("p100", {"v100": 1.25, "k80": 0.3125}),
    }


def test_kinds_are_ignored_and_counted_where_servers_have_none(bring: Any) -> None:
    made = bring("sacct", KINDS)
    assert {job.gpu for job in made.instance.jobs} == {None}
    assert "jobs whose kind of GPUs is ignored, because servers have none: 3" in made.remarks


def test_a_job_on_more_gpus_than_its_kind_has_is_left_out(bring: Any) -> None:
    made = bring("sacct", KINDS, servers="1x2:v100,2x4:k80")
    assert sorted(on_kinds(made)) == ["2", "3"]


@pytest.mark.parametrize("speeds", ["v100", "v100=0", "v100=1,v100=2", "v100=x"])
def test_relative_speeds_are_kinds_and_numbers(faults: Any, speeds: str) -> None:
    assert "expected kinds of GPUs, each once" in "".join(faults("sacct", KINDS, speeds=speeds))


def test_an_unknown_kind_of_relative_speeds_is_told(faults: Any) -> None:
    lines = faults("sacct", KINDS, speeds="v10=1", servers="1x8:v100,2x4:k80")
    assert "found 'v10', expected a kind of GPUs of the log: k80, p100, v100" in "".join(lines)


def test_pai_names_the_kind_of_gpus(bring: Any) -> None:
    text = PAI.replace("group", "gpu_type").replace(",g\n", ",T4\n")
    assert {job.gpu for job in bring("pai", text, servers="2x8:T4").instance.jobs} == {"T4"}
